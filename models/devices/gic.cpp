#include "devices/gic.h"

#include <bit>
#include <stdexcept>
#include <string>

namespace asterism {
namespace {

constexpr std::uint32_t sgi_mask = 0xFFFF;
constexpr std::uint32_t idle_priority = 0x100;

template <class Bytes>
std::uint32_t pack(const Bytes& byte_of) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{byte_of(i)} << 8 * i;
  return value;
}

}  // namespace

void Gic::Bits::set(unsigned id, unsigned core, bool value) {
  std::uint32_t& bits = word(id / 32, core);
  bits = (bits & ~(1u << id % 32)) | std::uint32_t{value} << id % 32;
}

Gic::Gic(unsigned cores, unsigned spis) : cores_(cores), spis_(spis) {
  if (cores < 1 || cores > max_cores)
    throw std::invalid_argument("a GIC-400 has 1 to 8 cores, not " + std::to_string(cores));
  if (spis < 32 || spis > max_spis || spis % 32 != 0)
    throw std::invalid_argument("a GIC-400 has 32, 64, ... 480 SPIs, not " + std::to_string(spis));
  reset(Reset::cold);
}

void Gic::reset(Reset) {
  control_ = 0;
  latched_ = enabled_ = active_ = group_ = edge_ = Bits{};
  enabled_.banked.fill(sgi_mask);
  edge_.banked.fill(sgi_mask);
  banked_ = {};
  shared_ = {};
  for (auto& words : routed_) words.fill(cores_ == 1 ? ~0u : 0u);
  sgi_sources_ = {};
  for (CpuInterface& cpu : cpus_) {
    const CpuInterface counts = cpu;
    cpu = CpuInterface{};
    cpu.acknowledged = counts.acknowledged;
    cpu.spurious_reads = counts.spurious_reads;
  }
}

void Gic::report(Statistics& statistics) const {
  for (unsigned core = 0; core < cores_; ++core) {
    Statistics& group = statistics.group("core" + std::to_string(core));
    group.add("acknowledged", cpus_[core].acknowledged);
    group.add("spurious", cpus_[core].spurious_reads);
  }
}

void Gic::set_line(unsigned id, bool high, unsigned core) {
  if (id < first_ppi || id >= interrupts() || core >= cores_) return;
  if (high && !lines_.test(id, core) && edge_.test(id, core)) latched_.set(id, core, true);
  lines_.set(id, core, high);
}

void Gic::set_enabled(unsigned word, std::uint32_t ones, unsigned core) { enabled_.word(word, core) |= ones; }
void Gic::clear_enabled(unsigned word, std::uint32_t ones, unsigned core) {
  enabled_.word(word, core) &= ~(word == 0 ? ones & ~sgi_mask : ones);
}

std::uint32_t Gic::pending(unsigned word, unsigned core) const {
  return latched_.word(word, core) | (lines_.word(word, core) & ~edge_.word(word, core));
}
void Gic::set_pending(unsigned word, std::uint32_t ones, unsigned core) {
  latched_.word(word, core) |= word == 0 ? ones & ~sgi_mask : ones;
}
void Gic::clear_pending(unsigned word, std::uint32_t ones, unsigned core) {
  latched_.word(word, core) &= ~(word == 0 ? ones & ~sgi_mask : ones);
}

std::uint32_t Gic::priorities(unsigned word, unsigned core) const {
  return pack([&](unsigned i) { return priority(4 * word + i, core); });
}
void Gic::set_priorities(unsigned word, std::uint32_t value, unsigned core) {
  for (unsigned i = 0; i < 4; ++i) priority(4 * word + i, core) = static_cast<std::uint8_t>(value >> 8 * i);
}

std::uint32_t Gic::targets(unsigned word, unsigned core) const {
  if (cores_ == 1) return 0;
  if (word < first_spi / 4) return 0x01010101u << core;
  return pack([&](unsigned i) {
    const unsigned spi = 4 * word + i - first_spi;
    std::uint8_t targets = 0;
    for (unsigned c = 0; c < cores_; ++c)
      targets |= static_cast<std::uint8_t>((routed_[c][spi / 32] >> spi % 32 & 1) << c);
    return targets;
  });
}
void Gic::set_targets(unsigned word, std::uint32_t value, unsigned) {
  if (cores_ == 1 || word < first_spi / 4) return;
  for (unsigned c = 0; c < cores_; ++c)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned spi = 4 * word + i - first_spi;
      std::uint32_t& routed = routed_[c][spi / 32];
      const std::uint32_t bit = 1u << spi % 32;
      routed = value >> (8 * i + c) & 1 ? routed | bit : routed & ~bit;
    }
}

std::uint32_t Gic::config(unsigned word, unsigned core) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 16; ++i) value |= std::uint32_t{edge_.test(16 * word + i, core)} << (2 * i + 1);
  return value;
}
void Gic::set_config(unsigned word, std::uint32_t value, unsigned core) {
  if (word == 0) return;
  for (unsigned i = 0; i < 16; ++i) edge_.set(16 * word + i, core, value >> (2 * i + 1) & 1);
}

void Gic::send_sgi(std::uint32_t request, unsigned core) {
  enum Filter { listed, all_others, self, reserved };
  const auto filter = static_cast<Filter>(request >> 24 & 3);
  const std::uint32_t listed_cores[] = {request >> 16 & 0xFF, ~(1u << core), 1u << core, 0};
  for (unsigned to = 0; to < cores_; ++to)
    if (listed_cores[filter] >> to & 1) pend_sgi(request & 0xF, core, to);
}
void Gic::pend_sgi(unsigned id, unsigned from, unsigned to) {
  sgi_sources_[to][id] |= static_cast<std::uint8_t>(1u << from);
  latched_.set(id, to, true);
}
std::uint32_t Gic::sgi_sources(unsigned word, unsigned core) const {
  return pack([&](unsigned i) { return sgi_sources_[core][4 * word + i]; });
}
void Gic::set_sgi_sources(unsigned word, std::uint32_t ones, unsigned core) {
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned from = 0; from < cores_; ++from)
      if (ones >> (8 * i + from) & 1) pend_sgi(4 * word + i, from, core);
}
void Gic::clear_sgi_sources(unsigned word, std::uint32_t ones, unsigned core) {
  for (unsigned i = 0; i < 4; ++i) {
    std::uint8_t& sources = sgi_sources_[core][4 * word + i];
    sources &= static_cast<std::uint8_t>(~(ones >> 8 * i));
    if (!sources) latched_.set(4 * word + i, core, false);
  }
}
// The SGI of the lowest source core is no longer pending.
void Gic::take_sgi(unsigned id, unsigned core) {
  std::uint8_t& sources = sgi_sources_[core][id];
  sources &= static_cast<std::uint8_t>(sources - 1);
  if (!sources) latched_.set(id, core, false);
}

void Gic::set_cpu_control(std::uint32_t value, unsigned core) {
  cpus_[core].control = value & (enable_group0 | enable_group1 | acknowledge_control | fiq_enable |
                                 common_binary_point | split_eoi);
}
void Gic::set_aliased_binary_point(std::uint32_t value, unsigned core) {
  cpus_[core].aliased_binary_point = (value & 7) ? value & 7 : 1;
}
void Gic::set_active_priorities(unsigned group, unsigned word, std::uint32_t value, unsigned core) {
  cpus_[core].active_priorities[group][word] = value;
}

std::uint32_t Gic::running_priority(unsigned core) const {
  const auto& active = cpus_[core].active_priorities;
  for (unsigned word = 0; word < 4; ++word)
    if (const std::uint32_t bits = active[0][word] | active[1][word])
      return (32 * word + static_cast<std::uint32_t>(std::countr_zero(bits))) << 1;
  return idle_priority;
}

std::uint32_t Gic::group_priority(unsigned id, unsigned core) const {
  const CpuInterface& cpu = cpus_[core];
  const bool aliased = group1(id, core) && !(cpu.control & common_binary_point);
  const std::uint32_t point = aliased ? cpu.aliased_binary_point - 1 : cpu.binary_point;
  return priority(id, core) & ~0u << (point + 1);
}

// The interrupts of a word that are enabled, pending, not active, targeted at this core, and of one of the
// groups.
std::uint32_t Gic::candidates(unsigned word, unsigned core, std::uint32_t groups) const {
  std::uint32_t ids = pending(word, core) & enabled_.word(word, core) & ~active_.word(word, core);
  if (word > 0) ids &= routed_[core][word - 1];
  if (!(groups & enable_group0)) ids &= group_.word(word, core);
  if (!(groups & enable_group1)) ids &= ~group_.word(word, core);
  return ids;
}

// Of the groups that both distributor and core enable.
std::uint32_t Gic::best(unsigned core) const {
  const std::uint32_t groups = control_ & cpus_[core].control & (enable_group0 | enable_group1);
  std::uint32_t chosen = spurious, lowest = cpus_[core].priority_mask;
  for (unsigned word = 0; groups != 0 && word < interrupts() / 32; ++word)
    for (std::uint32_t ids = candidates(word, core, groups); ids; ids &= ids - 1) {
      const std::uint32_t id = 32 * word + static_cast<std::uint32_t>(std::countr_zero(ids));
      if (priority(id, core) >= lowest) continue;
      lowest = priority(id, core);
      chosen = id;
    }
  return chosen;
}

Gic::Signal Gic::signal(unsigned core) const {
  const std::uint32_t id = best(core);
  if (id == spurious || priority(id, core) >= running_priority(core)) return Signal::none;
  return !group1(id, core) && (cpus_[core].control & fiq_enable) ? Signal::fiq : Signal::irq;
}

std::string_view Gic::why_no_irq(unsigned core) const {
  constexpr std::uint32_t groups = enable_group0 | enable_group1;
  const std::uint32_t control = cpus_[core].control;
  if ((control_ & groups) == 0) return "its distributor forwards no group (GICD_CTLR)";
  if ((control & groups) == 0) return "the core's CPU interface signals no group (GICC_CTLR)";
  const std::uint32_t both = control_ & control & groups;
  if (both == 0) return "distributor and CPU interface enable different groups (GICD_CTLR, GICC_CTLR)";
  if (both == enable_group0 && (control & fiq_enable) != 0)
    return "its only group is signalled as FIQ (GICC_CTLR)";
  if (cpus_[core].priority_mask == 0) return "the core's priority mask excludes all (GICC_PMR)";
  return "";
}

std::uint32_t Gic::highest_pending(unsigned core, Alias alias) const {
  const std::uint32_t id = best(core);
  if (id == spurious) return spurious;
  if (alias == Alias::yes) {
    if (!group1(id, core)) return spurious;
  } else if (group1(id, core) && !(cpus_[core].control & acknowledge_control)) {
    return other_group;
  }
  if (id >= first_ppi) return id;
  return id | static_cast<std::uint32_t>(std::countr_zero(sgi_sources_[core][id])) << 10;
}

std::uint32_t Gic::next_acknowledged(unsigned core, Alias alias) const {
  const std::uint32_t pending = highest_pending(core, alias);
  const std::uint32_t id = pending & 0x3FF;
  if (id >= other_group) return id;
  return priority(id, core) < running_priority(core) ? pending : spurious;
}

std::uint32_t Gic::acknowledge(unsigned core, Alias alias) {
  CpuInterface& cpu = cpus_[core];
  const std::uint32_t acknowledged = next_acknowledged(core, alias);
  const std::uint32_t id = acknowledged & 0x3FF;
  if (id >= other_group) {
    ++cpu.spurious_reads;
    return acknowledged;
  }
  const std::uint32_t level = group_priority(id, core) >> 1;
  cpu.active_priorities[group1(id, core)][level / 32] |= 1u << level % 32;
  active_.set(id, core, true);
  ++cpu.acknowledged;
  if (id < first_ppi)
    take_sgi(id, core);
  else
    latched_.set(id, core, false);
  return acknowledged;
}

void Gic::end_of_interrupt(std::uint32_t value, unsigned core, Alias alias) {
  const std::uint32_t id = value & 0x3FF;
  if (id >= interrupts() || running_priority(core) == idle_priority) return;
  const bool in_group1 = group1(id, core);
  if (alias == Alias::yes && !in_group1) return;
  for (std::uint32_t& bits : cpus_[core].active_priorities[in_group1])
    if (bits) {
      bits &= bits - 1;
      break;
    }
  if (!(cpus_[core].control & split_eoi)) active_.set(id, core, false);
}

void Gic::deactivate(std::uint32_t value, unsigned core) {
  const std::uint32_t id = value & 0x3FF;
  if (id < interrupts() && (cpus_[core].control & split_eoi)) active_.set(id, core, false);
}

}  // namespace asterism
