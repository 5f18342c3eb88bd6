#include "core/unicorn_iss.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/unicorn_cpu.h"
#include "core/unicorn_memory.h"

namespace asterism {
namespace {

// QEMU's exception numbers, as UC_HOOK_INTR tells them (qemu/target/arm/cpu.h).
enum QemuException : std::uint32_t {
  excp_udef = 1,
  excp_swi = 2,
  excp_prefetch_abort = 3,
  excp_data_abort = 4,
  excp_bkpt = 7,
  excp_hvc = 11,
  excp_smc = 13,
};

constexpr std::uint32_t hlt_semihosting = 0xd45e0000;  // hlt #0xf000
constexpr std::uint32_t wfe = 0xd503205f, yield = 0xd503203f;

// PSTATE and SPSR_EL1.
constexpr std::uint64_t pstate_a = 1 << 8, pstate_i = 1 << 7, pstate_daif = 0xf << 6, pstate_btype = 3 << 10;
constexpr std::uint64_t pstate_mode = 0x1f, mode_el1h = 0x5, mode_el1t = 0x4;
constexpr unsigned exception_level(std::uint64_t pstate) { return pstate >> 2 & 3; }

// Offsets into the vector table of one source (current EL with SP_EL0, with SP_EL1, lower EL).
constexpr std::uint64_t vector_synchronous = 0x000, vector_irq = 0x080, vector_serror = 0x180;

// Exceptions in a row without a retired instruction: one may interrupt another's entry, more is a loop.
constexpr unsigned lock_up_after = 4;
// Instructions between two looks at a masked SError, which may stay so for ever.
constexpr std::uint64_t serror_recheck = 256;
constexpr std::size_t max_event_hints = 256;
constexpr std::size_t max_changed_ranges = 64;  // then all code is dropped
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t far_away = std::uint64_t{1} << 62;  // instructions

constexpr AddressRange everything{Address(0), Bytes(never)};

class UnicornIss final : public Iss, private UnicornMemory::Bus {
 public:
  UnicornIss(IssHost& host, unsigned core, int model);

  void reset() override;
  void start(Address entry, std::uint64_t x0) override;
  Stop run() override;
  void request_stop() override { stop_requested_ = true, set_attend_at(); }
  std::string why() const override { return why_; }

  std::uint64_t instructions() const override { return attend_at_ - static_cast<std::uint64_t>(left_); }
  void call_at(std::uint64_t instructions) override { due_at_ = instructions, set_attend_at(); }

  void set_irq(bool level) override { irq_ = level, set_attend_at(); }
  void raise_serror(std::uint32_t iss) override {
    if (!serror_) serror_ = iss, serror_look_at_ = 0, set_attend_at();
  }

  void map_direct(AddressRange range, std::uint8_t* host, bool is_shown) override;
  void unmap_direct(AddressRange range) override;
  void invalidate_code(AddressRange range) override;

  std::uint64_t read(CoreRegister which) const override;
  void write(CoreRegister which, std::uint64_t value) override;

 private:
  // Hooks of Unicorn; `self` is this object.
  static void on_block(uc_engine*, std::uint64_t address, std::uint32_t size, void* self);
  static void on_exception(uc_engine* uc, std::uint32_t number, void* self);
  static bool on_unmapped(uc_engine*, uc_mem_type, std::uint64_t address, int, std::int64_t, void* self);
  static std::uint32_t on_mrs(uc_engine* uc, uc_arm64_reg rt, const uc_arm64_cp_reg* reg, void* self);
  static std::uint32_t on_msr(uc_engine*, uc_arm64_reg, const uc_arm64_cp_reg* reg, void* self);
  static std::uint32_t on_sys(uc_engine*, uc_arm64_reg, const uc_arm64_cp_reg* reg, void* self);
  static void on_translated(uc_engine*, uc_tb* block, uc_tb*, void* self);
#if ASTERISM_UNICORN_TLB_FILL
  static bool on_tlb_fill(uc_engine*, std::uint64_t page, uc_mem_type type, uc_tlb_entry* entry, void* self);
#endif
  static void on_event_hint(uc_engine*, std::uint64_t address, std::uint32_t, void* self);
  static void on_access(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t,
                        void* self);
  std::uint64_t bus_load(std::uint64_t address, unsigned size) override;
  void bus_store(std::uint64_t address, unsigned size, std::uint64_t value) override;

  void add_hooks();
  void follow_mmu(bool enabled);
  bool map_at(std::uint64_t address);
  void show_accesses();

  [[gnu::noinline]] void on_boundary(std::uint64_t address, std::uint32_t size);
  bool attend(std::uint64_t address);
  bool must_leave();
  void set_attend_at();
  bool irq_taken_now() { return irq_ && !(get(UC_ARM64_REG_PSTATE) & pstate_i); }
  bool serror_taken_now();
  bool needs_maintenance() const { return !changed_code_.empty() || memory_.has_stale_windows(); }
  void maintain();
  bool take_interrupts();
  std::optional<Stop> after_exception();
  bool is_semihosting_call(std::uint64_t address) const;
  std::int64_t unexecuted() const;
  std::optional<Stop> after_fetch_error();
  void take(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> fault_address);
  bool locked_up() const { return unretired_exceptions_ >= lock_up_after; }

  // Runs a call to the host from within Unicorn's frames, through which no C++ exception may pass.
  template <class Call>
  void guarded(Call&& call) {
    try {
      call();
    } catch (...) {
      error_ = std::current_exception();
      request_stop();
    }
  }

  std::uint64_t get(int reg) const { return cpu_.get(reg); }
  void set(int reg, std::uint64_t value) { cpu_.set(reg, value); }

  IssHost& host_;
  const std::uint64_t mpidr_;
  UnicornCpu cpu_;
  uc_engine* uc_;
  UnicornMemory memory_;

  // What the block hook touches: instructions until a block boundary needs a look, the end of the block.
  std::int64_t left_ = 0;
  std::uint64_t block_end_ = 0;
  std::uint64_t attend_at_ = 0;  // the instruction count at which left_ is 0

  std::uint64_t due_at_ = never;
  std::uint64_t pc_ = 0;         // of the next instruction, while not running
  std::uint32_t exception_ = 0;  // number told by the hook; 0: none
  bool running_ = false;
  bool at_boundary_ = false;  // left by attend()
  bool stop_requested_ = false;
  bool event_wait_ = false;
  bool irq_ = false;
  std::optional<std::uint32_t> serror_;
  std::uint64_t serror_look_at_ = 0;
  std::vector<AddressRange> changed_code_;
  uc_hook unmapped_hook_ = 0, access_hook_ = 0;
  std::vector<ShownAccess> to_show_, being_shown_;
#if ASTERISM_UNICORN_TLB_FILL
  std::unordered_set<std::uint64_t> code_pages_;  // from which instructions were fetched
#endif
  std::set<std::uint64_t> event_hints_;  // addresses of WFE and YIELD that have a hook
  std::uint64_t retired_at_exception_ = never;
  unsigned unretired_exceptions_ = 0;
  bool unsupported_ = false;
  std::exception_ptr error_;
  std::string why_;
};

// ---- making ----

UnicornIss::UnicornIss(IssHost& host, unsigned core, int model)
    : host_(host), mpidr_(1u << 31 | core), cpu_(core, model), uc_(cpu_.handle()), memory_(uc_, *this) {
  add_hooks();
}

void UnicornIss::add_hooks() {
  uc_hook hook;
  const auto add = [&](int type, auto* callback, auto... instruction) {
    require_ok(uc_hook_add(uc_, &hook, type, reinterpret_cast<void*>(callback), this, 1, 0, instruction...),
               "hook");
  };
  add(UC_HOOK_BLOCK, on_block);
  add(UC_HOOK_INTR, on_exception);
  add(UC_HOOK_INSN, on_mrs, UC_ARM64_INS_MRS);
  add(UC_HOOK_INSN, on_msr, UC_ARM64_INS_MSR);
  add(UC_HOOK_INSN, on_sys, UC_ARM64_INS_SYS);
  add(UC_HOOK_EDGE_GENERATED, on_translated);
#if ASTERISM_UNICORN_TLB_FILL
  add(UC_HOOK_TLB_FILL, on_tlb_fill);
#endif
  follow_mmu(false);
}

void UnicornIss::reset() {
  cpu_.reset();
  follow_mmu(false);
  memory_.flush_tlb();
  changed_code_ = {everything};
  to_show_.clear();
  pc_ = 0;
  stop_requested_ = event_wait_ = false;
  serror_.reset();
  unretired_exceptions_ = 0;
  unsupported_ = false;
  why_.clear();
}

void UnicornIss::start(Address entry, std::uint64_t x0) {
  pc_ = entry.value();
  set(UC_ARM64_REG_X0, x0);
}

// ---- running ----

Iss::Stop UnicornIss::run() {
  for (;;) {
    if (error_) {
      stop_requested_ = false;
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
    if (unsupported_) return Stop::unsupported;
    if (locked_up()) {
      why_ = "exceptions recur without an instruction between them";
      return Stop::locked_up;
    }
    if (std::exchange(stop_requested_, false)) return Stop::requested;
    maintain();
    if (take_interrupts()) continue;

    exception_ = 0;
    at_boundary_ = false;
    set_attend_at();
    running_ = true;
    const uc_err error = uc_emu_start(uc_, pc_, 0, 0, 0);
    running_ = false;
    guarded([&] { show_accesses(); });
    if (at_boundary_) continue;  // attend() left pc_
    pc_ = get(UC_ARM64_REG_PC);
    if (error_) continue;
    std::optional<Stop> stop;
    if (exception_ != 0) {
      stop = after_exception();
    } else if (error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT) {
      stop = after_fetch_error();
    } else if (error == UC_ERR_OK) {
      if (irq_ || serror_) continue;  // WFI does not sleep
      return Stop::wait_for_interrupt;
    } else {
      why_ = uc_strerror(error);
      unsupported_ = true;
    }
    if (stop) return *stop;
  }
}

// Every instruction here costs: a tight loop spends a third of its time in this function. The rare case is a tail
// call, so that the common one saves no registers.
void UnicornIss::on_block(uc_engine*, std::uint64_t address, std::uint32_t size, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  if (iss.left_ <= 0) [[unlikely]]
    return iss.on_boundary(address, size);
  iss.left_ -= size / 4;
  iss.block_end_ = address + size;
}

void UnicornIss::on_boundary(std::uint64_t address, std::uint32_t size) {
  if (!attend(address)) return;
  left_ -= size / 4;
  block_end_ = address + size;
}

// At a block boundary that may need the host or an interrupt. False: the block at `address` does not run now.
bool UnicornIss::attend(std::uint64_t address) {
  guarded([&] {
    show_accesses();
    if (std::exchange(event_wait_, false)) host_.event_wait();
    if (instructions() >= due_at_) host_.due();
  });
  if (must_leave()) {
    at_boundary_ = true;
    pc_ = address;
    uc_emu_stop(uc_);
    return false;
  }
  set_attend_at();
  return true;
}

bool UnicornIss::must_leave() {
  return stop_requested_ || needs_maintenance() || irq_taken_now() || serror_taken_now();
}

bool UnicornIss::serror_taken_now() {
  if (!serror_) return false;
  if (!(get(UC_ARM64_REG_PSTATE) & pstate_a)) return true;
  if (instructions() >= serror_look_at_) serror_look_at_ = instructions() + serror_recheck;
  return false;
}

void UnicornIss::set_attend_at() {
  const std::uint64_t count = instructions();
  std::uint64_t at = due_at_;
  if (serror_) at = std::min(at, serror_look_at_);
  if (at < count || stop_requested_ || event_wait_ || irq_ || needs_maintenance() || !to_show_.empty())
    at = count;
  left_ = static_cast<std::int64_t>(std::min(at - count, far_away));
  attend_at_ = count + static_cast<std::uint64_t>(left_);
}

void UnicornIss::maintain() {
  if (memory_.has_stale_windows()) memory_.drop_stale_windows();
  for (const AddressRange& range : changed_code_) memory_.drop_code(range);
  changed_code_.clear();
}

// ---- exceptions ----

bool UnicornIss::take_interrupts() {
  if (serror_taken_now()) {
    take(vector_serror, esr::make(esr::ec_serror, *std::exchange(serror_, std::nullopt)), std::nullopt);
    return true;
  }
  if (irq_taken_now()) {
    take(vector_irq, get(UC_ARM64_REG_ESR_EL1), std::nullopt);  // an interrupt leaves ESR as it is
    return true;
  }
  return false;
}

void UnicornIss::on_exception(uc_engine* uc, std::uint32_t number, void* self) {
  static_cast<UnicornIss*>(self)->exception_ = number;
  uc_emu_stop(uc);
}

std::optional<Iss::Stop> UnicornIss::after_exception() {
  const auto [syndrome, address] = cpu_.last_exception();
  switch (exception_) {
    case excp_hvc:
      return Stop::hypervisor_call;
    case excp_udef:
      if (is_semihosting_call(pc_)) {
        pc_ += 4;
        return Stop::semihosting_call;
      }
      [[fallthrough]];
    case excp_bkpt:
    case excp_smc:
      left_ += unexecuted();
      [[fallthrough]];
    case excp_swi:
      take(vector_synchronous, syndrome, std::nullopt);
      return std::nullopt;
    case excp_data_abort:
      left_ += unexecuted();
      [[fallthrough]];
    case excp_prefetch_abort:  // before its block is entered
      take(vector_synchronous, syndrome, address);
      return std::nullopt;
    default:
      why_ = "exception " + std::to_string(exception_) + " of the engine";
      unsupported_ = true;
      return std::nullopt;
  }
}

bool UnicornIss::is_semihosting_call(std::uint64_t address) const {
  const std::uint8_t* code = memory_.mapped_host(address);
  std::uint32_t instruction = 0;
  if (code) std::memcpy(&instruction, code, sizeof instruction);
  return instruction == hlt_semihosting;
}

// A block is counted as a whole when it is entered. After an exception at pc_: how many of its instructions were
// not executed.
std::int64_t UnicornIss::unexecuted() const { return static_cast<std::int64_t>((block_end_ - pc_) / 4); }

std::optional<Iss::Stop> UnicornIss::after_fetch_error() {
  if (memory_.map_direct_at(pc_)) return std::nullopt;
  host_.touch(Address(pc_));
  if (memory_.map_direct_at(pc_)) return std::nullopt;
  take(vector_synchronous, esr::make(esr::ec_instruction_abort, esr::synchronous_external_abort), pc_);
  return std::nullopt;
}

// Exception entry to EL1 (Arm ARM, AArch64.TakeException); pc_ is the preferred return address.
void UnicornIss::take(std::uint64_t vector, std::uint64_t syndrome,
                      std::optional<std::uint64_t> fault_address) {
  unretired_exceptions_ = instructions() == retired_at_exception_ ? unretired_exceptions_ + 1 : 0;
  retired_at_exception_ = instructions();

  const std::uint64_t pstate = get(UC_ARM64_REG_PSTATE);
  if (exception_level(pstate) == 0 && !UnicornCpu::can_raise_level) {
    why_ = "an exception at EL0, which Unicorn " + unicorn_version() + " cannot leave";
    unsupported_ = true;
    return;
  }
  std::uint64_t source = 0x200;
  if (exception_level(pstate) == 0) {
    source = 0x400;
  } else if ((pstate & pstate_mode) == mode_el1t) {
    source = 0x000;
  }
  if (source != 0x200) {  // SP_EL0 was in use
    set(UC_ARM64_REG_SP_EL0, get(UC_ARM64_REG_SP));
    set(UC_ARM64_REG_SP, get(UC_ARM64_REG_SP_EL1));
  }
  set(UC_ARM64_REG_ELR_EL1, pc_);
  set(UC_ARM64_REG_ESR_EL1, syndrome);
  if (fault_address) set(UC_ARM64_REG_FAR_EL1, *fault_address);
  set(UC_ARM64_REG_PSTATE, (pstate & ~(pstate_mode | pstate_btype)) | pstate_daif | mode_el1h);
  cpu_.set(system_register::spsr_el1, pstate);
  pc_ = get(UC_ARM64_REG_VBAR_EL1) + source + vector;
}

// ---- memory ----

bool UnicornIss::on_unmapped(uc_engine*, uc_mem_type, std::uint64_t address, int, std::int64_t, void* self) {
  return static_cast<UnicornIss*>(self)->map_at(address);
}

bool UnicornIss::map_at(std::uint64_t address) {
  bool mapped = false;
  guarded([&] {
    if (memory_.map_direct_at(address)) {
      mapped = true;
      return;
    }
    host_.touch(Address(address));
    if (!memory_.map_direct_at(address)) memory_.map_bus_at(address);
    mapped = true;
  });
  return mapped;
}

std::uint64_t UnicornIss::bus_load(std::uint64_t address, unsigned size) {
  std::uint64_t value = never;
  guarded([&] {
    show_accesses();
    if (!host_.load(Address(address), size, value)) {
      raise_serror(esr::serror_bus_error);
      value = never;
    }
  });
  return value;
}

void UnicornIss::bus_store(std::uint64_t address, unsigned size, std::uint64_t value) {
  guarded([&] {
    show_accesses();
    if (!host_.store(Address(address), size, value)) raise_serror(esr::serror_bus_error);
  });
}

// Before the access itself. The host, which may wait, is not called here: another core must not come between the load
// and the store of an atomic instruction.
void UnicornIss::on_access(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t,
                           void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  if (!iss.memory_.is_shown(address)) return;
  iss.guarded([&] {
    iss.to_show_.push_back({Address(address), static_cast<unsigned>(size), type == UC_MEM_WRITE});
  });
  if (iss.to_show_.size() == 1) iss.set_attend_at();
}

void UnicornIss::show_accesses() {
  if (to_show_.empty()) return;
  being_shown_.swap(to_show_);
  to_show_.clear();
  host_.shown(being_shown_);
}

// The guest's MMU is off or on. While it is on, memory is mapped when Unicorn finds none.
//
// While it is off, Unicorn since 2.1 asks where a page is and which accesses it allows: memory is mapped then. A page
// that holds no code is mapped without execution: stores to it need not look for translated code, which makes a copy 7
// times as fast. They would do so again with any hook on memory accesses.
void UnicornIss::follow_mmu([[maybe_unused]] bool enabled) {
#if ASTERISM_UNICORN_TLB_FILL
  require_ok(uc_ctl_tlb_mode(uc_, enabled ? UC_TLB_CPU : UC_TLB_VIRTUAL), "TLB mode");
  if (!enabled && unmapped_hook_ != 0) {
    require_ok(uc_hook_del(uc_, std::exchange(unmapped_hook_, 0)), "hook");
  }
  if (!enabled) return;
#endif
  if (unmapped_hook_ != 0) return;
  require_ok(uc_hook_add(uc_, &unmapped_hook_, UC_HOOK_MEM_READ_UNMAPPED | UC_HOOK_MEM_WRITE_UNMAPPED,
                         reinterpret_cast<void*>(on_unmapped), this, 1, 0),
             "hook");
}

#if ASTERISM_UNICORN_TLB_FILL
bool UnicornIss::on_tlb_fill(uc_engine*, std::uint64_t page, uc_mem_type type, uc_tlb_entry* entry,
                             void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  if (type == UC_MEM_FETCH) {
    iss.code_pages_.insert(page);
  } else if (!iss.memory_.is_mapped(page)) {
    iss.map_at(page);
  }
  entry->paddr = page;
  entry->perms =
      iss.code_pages_.contains(page) ? UC_PROT_ALL : static_cast<uc_prot>(UC_PROT_READ | UC_PROT_WRITE);
  return true;
}
#endif

void UnicornIss::map_direct(AddressRange range, std::uint8_t* host, bool is_shown) {
  if (is_shown && access_hook_ == 0) {
    // Code that was translated without the hook does not call it.
    require_ok(uc_hook_add(uc_, &access_hook_, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                           reinterpret_cast<void*>(on_access), this, 1, 0),
               "hook");
    changed_code_ = {everything};
  }
  memory_.add_direct(range, host, is_shown);
  set_attend_at();
}

void UnicornIss::unmap_direct(AddressRange range) { memory_.remove_direct(range); }

void UnicornIss::invalidate_code(AddressRange range) {
  if (changed_code_.size() < max_changed_ranges) {
    changed_code_.push_back(range);
  } else {
    changed_code_ = {everything};
  }
  set_attend_at();
}

// ---- system registers and hints ----

constexpr bool is_timer(SystemRegister which) { return which.op0 == 3 && which.op1 == 3 && which.crn == 14; }

// DBGBVRn, DBGBCRn, DBGWVRn and DBGWCRn. Unicorn has QEMU's code behind them, but not the parts which that
// asks for a breakpoint: a write of DBGBCRn ends the process.
constexpr bool is_breakpoint_or_watchpoint(SystemRegister which) {
  return which.op0 == 2 && which.op1 == 0 && which.crn == 0 && which.op2 >= 4;
}

// QEMU counts cycles by the host's clock, so that no two runs would read the same.
constexpr bool is_performance_monitor(SystemRegister which) {
  return which.op0 == 3 && ((which.crn == 9 && which.crm >= 12) || (which.crn == 14 && which.crm >= 8));
}

constexpr SystemRegister id_aa64dfr0_el1{3, 0, 0, 5, 0}, id_dfr0_el1{3, 0, 0, 1, 2},
    id_aa64pfr0_el1{3, 0, 0, 4, 0};
// The debug architecture of Armv8.0 with the fewest breakpoints and watchpoints that it can say, two each; no
// performance monitors.
constexpr std::uint64_t least_debug = 6 | 1 << 12 | 1 << 20;
constexpr std::uint64_t least_debug_aarch32 = 0x0001'0066;    // the CPU's own, without performance monitors
constexpr std::uint64_t el0_and_el1_with_fp16 = 0x0011'0011;  // no EL2, EL3 and SVE, which QEMU announces

SystemRegister encoding(const uc_arm64_cp_reg& reg) {
  const auto narrow = [](std::uint32_t field) { return static_cast<std::uint8_t>(field); };
  return {narrow(reg.op0), narrow(reg.op1), narrow(reg.crn), narrow(reg.crm), narrow(reg.op2)};
}

// Only registers that QEMU knows may be answered here: its translation of an unknown one ends in nothing.
std::uint32_t UnicornIss::on_mrs(uc_engine* uc, uc_arm64_reg rt, const uc_arm64_cp_reg* reg, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  const SystemRegister which = encoding(*reg);
  std::optional<std::uint64_t> value;
  if (which == system_register::mpidr_el1) {
    value = iss.mpidr_;
  } else if (which == id_aa64dfr0_el1) {
    value = least_debug;
  } else if (which == id_dfr0_el1) {
    value = least_debug_aarch32;
  } else if (which == id_aa64pfr0_el1) {
    value = el0_and_el1_with_fp16;
  } else if (is_performance_monitor(which)) {
    value = 0;
  } else if (is_timer(which)) {
    iss.guarded([&] { value = iss.host_.read_register(which); });
  }
  if (!value) return 0;
  uc_reg_write(uc, rt, &*value);
  return 1;
}

std::uint32_t UnicornIss::on_msr(uc_engine*, uc_arm64_reg, const uc_arm64_cp_reg* reg, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  const SystemRegister which = encoding(*reg);
  constexpr std::uint64_t sctlr_mmu = 1;
  if (which == system_register::sctlr_el1) iss.follow_mmu(reg->val & sctlr_mmu);
  bool done = is_breakpoint_or_watchpoint(which) || is_performance_monitor(which);
  if (is_timer(which) && !done) iss.guarded([&] { done = iss.host_.write_register(which, reg->val); });
  return done;
}

std::uint32_t UnicornIss::on_sys(uc_engine*, uc_arm64_reg, const uc_arm64_cp_reg* reg, void* self) {
  if (reg->crn != 7 || (reg->crm != 1 && reg->crm != 5)) return 0;
  auto& iss = *static_cast<UnicornIss*>(self);
  constexpr std::uint64_t line = 64;
  const bool by_address = reg->op1 == 3 && reg->crm == 5 && reg->op2 == 1;  // IC IVAU
  const bool all = reg->op1 == 0 && reg->op2 == 0;                          // IC IALLU, IC IALLUIS
  if (!by_address && !all) return 0;
  const AddressRange range = all ? everything : AddressRange{Address(reg->val & ~(line - 1)), Bytes(line)};
  iss.invalidate_code(range);
  iss.guarded([&] { iss.host_.instructions_changed(range); });
  return 0;
}

// WFE and YIELD leave no trace outside Unicorn. A block that ends in one is found when it is translated and
// is translated again with a hook at that instruction; blocks without one run at full speed.
void UnicornIss::on_translated(uc_engine* uc, uc_tb* block, uc_tb*, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  if (block->size < 4 || iss.event_hints_.size() >= max_event_hints) return;
  const std::uint64_t last = block->pc + block->size - 4;
  const std::uint8_t* code = iss.memory_.mapped_host(last);
  if (!code) return;
  std::uint32_t instruction;
  std::memcpy(&instruction, code, sizeof instruction);
  if ((instruction != wfe && instruction != yield) || !iss.event_hints_.insert(last).second) return;
  uc_hook hook;
  uc_hook_add(uc, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(on_event_hint), &iss, last, last);
  iss.invalidate_code({Address(last), Bytes(4)});
}

void UnicornIss::on_event_hint(uc_engine*, std::uint64_t address, std::uint32_t, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  const std::uint8_t* code = iss.memory_.mapped_host(address);
  std::uint32_t instruction = 0;
  if (code) std::memcpy(&instruction, code, sizeof instruction);
  if (instruction != wfe && instruction != yield) return;  // the code there has changed
  iss.event_wait_ = true;
  iss.set_attend_at();
}

// ---- registers ----

int unicorn_register(CoreRegister which) {
  const int index = static_cast<int>(which);
  if (which <= CoreRegister::x28) return UC_ARM64_REG_X0 + index;
  switch (which) {
    case CoreRegister::x29:
      return UC_ARM64_REG_X29;
    case CoreRegister::x30:
      return UC_ARM64_REG_X30;
    case CoreRegister::sp:
      return UC_ARM64_REG_SP;
    case CoreRegister::pc:
      return UC_ARM64_REG_PC;
    case CoreRegister::pstate:
      return UC_ARM64_REG_PSTATE;
    case CoreRegister::elr:
      return UC_ARM64_REG_ELR_EL1;
    case CoreRegister::esr:
      return UC_ARM64_REG_ESR_EL1;
    case CoreRegister::far:
      return UC_ARM64_REG_FAR_EL1;
    default:
      return UC_ARM64_REG_VBAR_EL1;
  }
}

std::uint64_t UnicornIss::read(CoreRegister which) const {
  if (which == CoreRegister::pc && !running_) return pc_;
  if (which == CoreRegister::spsr) return cpu_.get(system_register::spsr_el1);
  return get(unicorn_register(which));
}

void UnicornIss::write(CoreRegister which, std::uint64_t value) {
  if (which == CoreRegister::pc) {
    pc_ = value;
  } else if (which == CoreRegister::spsr) {
    cpu_.set(system_register::spsr_el1, value);
  } else {
    set(unicorn_register(which), value);
  }
}

}  // namespace

// "max" rather than a Cortex-A: it has the LSE atomics.
std::unique_ptr<Iss> make_unicorn_iss(IssHost& host, unsigned core) {
  return std::make_unique<UnicornIss>(host, core, UC_CPU_ARM64_MAX);
}

std::unique_ptr<Iss> make_unicorn_cortex_a57(IssHost& host, unsigned core) {
  return std::make_unique<UnicornIss>(host, core, UC_CPU_ARM64_A57);
}

std::string unicorn_version() {
  unsigned major = 0, minor = 0;
  const unsigned version = uc_version(&major, &minor);
  // Since 2.0 the whole version is 0xMMmmppee.
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(version >> 8 & 0xff);
}

}  // namespace asterism
