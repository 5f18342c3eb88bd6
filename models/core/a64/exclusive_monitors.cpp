#include "core/a64/exclusive_monitors.h"

#include <algorithm>

#include "core/a64/cpu.h"

namespace asterism::a64 {

void ExclusiveMonitors::watch(const Cpu& cpu, std::uint64_t physical) {
  for (Cpu* other : cpus_) {
    if (other == &cpu || !other->memory.take_store_mark(physical)) continue;
    for (Cpu* third : cpus_)  // whoever waited for this mark has it no more
      if (third != other && third->monitor.physical / Memory::line == physical / Memory::line)
        third->monitor.armed = third == &cpu;
  }
}

bool ExclusiveMonitors::is_lost(const Cpu& cpu, std::uint64_t physical) const {
  return std::ranges::any_of(
      cpus_, [&](const Cpu* other) { return other != &cpu && other->memory.has_store_mark(physical); });
}

}  // namespace asterism::a64
