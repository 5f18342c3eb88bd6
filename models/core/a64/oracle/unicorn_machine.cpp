#include <cstring>
#include <stdexcept>

#include "core/a64/oracle/machine.h"
#include "core/a64/oracle/unicorn_calls.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint32_t branch_to_itself = 0x14000000;
constexpr std::uint32_t svc_probe = 0xd414b861;  // svc #0xa5c3
// QEMU keeps the flags of AArch32 in FPSR; without AArch32 these bits are RES0.
constexpr std::uint32_t fpsr_of_a64 = 0x0800'009f;
constexpr std::uint64_t probe_syndrome = 0x5600'a5c3;
constexpr unsigned ec_address_lowest = 0x20, ec_address_highest = 0x25;

std::array<int, 31> general_registers() {
  std::array<int, 31> result{};
  for (int i = 0; i < 29; ++i) result[static_cast<unsigned>(i)] = UC_ARM64_REG_X0 + i;
  result[29] = UC_ARM64_REG_X29;
  result[30] = UC_ARM64_REG_X30;
  return result;
}

class UnicornMachine final : public Machine {
 public:
  explicit UnicornMachine(Cpu cpu) : data_(data_size + page) {
    require(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc_), "open");
    require(uc_ctl_set_cpu_model(uc_, cpu == Cpu::max ? UC_CPU_ARM64_MAX : UC_CPU_ARM64_A57), "model");
    require(uc_mem_map(uc_, code_base, code_size, UC_PROT_ALL), "code");
    require(uc_mem_map_ptr(uc_, data_base, data_size, UC_PROT_READ | UC_PROT_WRITE, data().data()), "data");
    uc_hook hook;
    require(uc_hook_add(uc_, &hook, UC_HOOK_INTR, reinterpret_cast<void*>(&on_exception), this, 1, 0),
            "hook");
    set_system_register({1, 0, 3, 0, 2, 3u << 20});  // CPACR_EL1
    require(uc_context_alloc(uc_, &reset_), "context");
    require(uc_context_alloc(uc_, &scratch_), "context");
    find_syndrome();
    for (std::uint64_t at = vectors; at < vectors + 0x800; at += 0x80) put(at, branch_to_itself);
    require(uc_context_save(uc_, reset_), "context");
    gather();
  }
  ~UnicornMachine() override {
    uc_context_free(reset_);
    uc_context_free(scratch_);
    uc_close(uc_);
  }

  std::span<std::uint8_t> data() override {
    return {data_.data() + (page - reinterpret_cast<std::uintptr_t>(data_.data()) % page), data_size};
  }

  void place(std::span<const std::uint32_t> program) override {
    uc_ctl_remove_cache(uc_, program_base, end_);
    require(uc_mem_write(uc_, program_base, program.data(), program.size_bytes()), "program");
    end_ = program_base + program.size_bytes();
    put(end_, branch_to_itself);  // not executed, but read by literals
    uc_ctl_remove_cache(uc_, program_base, end_);
  }

  // In Unicorn 2.0 registers of the translation take effect only when a program writes them.
  void translate_by(std::span<const std::uint64_t> tables) override {
    if (!translates_) {
      require(uc_mem_map(uc_, tables_base, tables_size, UC_PROT_READ | UC_PROT_WRITE), "tables");
      set_system_register({1, 1, 3, 6, 0, 0x5b1});                   // SCR_EL3: below it all is AArch64
      set_system_register({1, 1, 3, 4, 0, std::uint64_t{1} << 31});  // HCR_EL2
      require(uc_context_save(uc_, reset_), "context");
    }
    translates_ = true;
    require(uc_mem_write(uc_, tables_base, tables.data(), tables.size_bytes()), "tables");
    static constexpr std::uint32_t setup[] = {
        0xd5182000,  // msr ttbr0_el1, x0
        0xd5182041,  // msr tcr_el1, x1
        0xd518a202,  // msr mair_el1, x2
        0xd5033fdf,  // isb
        0xd5181003,  // msr sctlr_el1, x3
        0xd508871f,  // tlbi vmalle1
        0xd5033f9f,  // dsb sy
        0xd5033fdf,  // isb
    };
    place(setup);
    Registers from;
    from.x[0] = tables_base, from.x[1] = tcr_of_tables, from.x[2] = mair_of_tables, from.x[3] = 0x00c5'0839;
    if (run(from).exception) throw std::runtime_error("unicorn: the MMU could not be turned on");
    require(uc_context_save(uc_, reset_), "context");
  }

  Outcome run(const Registers& from) override {
    registers_ = from;
    nzcv_ = std::uint64_t{from.nzcv} << 28, fpcr_ = from.fpcr, fpsr_ = from.fpsr;
    require(uc_context_restore(uc_, reset_), "reset");
    require(uc_reg_write_batch(uc_, ids_.data(), places_.data(), static_cast<int>(ids_.size())), "write");
    exception_number_ = 0;
    const uc_err error = uc_emu_start(uc_, from.pc, end_, 0, 0);
    require(uc_reg_read_batch(uc_, ids_.data(), places_.data(), static_cast<int>(ids_.size())), "read");
    Outcome result{registers_, {}, false};
    result.registers.nzcv = static_cast<std::uint32_t>(nzcv_ >> 28);
    result.registers.fpcr = static_cast<std::uint32_t>(fpcr_);
    result.registers.fpsr = static_cast<std::uint32_t>(fpsr_) & fpsr_of_a64;
    if (exception_number_ != 0) {
      result.exception = last_exception();
    } else if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED) {
      result.left_memory = true;
    } else {
      require(error, "run");
    }
    return result;
  }

 private:
  static constexpr std::size_t page = 4096;

  static void on_exception(uc_engine* uc, std::uint32_t number, void* self) {
    static_cast<UnicornMachine*>(self)->exception_number_ = number;
    uc_emu_stop(uc);
  }

  void put(std::uint64_t at, std::uint32_t word) {
    require(uc_mem_write(uc_, at, &word, sizeof word), "code");
  }

  void set_system_register(uc_arm64_cp_reg value) {
    require(uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &value), "system register");
  }

  void gather() {
    const auto add = [&](int id, void* place) { ids_.push_back(id), places_.push_back(place); };
    const auto general = general_registers();
    for (unsigned i = 0; i < 31; ++i) add(general[i], &registers_.x[i]);
    for (unsigned i = 0; i < 32; ++i) add(UC_ARM64_REG_Q0 + static_cast<int>(i), registers_.v[i].d.data());
    add(UC_ARM64_REG_SP, &registers_.sp);
    add(UC_ARM64_REG_PC, &registers_.pc);
    add(UC_ARM64_REG_NZCV, &nzcv_);
    add(UC_ARM64_REG_FPCR, &fpcr_);
    add(UC_ARM64_REG_FPSR, &fpsr_);
  }

  // Unicorn does not report the syndrome of an exception. It is in the data copied by uc_context_save(), at
  // the offset at which that of an SVC is found.
  void find_syndrome() {
    place({&svc_probe, 1});
    require(uc_emu_start(uc_, program_base, end_ + 4, 0, 0), "probe");
    require(uc_context_save(uc_, scratch_), "context");
    const std::size_t size = uc_context_size(uc_);
    for (syndrome_at_ = 0; syndrome_at_ + 20 <= size; syndrome_at_ += 4)
      if (context_word(syndrome_at_) == probe_syndrome && context_word(syndrome_at_ + 16) == 1) return;
    throw std::runtime_error("unicorn keeps no syndrome where it is looked for");
  }
  std::uint32_t context_word(std::size_t at) const {
    std::uint32_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(scratch_) + at, sizeof word);
    return word;
  }
  Exception last_exception() {
    require(uc_context_save(uc_, scratch_), "context");
    Exception result{context_word(syndrome_at_), {}};
    const std::uint64_t ec = result.syndrome >> 26;
    if (ec >= ec_address_lowest && ec <= ec_address_highest)
      result.address = context_word(syndrome_at_ + 8) | std::uint64_t{context_word(syndrome_at_ + 12)} << 32;
    return result;
  }

  uc_engine* uc_ = nullptr;
  uc_context *reset_ = nullptr, *scratch_ = nullptr;
  std::size_t syndrome_at_ = 0;
  std::vector<std::uint8_t> data_;
  std::uint64_t end_ = program_base;
  std::uint32_t exception_number_ = 0;
  bool translates_ = false;

  Registers registers_;
  std::uint64_t nzcv_ = 0, fpcr_ = 0, fpsr_ = 0;
  std::vector<int> ids_;
  std::vector<void*> places_;
};

}  // namespace

std::unique_ptr<Machine> make_unicorn_machine(Cpu cpu) { return std::make_unique<UnicornMachine>(cpu); }

}  // namespace asterism::a64::oracle
