#include "core/unicorn_cpu.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/iss.h"
#include "core/unicorn_iss.h"
#include "core/unicorn_memory.h"

namespace asterism {

void require_ok(uc_err error, const char* what) {
  if (error != UC_ERR_OK)
    throw std::runtime_error(std::string("unicorn: ") + what + ": " + uc_strerror(error));
}

namespace {

constexpr std::uint64_t pstate_of_reset = 0x3c5;  // EL1h, DAIF masked

uc_engine* open_unicorn(int model) {
  uc_engine* uc = nullptr;
  require_ok(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc), "open");
  require_ok(uc_ctl_set_cpu_model(uc, model), "CPU model");
  // No address stops the emulation by itself.
  require_ok(uc_ctl_exits_enable(uc), "exits");
#if ASTERISM_UNICORN_TLB_FILL
  require_ok(uc_ctl_set_tcg_buffer_size(uc, 32 << 20), "code buffer");
#endif
  return uc;
}

}  // namespace

UnicornCpu::UnicornCpu(unsigned core, int model) : uc_(open_unicorn(model)) {
  set(system_register::scr_el3, 0x5b1);
  set(system_register::hcr_el2, std::uint64_t{1} << 31);
  run_probe(core);
  find_syndrome();
}

UnicornCpu::~UnicornCpu() {
  uc_context_free(reset_context_);
  uc_context_free(scratch_context_);
  uc_close(uc_);
}

// A first run of a few instructions brings the state that hangs on system registers up to date; what it leaves
// is the state of reset. It ends in an SVC whose syndrome find_syndrome() looks for.
void UnicornCpu::run_probe(unsigned core) {
  // Engines that run one program would have each block at the same offset in their code buffers, and the host's
  // branch predictor would take one for another (5% of the speed of four cores): blocks of `b .+4` set them apart.
  std::vector<std::uint32_t> probe(std::size_t{core} * 37, 0x14000001);
  probe.insert(probe.end(), {0xd518105f,    // msr cpacr_el1, xzr
                             0xd414b861});  // svc #0xa5c3
  alignas(UnicornMemory::page) static std::uint8_t page[UnicornMemory::page];
  std::memcpy(page, probe.data(), probe.size() * 4);
  require_ok(uc_mem_map_ptr(uc_, 0, sizeof page, UC_PROT_ALL, page), "probe page");
  const auto stop = +[](uc_engine* uc, std::uint32_t, void*) { uc_emu_stop(uc); };
  uc_hook hook;
  require_ok(uc_hook_add(uc_, &hook, UC_HOOK_INTR, reinterpret_cast<void*>(stop), nullptr, 1, 0),
             "probe hook");
  require_ok(uc_emu_start(uc_, 0, 0, 0, 0), "probe run");
  require_ok(uc_hook_del(uc_, hook), "probe hook");
  uc_ctl_remove_cache(uc_, std::uint64_t{0}, std::uint64_t{sizeof page});
  require_ok(uc_mem_unmap(uc_, 0, sizeof page), "probe page");
  set(UC_ARM64_REG_PSTATE, pstate_of_reset);
  require_ok(uc_context_alloc(uc_, &reset_context_), "context");
  require_ok(uc_context_alloc(uc_, &scratch_context_), "context");
  require_ok(uc_context_save(uc_, reset_context_), "context");
  require_ok(uc_context_save(uc_, scratch_context_), "context");
}

// Unicorn tells the number of an exception but not its syndrome. That stands in the CPU state, which
// uc_context_save() copies: its place is where the probe's syndrome is.
void UnicornCpu::find_syndrome() {
  constexpr std::uint64_t probe_syndrome = esr::make(esr::ec_svc, 0xa5c3);
  const std::size_t size = uc_context_size(uc_);
  for (std::size_t at = 0; at + 20 <= size; at += 4) {
    // env->exception: syndrome, AArch32 fault status, 64-bit address, target exception level.
    if (context_word(at) == probe_syndrome && context_word(at + 16) == 1) {
      syndrome_offset_ = at;
      return;
    }
  }
  throw std::runtime_error("unicorn " + unicorn_version() +
                           " does not keep syndromes where this engine looks");
}

std::uint32_t UnicornCpu::context_word(std::size_t offset) const {
  std::uint32_t word;
  std::memcpy(&word, reinterpret_cast<const char*>(scratch_context_) + offset, sizeof word);
  return word;
}

void UnicornCpu::reset() { require_ok(uc_context_restore(uc_, reset_context_), "reset"); }

UnicornCpu::Exception UnicornCpu::last_exception() {
  uc_context_save(uc_, scratch_context_);
  return {context_word(syndrome_offset_),
          context_word(syndrome_offset_ + 8) | std::uint64_t{context_word(syndrome_offset_ + 12)} << 32};
}

std::uint64_t UnicornCpu::get(int reg) const {
  std::uint64_t value = 0;
  uc_reg_read(uc_, reg, &value);
  return value;
}

void UnicornCpu::set(int reg, std::uint64_t value) { uc_reg_write(uc_, reg, &value); }

std::uint64_t UnicornCpu::get(SystemRegister which) const {
  uc_arm64_cp_reg reg{which.crn, which.crm, which.op0, which.op1, which.op2, 0};
  uc_reg_read(uc_, UC_ARM64_REG_CP_REG, &reg);
  return reg.val;
}

void UnicornCpu::set(SystemRegister which, std::uint64_t value) {
  uc_arm64_cp_reg reg{which.crn, which.crm, which.op0, which.op1, which.op2, value};
  require_ok(uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &reg), "system register");
}

}  // namespace asterism
