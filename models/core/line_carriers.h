// The accesses of one core's caches to memory that take simulated time while the core goes on. Each is made
// by a process of its own, at its time.
//
//   LineCarriers carriers{most, [](const LineCarriers::Access& access) { ... bus->b_transport(...); }};
//   carriers.add({line, LineCarriers::Kind::fill, miss}, at);
//
// A process is spawned when none is free, and used again; each has a stack of 256 KiB of address space, of
// which a node's fabric and memory touch 4 KiB. There are never more than `most`: further accesses wait
// in their order. So does one to a line of which another access is in progress, if one of both is a write
// that is not held.
//
// reset: accesses that have not begun are dropped. Those in progress end when their target answers, and the
// processes go on with others then.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "core/misses_in_flight.h"
#include "tlm/alarm.h"

namespace asterism {

class LineCarriers {
 public:
  enum class Kind { fill, prefetch, write_back, held_write_back };
  struct Access {
    Address line;
    Kind kind;
    MissesInFlight::Id miss = 0;  // of a fill
  };

  // `carry` makes an access now, and may wait. Construct it during elaboration.
  LineCarriers(unsigned most, std::function<void(const Access&)> carry);
  LineCarriers(const LineCarriers&) = delete;

  // At a time that has not passed. Accesses of the same time begin in the order of the calls.
  void add(const Access& access, Picoseconds at);
  void reset();

 private:
  struct Process {
    std::optional<Access> access;
    sc_core::sc_event begins;
  };
  void ring(Picoseconds now);
  void begin_accesses();
  bool has_to_follow(std::deque<Access>::const_iterator access) const;
  Process* free_process();
  void run(Process& process);

  const unsigned most_;
  const std::function<void(const Access&)> carry_;
  std::multimap<Picoseconds, Access> later_;
  std::deque<Access> now_;  // they wait for a process, or for another access to their line
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Process*> free_;
  Alarm alarm_;
};

}  // namespace asterism
