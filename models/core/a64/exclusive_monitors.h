// The global exclusive monitor of cores that share memory: a store exclusive fails if another core has stored
// to the 64-byte line since the load exclusive, whatever value it has stored (Arm DDI 0487, B2.9).
//
// A store sets a mark in its core's byte of the line, as it does for collect_writes(). So that a load
// exclusive need not ask hundreds of cores for their marks, each page has a list of writers: the cores that
// may have marks. A core is added before its TLB permits stores to the page. A load exclusive of another core
// removes it: its marks clear the monitors of other cores that watch these lines, they are reset, and its TLB
// entry no longer permits stores, so that only its next store to the page is slow. A store exclusive looks
// for marks of the writers. Stores by other masters than cores are detected by their values only.
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

  // Adds a core to the writers of a page. It must not be one of them.
  void add_writer(Memory& memory, PageInfo& info, std::uint64_t physical);
  // A core begins to monitor the line of a physical address (load exclusive).
  void watch(Cpu& cpu, std::uint64_t physical);
  // Whether another core has stored to the line since then.
  bool is_lost(const Cpu& cpu, std::uint64_t physical) const;

 private:
  struct Writer {
    Memory* memory;
    PageInfo* info;
  };
  void clear_monitors(std::uint64_t number, const Cpu& but, const Writer& writer);

  std::unordered_map<std::uint64_t, std::vector<Writer>> writers_;  // by page
  // By line. May contain cores that no longer monitor it.
  std::unordered_map<std::uint64_t, std::vector<Cpu*>> watchers_;
};

}  // namespace asterism::a64
