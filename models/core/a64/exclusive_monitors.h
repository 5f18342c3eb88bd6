// The global exclusive monitor of cores that share memory: a store exclusive fails when another core has stored to the
// 64-byte line since the load exclusive, whatever it has stored (Arm DDI 0487, B2.9).
//
// Nothing is asked of a store: it leaves a mark in its core's byte for the line, as it does for collect_writes(). A load
// exclusive takes the marks of all other cores away, a store exclusive looks for new ones. Stores that are not a core's are found
// by their values only.
#pragma once

#include <cstdint>
#include <vector>

namespace asterism::a64 {

class Cpu;

class ExclusiveMonitors {
 public:
  void join(Cpu& cpu) { cpus_.push_back(&cpu); }
  void leave(Cpu& cpu) { std::erase(cpus_, &cpu); }

  // A core's monitor watches the line of a physical address from now on.
  void watch(const Cpu& cpu, std::uint64_t physical);
  // Whether another core has stored to the line since.
  bool is_lost(const Cpu& cpu, std::uint64_t physical) const;

 private:
  std::vector<Cpu*> cpus_;
};

}  // namespace asterism::a64
