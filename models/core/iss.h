// An instruction-set simulator of one A64 core, and what it asks of its surroundings.
//
// Plain C++. The one engine is the native one (a64/native_iss.h).
//
// The engine knows instructions, exceptions and the count of retired instructions. It knows no time: its host
// says at which instruction count it wants to be called next and turns counts into time. Counts depend on the
// program only, never on how often the host is called.
//
// Where things happen:
//
//   - A boundary is where the host is called and interrupts are taken. There is one between any two instructions.
//   - Loads, stores and fetches go to memory mapped with map_direct(); other loads and stores to the host, at once.
//   - Loads and stores to memory that is mapped as shown are told to the host at the next boundary, in their order, and
//     before a load or store that goes to the host. An atomic instruction stays atomic.
//   - A load or store that the host refuses raises SError: asynchronous, taken at the next boundary at which PSTATE.A
//     is clear. The load returns ones.
//   - A fetch that neither a direct mapping nor IssHost::fetch() serves is an instruction abort (synchronous external
//     abort), taken by the guest with ELR = FAR = the address.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/units.h"
#include "base/write_observer.h"
#include "core/cache_maintenance.h"
#include "core/core_counts.h"
#include "core/flow_observer.h"
#include "core/system_register.h"

namespace asterism {

// Syndromes as they stand in ESR_EL1 (Arm ARM DDI 0487, D17.2.37).
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

// A load or store that direct memory has served.
struct ShownAccess {
  Address address;
  unsigned size;
  bool is_store;
  bool is_cached =
      true;  // false: its memory type, or the MMU or the caches being off, keeps it out of data caches
  bool operator==(const ShownAccess&) const = default;
};

// What the engine asks while it runs. A call may take simulated time (wait() inside is allowed) and may call
// back every method of Iss but run(), reset() and start(). A C++ exception thrown here ends run(), which
// throws it on; in the native engine run() may then go on: an instruction that called has not retired and is executed
// again.
class IssHost {
 public:
  virtual ~IssHost() = default;

  // An access outside direct memory; size is 1, 2, 4 or 8 bytes, aligned, the data little-endian in the low
  // bytes of value. False: bus error.
  virtual bool load(Address address, unsigned size, std::uint64_t& value) = 0;
  virtual bool store(Address address, unsigned size, std::uint64_t value) = 0;

  // The engine is about to touch an address that is not mapped. The host may map_direct() the memory there;
  // if it does not, a load or store comes to it as above.
  virtual void touch(Address address) = 0;

  // One instruction from an address that is not mapped, where it is memory nevertheless. False: it is none, or a bus error.
  virtual bool fetch(Address /*address*/, std::uint32_t& /*word*/) { return false; }

  // Iss::guard_writes(): a page is about to be stored to, at first in line `line` of its 64. The store takes effect when this
  // returns, unless the page was collected or unmapped meanwhile.
  virtual void about_to_store(Address /*page*/, unsigned /*line*/) {}

  // Accesses to direct memory that is mapped as shown.
  virtual void shown(std::span<const ShownAccess> accesses) = 0;

  // DC operations, and DSB, which waits for them. Only of an engine that knows of data caches (a64::Options).
  virtual void maintain_caches(const CacheMaintenance& /*what*/) {}

  // Order of time between cores: whether the next instruction has to wait until simulated time has caught up with the core,
  // since others may do something before that. It is a message to other cores (a store that releases, a store exclusive, an
  // atomic, a barrier before stores), or it reads `read`. When it has to, the engine calls wait_for_others() between the
  // instructions, and asks again. Not asked while set_alone() holds.
  virtual bool has_to_wait(std::optional<SystemRegister> /*read*/) { return false; }
  virtual void wait_for_others() {}

  // A load exclusive that repeats another one has been executed: the core spins on a lock. Not while
  // set_alone() holds.
  virtual void spins() {}

  // System registers that the host owns; nullopt or false: the engine's own meaning holds. To peek is a debugger's way to
  // read, which takes no time.
  virtual std::optional<std::uint64_t> read_register(SystemRegister which) = 0;
  virtual std::optional<std::uint64_t> peek_register(SystemRegister which) { return read_register(which); }
  virtual bool write_register(SystemRegister which, std::uint64_t value) = 0;

  // ---- for performance monitors ----

  // Up to now.
  virtual CoreCounts counts() { return {}; }
  // Whether the host counts what caches do, and accesses to the bus.
  virtual bool counts_caches() const { return false; }
  // The count of instructions behind which so many cycles (CoreCounts::cycles) have ended, if nothing but instructions takes time.
  virtual std::uint64_t instructions_at(std::uint64_t /*cycles*/) { return ~std::uint64_t{0}; }
  // The level of the monitors' interrupt has changed. Called between two instructions.
  virtual void performance_interrupt(bool /*level*/) {}

  // The instruction count has reached call_at(): the host sets the next one.
  virtual void due() = 0;
  // WFE or YIELD was executed: nothing useful happens until something changes.
  virtual void event_wait() = 0;
  // IC IVAU, IC IALLU: other cores drop what they have decoded. An empty range means all.
  virtual void instructions_changed(AddressRange range) = 0;
  // TLBI of the inner shareable domain: other cores drop their translations.
  virtual void translations_changed() {}

  // The first time that the engine finds an instruction UNDEFINED, which the guest is told as such: for a log.
  virtual void undefined_instruction(std::uint32_t /*word*/, Address /*pc*/) {}
};

// What a debugger or an exception handler of the host may see and set.
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

class DebugPort;

class Iss {
 public:
  // Why run() came back.
  enum class Stop {
    requested,           // request_stop()
    wait_for_interrupt,  // WFI was executed; run() again goes on behind it
    hypervisor_call,     // HVC was executed: x0.. hold the call; run() again goes on behind it
    semihosting_call,    // HLT #0xF000 was executed: w0 the operation, x1 the parameter; run() again goes on
    locked_up,           // exceptions recur without retiring an instruction: only reset() helps
    breakpoint,          // debug_port.h
    watchpoint,
    stepped,
  };

  virtual ~Iss() = default;

  // Architectural reset: EL1h, DAIF masked, MMU and FP off; a pending SError and a requested stop are dropped. What the
  // host has set is kept: the level of the IRQ input, call_at(), direct mappings; so is the instruction count.
  virtual void reset() = 0;
  virtual void start(Address entry, std::uint64_t x0) = 0;

  // Runs until something stops it.
  virtual Stop run() = 0;
  // For host threads (a64/speculation.h). The host calls this from IssHost::due() when it is about to wait, and when run() is sure
  // to go on to at least the count `until` once due() returns: the engine may execute up to there in another thread meanwhile.
  // Nothing of that is seen before commit_speculation(), after which instructions() may be as high as `until`. Any other call
  // before it rolls the speculation back.
  virtual void allow_speculation(std::uint64_t until) = 0;
  virtual void commit_speculation() = 0;
  // From anywhere, also while run() waits in a call to the host: run() returns at the next boundary.
  virtual void request_stop() = 0;
  // Words for Stop::locked_up.
  virtual std::string why() const = 0;

  // Instructions retired since the engine was made. An instruction that takes an exception (other than SVC,
  // HVC, SMC) does not retire. During a call from IssHost: those before the instruction that calls.
  virtual std::uint64_t instructions() const = 0;
  // The host's due() is called at the boundary at which exactly this many are retired.
  virtual void call_at(std::uint64_t instructions) = 0;
  // Whether nobody else does anything before due() is called next, so that has_to_wait() need not be asked. True at first.
  virtual void set_alone(bool is_alone) = 0;

  // Level of the IRQ input; an interrupt is taken at a boundary at which PSTATE.I is clear.
  virtual void set_irq(bool level) = 0;
  // Makes an SError pending, with its 25-bit ISS.
  virtual void raise_serror(std::uint32_t iss) = 0;

  // Memory that the engine accesses by itself: the bytes of `range` stand at `host`, which stays valid until
  // unmap_direct() covers it or the engine ends. Only whole 4 KiB pages inside the range are used. Effective
  // at once, also from within a call to the host. `is_shown`: the host is told of every load and store, which costs
  // the speed of direct memory; all that was mapped before is slower, too.
  virtual void map_direct(AddressRange range, std::uint8_t* host, bool is_shown = false) = 0;
  // As map_direct(), for loads and fetches alone: stores there go to the host, which may change the bytes once it has taken the
  // mapping back.
  virtual void map_read_only(AddressRange range, const std::uint8_t* host, bool is_shown = false) = 0;
  virtual void unmap_direct(AddressRange range) = 0;

  // Memory was changed by somebody else: decoded instructions there are dropped at the next boundary.
  virtual void invalidate_code(AddressRange range) = 0;

  // Another core changed the translation tables: what was cached of them is dropped before the next block runs.
  virtual void invalidate_translations() = 0;

  // Tells the lines of direct memory in `range` that this engine has stored to since the last call, and forgets them.
  // Recorded always, at no cost: an interval begins with a call whose answer is thrown away.
  virtual void collect_writes(AddressRange range, WriteObserver& observer) = 0;

  // In this range the host is asked before a page of direct memory is stored to for the first time since it was collected
  // (IssHost::about_to_store); an atomic or exclusive instruction asks before it loads. An empty range asks for nothing.
  virtual void guard_writes(AddressRange range) = 0;

  // Tells an observer where control goes from now on, at once where run() is not under way; nullptr: no longer. It outlives
  // the engine. Nothing is slower while nobody follows.
  virtual void follow(FlowObserver* observer, FlowQuestion question = {}) = 0;

  virtual DebugPort& debug_port() = 0;

  // Not while run() is under way, except from a call to the host, where only x0-x30 and sp are up to date.
  virtual std::uint64_t read(CoreRegister which) const = 0;
  virtual void write(CoreRegister which, std::uint64_t value) = 0;
};

}  // namespace asterism
