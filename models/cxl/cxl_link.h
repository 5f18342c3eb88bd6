// The way of a request from a host to the DRAM of a CXL.mem expander, and of its response back (CXL 3.1,
// sections 3.3 and 4.2).
//
//   M2S   a read is a Req, a write an RwD with 64 bytes
//   S2M   a read is answered by a DRS with 64 bytes, a write by an NDR
//
// A message occupies slots of 16 bytes, with which flits are filled without gaps: Req 1 slot; RwD 1 and 4 of
// data; NDR half a slot, as two share one; DRS a third of one, as three share it, and 4 of data. An access
// alone waits until whole flits have been transferred.
//
//   issued -> M2S -> port -> [ queue: controller -> memory -> controller ] -> S2M -> port -> answered
//
// The device holds `queue` requests, each from the time at which it enters until its response leaves. A
// further one waits for a place before the device, behind the link: assumed, in the stead of credits that it
// would wait for at the host. Buffers of the port that hide the way back of credits have this effect.
// Retries after errors of the link are not modelled, other than block(), which stops both directions.
//
// Masters may be ahead of each other (busy_line.h). reset: every kind drops all that is under way; cold
// clears the counts, too.
#pragma once

#include <cstdint>

#include "base/reset.h"
#include "base/statistics.h"
#include "cxl/busy_line.h"
#include "cxl/cxl_part.h"

namespace asterism {

class CxlLink {
 public:
  struct Sent {
    Picoseconds entered;    // the queue of the device
    Picoseconds at_memory;  // behind the controller
    Picoseconds arrived;    // at the queue
    bool is_held = false;
  };

  explicit CxlLink(const CxlPart& part);

  // A request of 64 bytes, for a memory that answers at once. No request is issued before `now` any more.
  Sent request(Picoseconds now, Picoseconds issued, bool is_write);
  // When the answer is at the host, if the memory has answered at `ended`. If requests that were made later
  // have taken its place meanwhile, or others of the same payload, then the access is later by its wait.
  Picoseconds response(const Sent& sent, Picoseconds ended, bool is_write);
  // For a memory that answers some requests later: such a request holds its place from when that is known
  // until response() or drop(). While such requests have all places, has_place() is false for one that is
  // made, or tried again later. Where requests hold places, hold() and response() are for one that has a
  // place: between that answer and them no time passes, and no other request is answered. Otherwise they may
  // throw std::logic_error.
  // A request that had a place, but did not take it, comes to the queue when it is tried again; one that has
  // none has waited since its arrival.
  static bool has_place(const Sent& sent) { return sent.entered != PlaceLine::never; }
  void try_again(Sent& sent, Picoseconds now);
  void hold(Sent& sent);
  // It has no place afterwards.
  void drop(Sent& sent, Picoseconds at);
  // The parts of them, for a caller that holds the queue itself: when a request is at the device, and when a
  // response that leaves it is at the host.
  Picoseconds to_device(Picoseconds issued, bool is_write);
  Picoseconds to_host(Picoseconds leaves, bool is_write);
  // Nothing is transferred in this time, in both directions.
  void block(Picoseconds from, Picoseconds length);

  // The time that a read takes without load, beside that of memory.
  Picoseconds unloaded() const;
  // Of the data of reads, or of writes, if there is nothing else.
  Bandwidth read_bandwidth() const;
  Bandwidth write_bandwidth() const;

  const CxlPart& part() const { return part_; }

  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  struct Direction {
    BusyLine line;
    Picoseconds busy;
  };
  Picoseconds slots(std::uint64_t sixths) const;
  Picoseconds filling(std::uint64_t sixths) const;
  Sent enter(Picoseconds at, Picoseconds arrived) const;
  Picoseconds place_of(const Sent& sent) const;
  void count_wait(Picoseconds length);
  Picoseconds transfer(Direction& direction, Picoseconds at, std::uint64_t sixths) const;

  const CxlPart part_;
  const std::uint64_t rate_, flit_bytes_, flit_slots_;
  Direction m2s_, s2m_;
  PlaceLine queue_;
  std::uint64_t reads_ = 0, writes_ = 0, waits_ = 0;
  Picoseconds waited_;
};

}  // namespace asterism
