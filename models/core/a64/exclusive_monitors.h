// The global exclusive monitor of cores that share memory: a store exclusive fails when another core has stored to the
// 64-byte line since the load exclusive, whatever it has stored (Arm DDI 0487, B2.9).
//
// A store leaves a mark in its core's byte for the line, as it does for collect_writes(). So that hundreds of cores need not be asked
// for theirs, each page has a list of those that may have marks: a core is on it from the first store that its TLB admits to the
// page. A load exclusive of another core takes it off again, with all its marks, for which those that watch their lines lose
// them, and takes the page out of its TLB for stores; its next store there pays for that, once. A store exclusive looks for marks of
// those on the list. Stores that are not a core's are found by their values only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace asterism::a64 {

class Cpu;
class Memory;
struct PageInfo;

class ExclusiveMonitors {
 public:
  void leave(Cpu& cpu);

  // A core's TLB lets stores to a page pass by; it is not on the page's list.
  void add_writer(Memory& memory, PageInfo& info, std::uint64_t physical);
  // A core's monitor watches the line of a physical address from now on.
  void watch(Cpu& cpu, std::uint64_t physical);
  // Whether another core has stored to the line since.
  bool is_lost(const Cpu& cpu, std::uint64_t physical) const;

 private:
  struct Writer {
    Memory* memory;
    PageInfo* info;
  };
  void clear_monitors(std::uint64_t number, const Cpu& but, const Writer& writer);

  std::unordered_map<std::uint64_t, std::vector<Writer>> writers_;  // by page
  std::unordered_map<std::uint64_t, std::vector<Cpu*>>
      watchers_;  // by line: perhaps others that no longer watch it
};

}  // namespace asterism::a64
