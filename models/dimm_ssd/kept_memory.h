// What a DIMM-SSD saves and restores for another device (MemoryKeeper): the pages of a range, under one name,
// whose versions are counted. Commands are given one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "dimm_ssd/dimm_ssd.h"
#include "tlm/device_roles.h"

namespace asterism {

class KeptMemory {
 public:
  KeptMemory(DimmSsd& ssd, AddressRange pages);

  void restore(Picoseconds now, MemoryKeeper::Ended ended);
  void save(Picoseconds now, MemoryKeeper::Ended ended);

  // What the device reports (DimmSsd::Sink).
  void completed(Picoseconds now);
  void durable(Picoseconds now, std::uint64_t version);
  void failed(Picoseconds now, std::uint64_t version);
  void reset();

 private:
  struct Task {
    bool restores;
    MemoryKeeper::Ended ended;
    std::uint64_t version = 0;
  };

  void start(Picoseconds now);
  void end(Picoseconds now, bool ok);
  void command(Picoseconds now, DimmSsd::Operation operation, std::uint64_t version);

  DimmSsd& ssd_;
  RequestDescriptor request_;
  std::uint64_t newest_ = 0;
  std::deque<Task> tasks_;  // the first one is under way
  bool is_found_ = false;   // of a task that restores
};

}  // namespace asterism
