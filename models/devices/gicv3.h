// The interrupt logic of a GICv3 (Arm IHI 0069H) with up to 988 SPIs and up to 576 cores: distributor, a
// redistributor per core and the CPU interfaces behind ICC_* system registers, without SystemC and without
// time.
//
// The behaviour is that of QEMU's virt machine with gic-version=3 and without the security extensions: one
// security state (GICD_CTLR.DS) with affinity routing always on, groups 0 (FIQ) and 1 (IRQ), system registers
// always enabled (ICC_SRE_EL1). Ids 0-15 are software-generated (SGI), 16-31 private to a core (PPI), those
// from 32 on shared (SPI), each routed to the one core that GICD_IROUTER names by its affinity
// (base/affinity.h). An SGI is sent by a write of ICC_SGI1R_EL1 to up to 16 cores of a cluster, or to all
// others. There are five bits of priority (32 levels); the lowest value wins, then the lowest id. An
// interrupt is signalled to a core if its group is enabled in distributor and CPU interface, its priority
// value is below the mask and its group priority below the running one; as in QEMU, this holds even if
// firmware has not woken the redistributor (GICR_WAKER).
//
// Functions of distributor and redistributors work on words as their registers do. A value out of range is a
// mistake of the guest and has no effect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"

namespace asterism {

class GicV3 {
 public:
  static constexpr unsigned max_cores = 576, max_spis = 988, first_ppi = 16, first_spi = 32;
  static constexpr std::uint32_t spurious = 1023;

  // ICC_* by its encoding in MRS and MSR: op0, op1, CRn, CRm, op2 in 16 bits, in the order of the
  // instruction.
  enum class CpuRegister : std::uint16_t {
    pmr = 0xc230,
    iar0 = 0xc640,
    eoir0 = 0xc641,
    hppir0 = 0xc642,
    bpr0 = 0xc643,
    ap0r0 = 0xc644,
    ap1r0 = 0xc648,
    dir = 0xc659,
    rpr = 0xc65b,
    sgi1r = 0xc65d,
    asgi1r = 0xc65e,
    sgi0r = 0xc65f,
    iar1 = 0xc660,
    eoir1 = 0xc661,
    hppir1 = 0xc662,
    bpr1 = 0xc663,
    ctlr = 0xc664,
    sre = 0xc665,
    igrpen0 = 0xc666,
    igrpen1 = 0xc667,
  };

  // Throws std::invalid_argument unless 1 <= cores <= 576 and 1 <= spis <= 988.
  explicit GicV3(unsigned cores, unsigned spis = 32);
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  unsigned interrupts() const { return first_spi + spis_; }

  // All registers and pending states take their reset values on every kind of reset. The lines are wires and
  // keep their levels.
  void reset(Reset);
  void report(Statistics&) const;

  // Input wires: the level of an SPI by its id, from 32 on, or of a PPI, 16 to 31, of a core.
  void set_spi(unsigned id, bool high);
  void set_ppi(unsigned core, unsigned id, bool high);
  enum class Signal { none, irq, fiq };
  Signal signal(unsigned core) const;
  // Why no interrupt whatever is signalled to a core as IRQ: a clause; "" if there is no such reason.
  std::string_view why_no_irq(unsigned core) const;

  // The cores that a change may have affected: the owner of their wires updates these.
  struct Reached {
    bool all = false;
    std::vector<unsigned> cores = {};
  };

  // The distributor: GICD_*.
  std::uint32_t control() const { return control_ | affinity_routing | one_security_state; }
  void set_control(std::uint32_t value) { control_ = value & 3; }
  static constexpr std::uint32_t affinity_routing = 1 << 4, one_security_state = 1 << 6;
  // The route of an SPI: an affinity as in GICD_IROUTER.
  std::uint64_t route(unsigned id) const { return routes_[id - first_spi]; }
  void set_route(unsigned id, std::uint64_t affinity);

  // Registers with a bit, a byte or two bits per interrupt: of SPIs or, in a redistributor, of its core's
  // SGIs and PPIs.
  class Bank {
   public:
    std::uint32_t group = 0, enabled = 0, active = 0;
    std::uint32_t lines = 0, latched = 0, edge = 0;  // latched: pending independently of a level line
    std::array<std::uint8_t, 32> priority = {};

    std::uint32_t pending() const { return latched | (lines & ~edge); }
    void set_line(unsigned bit, bool high);
    // Four interrupts per word; five bits of a byte are implemented.
    std::uint32_t priorities(unsigned word) const;
    void set_priorities(unsigned word, std::uint32_t value);
    // Sixteen interrupts per word, two bits each; the upper bit means edge-triggered.
    std::uint32_t config(unsigned word) const;
    void set_config(unsigned word, std::uint32_t value);
  };
  // Of the SPIs with ids from 32 * word on; nullptr if there are none.
  Bank* shared(unsigned word) { return word > 0 && word <= shared_.size() ? &shared_[word - 1] : nullptr; }
  Bank& redistributor(unsigned core) { return cores_[core].bank; }
  const Bank& redistributor(unsigned core) const { return cores_[core].bank; }
  // GICR_WAKER.ProcessorSleep, which ChildrenAsleep follows.
  bool asleep(unsigned core) const { return cores_[core].asleep; }
  void set_asleep(unsigned core, bool asleep) { cores_[core].asleep = asleep; }

  // The CPU interface of a core. `read` has the side effects of the register (ICC_IAR*); `peek` never has
  // any. nullopt: the register is not readable.
  std::optional<std::uint64_t> peek(unsigned core, CpuRegister which) const;
  std::optional<std::uint64_t> read(unsigned core, CpuRegister which);
  // `reached` receives the cores to update afterwards; the writing core is always among them. Returns false
  // if the register is not writable.
  bool write(unsigned core, CpuRegister which, std::uint64_t value, Reached& reached);

 private:
  enum Group : unsigned { group0, group1 };
  struct Core {
    Bank bank;
    bool asleep = true;
    std::array<std::uint32_t, (max_spis + 31) / 32> routed = {};  // the SPIs routed to this core
    // The CPU interface. binary_point: the group priority is bits 7 .. n + 1 for group 0, 7 .. n for group 1.
    std::uint32_t mask = 0, control = 0;
    bool group_enabled[2] = {};
    std::uint32_t binary_point[2] = {2, 3};
    std::uint32_t active_priorities[2] = {};  // a bit for each group priority at which an interrupt is active
    std::uint64_t acknowledged = 0, spurious_reads = 0, sent = 0;  // since construction
  };
  struct Candidate {
    std::uint32_t id = spurious;
    std::uint32_t priority = 0x100;
    Group group = group0;
  };
  // The most urgent pending interrupt of the enabled groups.
  Candidate best(const Core& core) const;
  std::uint32_t group_priority(const Core& core, const Candidate& candidate) const;
  bool preempts(const Core& core, const Candidate& candidate) const;
  std::uint32_t next_acknowledged(const Core& core, Group group) const;
  std::uint32_t acknowledge(Core& core, Group group);
  void end(Core& core, std::uint32_t id, Group group, Reached& reached);
  void deactivate(Core& core, std::uint32_t id, Reached& reached);
  void send(unsigned from, std::uint64_t request, Group group, Reached& reached);

  unsigned spis_;
  std::uint32_t control_ = 0;
  std::vector<Bank> shared_;  // by id / 32 - 1
  std::vector<std::uint64_t> routes_;
  std::vector<Core> cores_;
};

}  // namespace asterism
