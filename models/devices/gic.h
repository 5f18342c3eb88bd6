// The interrupt logic of a GIC-400 (GICv2, IHI 0048B) with up to 480 SPIs and up to eight cores: distributor
// and CPU interfaces, without SystemC and without time.
//
// Ids 0-15 are software-generated (SGI) and 16-31 private to a core (PPI), both banked; from 32 on they are
// shared (SPI), each for any of its target cores, and taken by the first core that acknowledges it. The
// lowest priority value wins, then the lowest id. An interrupt is signalled to a core if its priority value
// is below the core's mask and below its running priority.
//
// The behaviour is that of QEMU's virt machine without the security extensions: both groups in one view,
// group 1 acknowledged through IAR only with CTLR.AckCtl (else 1022), eight bits of priority, SGIs always
// enabled and edge-triggered, PPIs configurable, ITARGETSR zero with one core. Unlike in QEMU, an interrupt
// of a disabled group never hides another.
//
// Functions of the distributor work on words as its registers do: `word` 0 is the calling core's own. A value
// out of range is a mistake of the guest and has no effect.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/reset.h"
#include "base/statistics.h"

namespace asterism {

class Gic {
 public:
  static constexpr unsigned max_cores = 8, max_spis = 480, first_ppi = 16, first_spi = 32;
  static constexpr std::uint32_t other_group = 1022, spurious = 1023;

  // Throws std::invalid_argument unless 1 <= cores <= 8, and spis is a multiple of 32 up to 480.
  explicit Gic(unsigned cores, unsigned spis = 32);
  unsigned cores() const { return cores_; }
  unsigned interrupts() const { return first_spi + spis_; }

  // All registers and pending states take their reset values on every kind of reset. The lines are wires and
  // keep their levels.
  void reset(Reset);
  void report(Statistics&) const;

  // Input wires: a level for an id from 16 on; `core` matters only for a PPI. Output wires.
  void set_line(unsigned id, bool high, unsigned core = 0);
  enum class Signal { none, irq, fiq };
  Signal signal(unsigned core) const;
  bool irq(unsigned core) const { return signal(core) == Signal::irq; }
  bool fiq(unsigned core) const { return signal(core) == Signal::fiq; }
  // Why no interrupt whatever is signalled to a core as IRQ: a clause; "" if there is no such reason.
  std::string_view why_no_irq(unsigned core) const;

  // The distributor.
  std::uint32_t control() const { return control_; }
  void set_control(std::uint32_t value) { control_ = value & 3; }
  std::uint32_t type() const { return (interrupts() / 32 - 1) | (cores_ - 1) << 5; }
  std::uint32_t group(unsigned word, unsigned core) const { return group_.word(word, core); }
  void set_group(unsigned word, std::uint32_t value, unsigned core) { group_.word(word, core) = value; }
  std::uint32_t enabled(unsigned word, unsigned core) const { return enabled_.word(word, core); }
  void set_enabled(unsigned word, std::uint32_t ones, unsigned core);
  void clear_enabled(unsigned word, std::uint32_t ones, unsigned core);
  std::uint32_t pending(unsigned word, unsigned core) const;
  void set_pending(unsigned word, std::uint32_t ones, unsigned core);
  void clear_pending(unsigned word, std::uint32_t ones, unsigned core);
  std::uint32_t active(unsigned word, unsigned core) const { return active_.word(word, core); }
  void set_active(unsigned word, std::uint32_t ones, unsigned core) { active_.word(word, core) |= ones; }
  void clear_active(unsigned word, std::uint32_t ones, unsigned core) { active_.word(word, core) &= ~ones; }
  std::uint32_t lines(unsigned word, unsigned core) const { return lines_.word(word, core); }
  // Four interrupts per word.
  std::uint32_t priorities(unsigned word, unsigned core) const;
  void set_priorities(unsigned word, std::uint32_t value, unsigned core);
  std::uint32_t targets(unsigned word, unsigned core) const;
  void set_targets(unsigned word, std::uint32_t value, unsigned core);
  // Sixteen interrupts per word, two bits each; the upper bit means edge-triggered.
  std::uint32_t config(unsigned word, unsigned core) const;
  void set_config(unsigned word, std::uint32_t value, unsigned core);
  // SGIs: sent by GICD_SGIR. Pending SGIs: four SGIs per word, with a bit for each source core.
  void send_sgi(std::uint32_t request, unsigned core);
  std::uint32_t sgi_sources(unsigned word, unsigned core) const;
  void set_sgi_sources(unsigned word, std::uint32_t ones, unsigned core);
  void clear_sgi_sources(unsigned word, std::uint32_t ones, unsigned core);

  // The CPU interface of a core. `Alias` selects the register set for group 1 alone (AIAR, AEOIR, AHPPIR).
  enum class Alias { no, yes };
  struct CpuInterface {
    std::uint32_t control = 0;        // see the constants below
    std::uint32_t priority_mask = 0;  // only interrupts with a lower value are signalled
    std::uint32_t binary_point = 0;   // group priority: bits 7 .. binary_point + 1
    std::uint32_t aliased_binary_point = 1;
    // A bit for each group priority (in steps of two) at which an interrupt is active, by group.
    std::array<std::uint32_t, 4> active_priorities[2] = {};
    std::uint64_t acknowledged = 0, spurious_reads = 0;  // counted since construction
  };
  static constexpr std::uint32_t enable_group0 = 1 << 0, enable_group1 = 1 << 1, acknowledge_control = 1 << 2,
                                 fiq_enable = 1 << 3, common_binary_point = 1 << 4, split_eoi = 1 << 9;

  const CpuInterface& cpu(unsigned core) const { return cpus_[core]; }
  void set_cpu_control(std::uint32_t value, unsigned core);
  void set_priority_mask(std::uint32_t value, unsigned core) { cpus_[core].priority_mask = value & 0xFF; }
  void set_binary_point(std::uint32_t value, unsigned core) { cpus_[core].binary_point = value & 7; }
  void set_aliased_binary_point(std::uint32_t value, unsigned core);
  void set_active_priorities(unsigned group, unsigned word, std::uint32_t value, unsigned core);
  // Acknowledges an interrupt, which becomes active. Returns its id (of an SGI with its source core in bits
  // 12:10), or 1022 or 1023 if there is none.
  std::uint32_t acknowledge(unsigned core, Alias = Alias::no);
  // What acknowledge() would return now.
  std::uint32_t next_acknowledged(unsigned core, Alias = Alias::no) const;
  // The same, ignoring the running priority.
  std::uint32_t highest_pending(unsigned core, Alias = Alias::no) const;
  // Drops the running priority and, unless CTLR.EOImode separates the two, ends the active state.
  void end_of_interrupt(std::uint32_t value, unsigned core, Alias = Alias::no);
  // Ends the active state; only with CTLR.EOImode.
  void deactivate(std::uint32_t value, unsigned core);
  // The group priority of the most urgent active interrupt; 0x100 if there is none (RPR then reads 0xFF).
  std::uint32_t running_priority(unsigned core) const;

 private:
  static constexpr unsigned max_shared_words = max_spis / 32;
  // One bit per interrupt.
  struct Bits {
    std::array<std::uint32_t, max_cores> banked = {};
    std::array<std::uint32_t, max_shared_words> shared = {};
    std::uint32_t& word(unsigned w, unsigned core) { return w ? shared[w - 1] : banked[core]; }
    std::uint32_t word(unsigned w, unsigned core) const { return w ? shared[w - 1] : banked[core]; }
    bool test(unsigned id, unsigned core) const { return word(id / 32, core) >> id % 32 & 1; }
    void set(unsigned id, unsigned core, bool value);
  };
  std::uint32_t best(unsigned core) const;  // the most urgent candidate below the mask, or spurious
  std::uint32_t candidates(unsigned word, unsigned core, std::uint32_t groups) const;
  std::uint8_t& priority(unsigned id, unsigned core) {
    return id < 32 ? banked_[core][id] : shared_[id - 32];
  }
  std::uint8_t priority(unsigned id, unsigned core) const {
    return id < 32 ? banked_[core][id] : shared_[id - 32];
  }
  std::uint32_t group_priority(unsigned id, unsigned core) const;
  bool group1(std::uint32_t id, unsigned core) const { return group_.test(id, core); }
  void pend_sgi(unsigned id, unsigned from, unsigned to);
  void take_sgi(unsigned id, unsigned core);

  unsigned cores_, spis_;
  std::uint32_t control_ = 0;
  Bits lines_, latched_, enabled_, active_, group_, edge_;  // latched_: pending independently of a level line
  std::array<std::array<std::uint8_t, 32>, max_cores> banked_ = {};  // priorities
  std::array<std::uint8_t, max_spis> shared_ = {};
  std::array<std::array<std::uint32_t, max_shared_words>, max_cores> routed_ = {};  // SPIs for this core
  std::array<std::array<std::uint8_t, 16>, max_cores> sgi_sources_ = {};
  std::array<CpuInterface, max_cores> cpus_ = {};
};

}  // namespace asterism
