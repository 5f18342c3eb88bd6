#include "devices/gicv3.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/affinity.h"

namespace asterism {
namespace {

constexpr std::uint32_t sgi_mask = 0xFFFF;
constexpr std::uint32_t idle_priority = 0x100;
constexpr std::uint32_t priority_mask = 0xF8;  // five bits are implemented
constexpr unsigned priority_shift = 3;
constexpr std::uint32_t least_binary_point[2] = {2, 3};

// ICC_CTLR_EL1.
constexpr std::uint32_t common_binary_point = 1 << 0, split_eoi = 1 << 1;
constexpr std::uint32_t control_fixed = 4 << 8 | 1 << 15;  // five bits of priority, 16 of ids, Aff3

std::uint32_t running_priority(const std::uint32_t (&active)[2]) {
  const std::uint32_t bits = active[0] | active[1];
  return bits ? static_cast<std::uint32_t>(std::countr_zero(bits)) << priority_shift : idle_priority;
}

}  // namespace

// ---- banks ----

void GicV3::Bank::set_line(unsigned bit, bool high) {
  const std::uint32_t mask = 1u << bit;
  if (high && !(lines & mask) && (edge & mask)) latched |= mask;
  lines = high ? lines | mask : lines & ~mask;
}

std::uint32_t GicV3::Bank::priorities(unsigned word) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{priority[4 * word + i]} << 8 * i;
  return value;
}
void GicV3::Bank::set_priorities(unsigned word, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i)
    priority[4 * word + i] = static_cast<std::uint8_t>(value >> 8 * i & priority_mask);
}

std::uint32_t GicV3::Bank::config(unsigned word) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 16; ++i) value |= (edge >> (16 * word + i) & 1) << (2 * i + 1);
  return value;
}
void GicV3::Bank::set_config(unsigned word, std::uint32_t value) {
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint32_t bit = 1u << (16 * word + i);
    edge = value >> (2 * i + 1) & 1 ? edge | bit : edge & ~bit;
  }
}

// ---- the controller ----

GicV3::GicV3(unsigned cores, unsigned spis) : spis_(spis) {
  if (cores < 1 || cores > max_cores)
    throw std::invalid_argument("a GICv3 has 1 to 576 cores here, not " + std::to_string(cores));
  if (spis < 1 || spis > max_spis)
    throw std::invalid_argument("a GICv3 has 1 to 988 SPIs, not " + std::to_string(spis));
  shared_.resize((spis + 31) / 32);
  cores_.resize(cores);
  reset(Reset::cold);
}

void GicV3::reset(Reset) {
  control_ = 0;
  const auto anew = [](const Bank& bank, std::uint32_t sgis) {
    Bank fresh;
    fresh.lines = bank.lines;
    fresh.edge = sgis;
    return fresh;
  };
  for (Bank& bank : shared_) bank = anew(bank, 0);
  routes_.assign(spis_, 0);
  for (Core& core : cores_) {
    Core fresh;
    fresh.bank = anew(core.bank, sgi_mask);
    fresh.acknowledged = core.acknowledged;
    fresh.spurious_reads = core.spurious_reads;
    fresh.sent = core.sent;
    core = fresh;
  }
  for (unsigned spi = 0; spi < spis_; ++spi)
    cores_[0].routed[spi / 32] |= 1u << spi % 32;  // their affinity is 0
}

void GicV3::report(Statistics& statistics) const {
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    Statistics& group = statistics.group("core" + std::to_string(core));
    group.add("acknowledged", cores_[core].acknowledged);
    group.add("spurious", cores_[core].spurious_reads);
    group.add("sgis_sent", cores_[core].sent);
  }
}

void GicV3::set_spi(unsigned id, bool high) {
  if (id >= first_spi && id < interrupts()) shared_[id / 32 - 1].set_line(id % 32, high);
}
void GicV3::set_ppi(unsigned core, unsigned id, bool high) {
  if (core < cores() && id >= first_ppi && id < first_spi) cores_[core].bank.set_line(id, high);
}

void GicV3::set_route(unsigned id, std::uint64_t affinity) {
  constexpr std::uint64_t levels = 0xff'00ff'ffff;
  routes_[id - first_spi] = affinity & levels;
  const std::uint32_t word = id / 32 - 1, bit = 1u << id % 32;
  for (Core& core : cores_) core.routed[word] &= ~bit;
  if (const auto core = core_of_affinity(affinity & levels, cores())) cores_[*core].routed[word] |= bit;
}

// ---- what is signalled ----

GicV3::Candidate GicV3::best(const Core& core) const {
  Candidate chosen;
  const auto look = [&](const Bank& bank, std::uint32_t among, std::uint32_t first) {
    for (std::uint32_t bits = bank.pending() & bank.enabled & ~bank.active & among; bits; bits &= bits - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(bits));
      const Group group = bank.group >> bit & 1 ? group1 : group0;
      if (!(control_ >> group & 1) || !core.group_enabled[group]) continue;
      if (bank.priority[bit] < chosen.priority) chosen = {first + bit, bank.priority[bit], group};
    }
  };
  look(core.bank, ~0u, 0);
  for (std::uint32_t word = 0; word < shared_.size(); ++word)
    look(shared_[word], core.routed[word], first_spi + 32 * word);
  return chosen;
}

std::uint32_t GicV3::group_priority(const Core& core, const Candidate& candidate) const {
  const bool own = candidate.group == group1 && !(core.control & common_binary_point);
  const std::uint32_t point = own ? core.binary_point[group1] - 1 : core.binary_point[group0];
  return candidate.priority & ~0u << (point + 1);
}

bool GicV3::preempts(const Core& core, const Candidate& candidate) const {
  return candidate.id != spurious && candidate.priority < core.mask &&
         group_priority(core, candidate) < running_priority(core.active_priorities);
}

GicV3::Signal GicV3::signal(unsigned core) const {
  const Candidate candidate = best(cores_[core]);
  if (!preempts(cores_[core], candidate)) return Signal::none;
  return candidate.group == group0 ? Signal::fiq : Signal::irq;
}

std::string_view GicV3::why_no_irq(unsigned core) const {
  if ((control_ >> group1 & 1) == 0) return "its distributor does not forward group 1 (GICD_CTLR)";
  if (!cores_[core].group_enabled[group1]) return "the core has not enabled group 1 (ICC_IGRPEN1_EL1)";
  if (cores_[core].mask == 0) return "the core's priority mask excludes all (ICC_PMR_EL1)";
  return "";
}

// ---- CPU interface ----

std::uint32_t GicV3::next_acknowledged(const Core& core, Group group) const {
  const Candidate candidate = best(core);
  return preempts(core, candidate) && candidate.group == group ? candidate.id : spurious;
}

std::uint32_t GicV3::acknowledge(Core& core, Group group) {
  const std::uint32_t id = next_acknowledged(core, group);
  if (id == spurious) {
    ++core.spurious_reads;
    return id;
  }
  core.active_priorities[group] |= 1u << (group_priority(core, best(core)) >> priority_shift);
  Bank& bank = id < first_spi ? core.bank : shared_[id / 32 - 1];
  bank.active |= 1u << id % 32;
  bank.latched &= ~(1u << id % 32);
  ++core.acknowledged;
  return id;
}

void GicV3::end(Core& core, std::uint32_t id, Group group, Reached& reached) {
  const auto& active = core.active_priorities;
  const std::uint32_t running = running_priority(active);
  if (id >= interrupts() || running == idle_priority) return;
  const bool in_group0 = active[group0] >> (running >> priority_shift) & 1;
  if (group != (in_group0 ? group0 : group1)) return;
  core.active_priorities[group] &= core.active_priorities[group] - 1;
  if (!(core.control & split_eoi)) deactivate(core, id, reached);
}

void GicV3::deactivate(Core& core, std::uint32_t id, Reached& reached) {
  if (id >= interrupts()) return;
  (id < first_spi ? core.bank : shared_[id / 32 - 1]).active &= ~(1u << id % 32);
  // Wherever it is routed by now.
  if (id >= first_spi)
    if (const auto to = core_of_affinity(routes_[id - first_spi], cores())) reached.cores.push_back(*to);
}

void GicV3::send(unsigned from, std::uint64_t request, Group group, Reached& reached) {
  const auto field = [&](unsigned low, unsigned bits) { return request >> low & ((1u << bits) - 1); };
  const auto pend = [&](unsigned core) {
    const std::uint32_t bit = 1u << field(24, 4);
    Bank& bank = cores_[core].bank;
    if (((bank.group & bit) != 0) != (group == group1)) return;
    bank.latched |= bit;
    ++cores_[from].sent;
  };
  if (field(40, 1)) {  // all cores except the one that writes
    for (unsigned core = 0; core < cores(); ++core)
      if (core != from) pend(core);
    reached.all = true;
    return;
  }
  const std::uint64_t cluster = field(48, 8) << 32 | field(32, 8) << 16 | field(16, 8) << 8;
  if (field(44, 4) != 0) return;  // a range of cores beyond the 16 of a cluster
  for (auto targets = static_cast<std::uint32_t>(field(0, 16)); targets; targets &= targets - 1) {
    const auto core = core_of_affinity(cluster | static_cast<unsigned>(std::countr_zero(targets)), cores());
    if (!core) continue;
    pend(*core);
    reached.cores.push_back(*core);
  }
}

std::optional<std::uint64_t> GicV3::peek(unsigned number, CpuRegister which) const {
  const Core& core = cores_[number];
  const auto pending = [&](Group group) {
    const Candidate candidate = best(core);
    return candidate.group == group ? candidate.id : spurious;
  };
  switch (which) {
    using enum CpuRegister;
    case pmr:
      return core.mask;
    case iar0:
      return next_acknowledged(core, group0);
    case iar1:
      return next_acknowledged(core, group1);
    case hppir0:
      return pending(group0);
    case hppir1:
      return pending(group1);
    case bpr0:
      return core.binary_point[group0];
    case bpr1:
      if (core.control & common_binary_point) return std::min(core.binary_point[group0] + 1, 7u);
      return core.binary_point[group1];
    case ap0r0:
      return core.active_priorities[group0];
    case ap1r0:
      return core.active_priorities[group1];
    case rpr:
      return std::min<std::uint32_t>(running_priority(core.active_priorities), 0xFF);
    case ctlr:
      return core.control | control_fixed;
    case sre:
      return 7;  // system registers, no bypass of FIQ and IRQ
    case igrpen0:
      return core.group_enabled[group0];
    case igrpen1:
      return core.group_enabled[group1];
    case eoir0:
    case eoir1:
    case dir:
    case sgi0r:
    case sgi1r:
    case asgi1r:
      break;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> GicV3::read(unsigned core, CpuRegister which) {
  if (which == CpuRegister::iar0) return acknowledge(cores_[core], group0);
  if (which == CpuRegister::iar1) return acknowledge(cores_[core], group1);
  return peek(core, which);
}

bool GicV3::write(unsigned number, CpuRegister which, std::uint64_t value, Reached& reached) {
  Core& core = cores_[number];
  const auto word = static_cast<std::uint32_t>(value);
  const auto set_binary_point = [&](Group group) {
    core.binary_point[group] = std::max(word & 7, least_binary_point[group]);
  };
  switch (which) {
    using enum CpuRegister;
    case pmr:
      core.mask = word & priority_mask;
      return true;
    case eoir0:
      end(core, word & 0xff'ffff, group0, reached);
      return true;
    case eoir1:
      end(core, word & 0xff'ffff, group1, reached);
      return true;
    case dir:
      if (core.control & split_eoi) deactivate(core, word & 0xff'ffff, reached);
      return true;
    case bpr0:
      set_binary_point(group0);
      return true;
    case bpr1:
      if (!(core.control & common_binary_point)) set_binary_point(group1);
      return true;
    case ap0r0:
      core.active_priorities[group0] = word;
      return true;
    case ap1r0:
      core.active_priorities[group1] = word;
      return true;
    case ctlr:
      core.control = word & (common_binary_point | split_eoi);
      return true;
    case sre:
      return true;
    case igrpen0:
      core.group_enabled[group0] = word & 1;
      return true;
    case igrpen1:
      core.group_enabled[group1] = word & 1;
      return true;
    case sgi0r:
      send(number, value, group0, reached);
      return true;
    case sgi1r:
      send(number, value, group1, reached);
      return true;
    case asgi1r:  // the other security state, which does not exist
      return true;
    case iar0:
    case iar1:
    case hppir0:
    case hppir1:
    case rpr:
      break;
  }
  return false;
}

}  // namespace asterism
