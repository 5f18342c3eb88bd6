// An instruction-set simulator of one A64 core (Iss), and the interface to its surroundings (IssHost).
//
// Plain C++. The engine is in a64/ (native_iss.h).
//
// The engine knows instructions, exceptions and the count of retired instructions. It knows no time: its host
// says at which instruction count it wants to be called next, and converts counts into time. Counts depend on
// the program only, never on how often the host is called.
//
//   - A boundary is a point at which the host is called and interrupts are taken. There is one between any
//     two instructions.
//   - Loads, stores and fetches go to memory mapped with map_direct(). Other loads and stores go to the host
//     at once.
//   - Loads and stores to memory that is mapped as monitored are reported to the host at the next boundary,
//     in their order, and before a load or store that goes to the host. An atomic instruction stays atomic.
//   - A load or store that the host refuses raises SError. It is asynchronous: it is taken at the next
//     boundary at which PSTATE.A is clear. The load returns ones. Or, if so configured, a refused load is a
//     data abort (synchronous external abort), and its registers keep their values.
//   - A fetch that is answered neither by a direct mapping nor by IssHost::fetch() is an instruction abort
//     (synchronous external abort). The guest takes it with ELR = FAR = the address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/page_lines.h"
#include "base/units.h"
#include "core/cache_maintenance.h"
#include "core/core_counts.h"
#include "core/core_timing.h"
#include "core/flow_observer.h"
#include "core/guest_rules.h"
#include "core/line_filter.h"
#include "core/system_register.h"
#include "core/translation.h"

namespace asterism {

// Syndromes in the format of ESR_EL1 (Arm ARM DDI 0487, D17.2.37).
namespace esr {
inline constexpr std::uint64_t instruction_length = 1u << 25;
constexpr std::uint64_t exception_class(std::uint64_t esr) { return esr >> 26 & 0x3f; }
constexpr std::uint64_t make(unsigned ec, std::uint32_t iss) {
  return std::uint64_t{ec} << 26 | instruction_length | iss;
}
inline constexpr unsigned ec_unknown = 0x00, ec_fp_trap = 0x07, ec_svc = 0x15, ec_hvc = 0x16, ec_smc = 0x17;
inline constexpr unsigned ec_system_register = 0x18, ec_instruction_abort = 0x21, ec_data_abort = 0x25;
inline constexpr unsigned ec_serror = 0x2f, ec_brk = 0x3c;
inline constexpr unsigned ec_breakpoint_lower = 0x30, ec_step_lower = 0x32,
                          ec_watchpoint_lower = 0x34;              // EL0; EL1: + 1
inline constexpr std::uint32_t debug_exception = 0x22;             // DFSC, IFSC
inline constexpr std::uint32_t synchronous_external_abort = 0x10;  // DFSC, IFSC
inline constexpr std::uint32_t serror_bus_error = 0x11;            // DFSC: asynchronous SError interrupt
}  // namespace esr

// A load or store of monitored direct memory.
struct MonitoredAccess {
  Address address;
  unsigned size;
  bool is_store;
  // False: data caches must not hold it, because of its memory type, or because the MMU or the caches are
  // off.
  bool is_cached = true;
  bool operator==(const MonitoredAccess&) const = default;
};

// What the address of a load or store depends on, as far as it is known from the code. Registers of the
// engine have a bit each. A basic block ends, and begins, where branches of the same line of 64 bytes, and of
// those before and behind it, go.
struct AccessRegisters {
  std::uint64_t loaded = 0;      // those that depend on what it loads, at the end of its basic block
  std::uint64_t of_address = 0;  // at the begin of its basic block
  std::uint32_t of_loads = 0;    // bit i: the address also depends on the load i + 1 instructions before
  std::uint16_t before = 0;      // instructions between the begin of the basic block and this one
  std::uint32_t pace = 0;        // the mean time of its instructions, in thousandths of a cycle
  // Loads of the same line of data later in the basic block: how many instructions later.
  struct Companion {
    std::uint16_t after = 0;
    std::int16_t distance = 0;  // in bytes, from this access
    std::uint64_t loaded = 0;
  };
  // At most three; copied at each miss.
  struct Companions {
    std::array<Companion, 3> all{};
    std::size_t count = 0;
    bool is_full() const { return count == all.size(); }
    void add(const Companion& companion) { all[count++] = companion; }
    const Companion* begin() const { return all.data(); }
    const Companion* end() const { return all.data() + count; }
  };
  Companions companions{};
};

// A TLB that is modelled for its time; without entries, there is none.
struct TlbShape {
  std::uint32_t entries = 0, ways = 0;
};

// What the host's caches answer to an access of the engine.
struct CachedAccess {
  LinePermission filter{};
  bool has_traffic = false;  // the access has to be made known beyond the caches, or takes time
};

// What the engine calls while it runs. A call may take simulated time (wait() is allowed inside) and may call
// back every method of Iss except run(), reset() and start(). A C++ exception thrown here ends run(), which
// passes it on. run() may be called again afterwards: the instruction that made the call has not retired and
// is executed again.
class IssHost {
 public:
  virtual ~IssHost() = default;

  // An aligned access outside direct memory, of 1, 2, 4 or 8 bytes. The data are little-endian in the low
  // bytes of value. False: bus error.
  virtual bool load(Address address, unsigned size, std::uint64_t& value) = 0;
  virtual bool store(Address address, unsigned size, std::uint64_t value) = 0;
  // As load(), but of a descriptor of 8 bytes by a walk of the translation tables, which ends in an abort if
  // it is refused.
  virtual bool load_descriptor(Address address, std::uint64_t& value) { return load(address, 8, value); }

  // The engine is about to access an address that is not mapped. The host may call map_direct() for the
  // memory there. If it does not, a load or store is made as above.
  virtual void touch(Address address) = 0;

  // Fetches one instruction from an address that is not mapped. False: there is no memory, or a bus error.
  virtual bool fetch(Address /*address*/, std::uint32_t& /*word*/) { return false; }

  // Write protection (Iss::ask_before_stores()): a page is about to be stored to, first in line `line` of
  // its 64. The store takes effect when this returns. If the page was collected or unmapped meanwhile, this
  // is called again.
  virtual void about_to_store(Address /*page*/, unsigned /*line*/) {}

  // Accesses to direct memory that is mapped as monitored, except those below.
  virtual void on_monitored_accesses(std::span<const MonitoredAccess> accesses) = 0;

  // With Iss::use_caches(): an access to monitored memory that caches may hold, within one line. Takes no
  // simulated time. If there is traffic, carry_cache_traffic() is called at the next boundary, which is
  // before the instructions that are fetched.
  // `walks`: the TLB did not hold the translation (CacheUse::tlb).
  virtual CachedAccess access_caches(Address /*address*/, CacheAccess /*what*/, bool /*walks*/) { return {}; }
  virtual void carry_cache_traffic() {}
  // With filter checks (Iss::use_caches()): an access that was not reported, because of the filter.
  virtual void check_filtered(Address /*address*/, CacheAccess /*what*/) {}

  // DC operations, and DSB, which waits for them. Called only by an engine with data caches (a64::Options).
  virtual void maintain_caches(const CacheMaintenance& /*what*/) {}

  // Causality between cores: whether the next instruction has to wait until simulated time has caught up with
  // the core, because others may act before then. The instruction is a message to other cores (a
  // store-release, a store exclusive, an atomic, a barrier before stores), or it reads the register `read`.
  // If so, the engine calls wait_for_others() between the two instructions, then asks again. Not called while
  // set_alone() holds.
  virtual bool has_to_wait(std::optional<SystemRegister> /*read*/) { return false; }
  virtual void wait_for_others() {}

  // A load exclusive that repeats the one before has been executed: the core spins on a lock. Not called
  // while set_alone() holds.
  virtual void spins() {}

  // System registers that the host implements. nullopt or false: it does not, and the engine's own behaviour
  // applies. A debugger reads by peek_register(), which takes no time and has no side effects.
  virtual std::optional<std::uint64_t> read_register(SystemRegister which) = 0;
  virtual std::optional<std::uint64_t> peek_register(SystemRegister which) { return read_register(which); }
  virtual bool write_register(SystemRegister which, std::uint64_t value) = 0;

  // ---- for performance monitors ----

  virtual CoreCounts counts() { return {}; }
  // Whether counts() includes cache events and bus accesses.
  virtual bool counts_caches() const { return false; }
  // The instruction count at which so many cycles (CoreCounts::cycles) will have passed, if only instructions
  // take time.
  virtual std::uint64_t instructions_at(std::uint64_t /*cycles*/) { return ~std::uint64_t{0}; }
  // The level of the performance monitors' interrupt has changed. Called between two instructions.
  virtual void performance_interrupt(bool /*level*/) {}

  // The instruction count has reached call_at(). The host sets the next one.
  virtual void due() = 0;
  // WFE or YIELD was executed: the core has nothing useful to do until something changes.
  virtual void event_wait() = 0;
  // IC IVAU or IC IALLU was executed: other cores have to drop their decoded instructions. An empty range
  // means all.
  virtual void instructions_changed(AddressRange range) = 0;
  // A TLBI of the inner shareable domain was executed: other cores have to drop their translations.
  virtual void translations_changed() {}

  // The engine has found this instruction word UNDEFINED for the first time, and raises the exception. For a
  // log.
  virtual void undefined_instruction(std::uint32_t /*word*/, Address /*pc*/) {}

  // The program violates a rule (guest_rules.h). Called before the access, the change of SP, or the first
  // instruction of the page takes effect. If the host calls request_stop(), the instruction at a page's
  // beginning is not executed.
  virtual void found(const GuestFinding& /*finding*/) {}

  // The engine goes on as the interpreter does.
  virtual void translation_differs(const TranslationMismatch& /*mismatch*/) {}
};

// The registers that a debugger or an exception handler of the host can read and write.
enum class CoreRegister {
  // clang-format off
  x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21, x22, x23,
  x24, x25, x26, x27, x28, x29, x30,
  // clang-format on
  sp,
  pc,
  pstate,
  elr,
  spsr,
  esr,
  far,
  vbar,  // of EL1
};

// A fault that the guest has taken and has not returned from by ERET: a synchronous exception other than SVC,
// HVC and those of debugging, or an SError. Of faults within the handler of a fault only the first is kept,
// unless that was of EL0.
struct TakenFault {
  std::array<std::uint64_t, 31> x{};  // the registers when the exception was taken
  std::uint64_t sp = 0, pc = 0, pstate = 0;
  std::uint64_t syndrome = 0;                 // ESR_EL1
  std::optional<std::uint64_t> address = {};  // FAR_EL1, of an abort
  std::uint64_t instructions = 0;             // retired before
};

class DebugPort;

class Iss {
 public:
  // Why run() has returned.
  enum class Stop {
    requested,           // request_stop()
    wait_for_interrupt,  // WFI was executed; the next run() continues behind it
    hypervisor_call,     // HVC was executed; x0 to x3 hold the call; the next run() continues behind it
    semihosting_call,    // HLT #0xF000 was executed; w0 is the operation, x1 the parameter; as above
    locked_up,           // exceptions recur without a retired instruction; only reset() ends that
    breakpoint,          // debug_port.h
    watchpoint,
    stepped,
    reached,
  };

  virtual ~Iss() = default;

  // Architectural reset: EL1h, DAIF masked, MMU and FP off. A pending SError and a requested stop are
  // discarded. What the host has set is kept (the level of the IRQ input, call_at(), direct mappings), and so
  // is the instruction count.
  virtual void reset() = 0;
  virtual void start(Address entry, std::uint64_t x0) = 0;

  // Runs until one of the reasons above.
  virtual Stop run() = 0;
  // For host threads (a64/speculation.h). The host calls this from IssHost::due() when it is about to wait,
  // and when run() is sure to go on to at least the count `until` once due() returns: the engine may execute
  // up to there in another thread meanwhile. Nothing of that is seen before commit_speculation(), after which
  // instructions() may be as high as `until`. Any other call before it rolls the speculation back.
  virtual void allow_speculation(std::uint64_t until) = 0;
  virtual void commit_speculation() = 0;
  // Makes run() return at the next boundary. May be called at any time, also while run() waits in a call to
  // the host.
  virtual void request_stop() = 0;
  // Explains Stop::locked_up in words.
  virtual std::string why() const = 0;
  // nullopt: none since the start, or the guest has returned from it.
  virtual std::optional<TakenFault> fault() const = 0;

  // Instructions retired since the engine was made. An instruction that takes an exception does not retire,
  // except SVC, HVC and SMC. During a call to IssHost, the count excludes the instruction that makes the
  // call.
  virtual std::uint64_t instructions() const = 0;
  // The timing of instructions, if they do not all take the same time; nullptr: they do. What those executed
  // have taken, in thousandths of a cycle.
  virtual const CoreTiming* timing() const = 0;
  virtual std::uint64_t executed_time() const = 0;
  // Of the instruction that calls IssHost::access_caches(), if instructions have a timing.
  virtual AccessRegisters access_registers() = 0;
  // IssHost::due() is called at the boundary at which exactly this many instructions are retired.
  virtual void call_at(std::uint64_t instructions) = 0;
  // Whether nothing else in the simulation can act before the next call of due(), so that has_to_wait() need
  // not be called. True at first.
  virtual void set_alone(bool is_alone) = 0;

  // Sets the level of the IRQ input. An interrupt is taken at a boundary at which PSTATE.I is clear.
  virtual void set_irq(bool level) = 0;
  // Makes an SError pending, with its 25-bit ISS.
  virtual void raise_serror(std::uint32_t iss) = 0;
  virtual bool is_serror_pending() const = 0;

  // Maps memory that the engine accesses by itself: the bytes of `range` are at `host`, which stays valid
  // until unmap_direct() or the engine's destruction. Only whole 4 KiB pages inside the range are used. Takes
  // effect at once, also within a call to the host. `is_monitored`: every load and store is reported to the
  // host, which costs the speed of direct memory.
  virtual void map_direct(AddressRange range, std::uint8_t* host, bool is_monitored = false) = 0;
  // As map_direct(), but for loads and fetches only. Stores go to the host, which may change the bytes after
  // unmap_direct().
  virtual void map_read_only(AddressRange range, const std::uint8_t* host, bool is_monitored = false) = 0;
  virtual void unmap_direct(AddressRange range) = 0;

  // Memory was changed from outside the core: decoded instructions there are dropped at the next boundary.
  virtual void invalidate_code(AddressRange range) = 0;

  // Another core has changed the translation tables: cached translations are dropped before the next block
  // runs.
  virtual void invalidate_translations() = 0;

  // The lines of direct memory in `range` that this engine has stored to since the last call, by page in
  // ascending order. Stores are always tracked, at no cost: to begin an interval, call this and ignore the
  // result.
  virtual std::vector<PageLines> collect_writes(AddressRange range) = 0;

  // Write protection: in this range, IssHost::about_to_store() is called before the first store to a page of
  // direct memory since it was collected. For an atomic or exclusive instruction, it is called before the
  // load. An empty range ends the protection.
  virtual void ask_before_stores(AddressRange range) = 0;

  // From now on, loads and stores of monitored memory that data caches may hold are reported by
  // IssHost::access_caches(), except those that `filter` permits. If `fetches` is set, the fetches of lines
  // of such memory are, too, except of the last one used of each set. forget_fetched() names lines that are
  // not that any more; those that other fetches have replaced are known. If `checks` is set, all others are
  // reported to IssHost::check_filtered().
  struct CacheUse {
    bool fetches = false, checks = false;
    TlbShape tlb = {};  // for loads and stores
  };
  virtual void use_caches(LineFilter& filter, CacheUse use) = 0;
  virtual void forget_fetched(AddressRange range) = 0;

  // Reports the flow of control to an observer, which outlives the engine; nullptr ends that. Takes effect at
  // once if run() is not in progress. Without an observer there is no cost.
  virtual void follow(FlowObserver* observer, FlowQuestion question = {}) = 0;

  virtual DebugPort& debug_port() = 0;

  virtual TranslationCounts translation() const = 0;

  // Not while run() is in progress, except in a call to the host, where only x0 to x30, sp and pc are up to
  // date. In a call by an instruction, pc is its address; otherwise it is that of the next one.
  virtual std::uint64_t read(CoreRegister which) const = 0;
  virtual void write(CoreRegister which, std::uint64_t value) = 0;
};

}  // namespace asterism
