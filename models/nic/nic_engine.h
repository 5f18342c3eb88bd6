// A NIC's rings: descriptors and frames between a node's memory and a network, for a node's firmware.
//
// Three rings, of a power of two of entries from 2 to 1024, in memory:
//
//   application, checkpoint   to send: descriptors of 16 bytes {u64 address, u32 length, u32 destination node}. Software fills
//                             at the head; the NIC takes them at the tail, in order
//   receive                   slots of 8192 bytes: {u32 source node, u32 length, u64 zero, payload}. The NIC fills at the head;
//                             software takes them at the tail
//
// Indices are below the number of entries; head == tail: empty; head + 1 == tail: full. A ring is opened with its base and entries,
// and is empty then; clear() closes it.
//
// Of each ring to send the NIC fetches ahead, until two of its frames wait for the link: which of the rings goes next is the
// network's decision (SendPolicy). The tail passes a descriptor when its frame is on the wire: it and its data are
// software's again.
// A frame that finds no free slot waits in the NIC. So do those behind it: nothing is dropped and nothing overtakes, up to
// max_waiting frames, behind which frames are dropped and counted.
//
// Memory is read by one process and written by another, an access after the other, none of which crosses a page of 4 KiB. Each
// takes its time. The rings to send are fetched from in turn.
//
// Errors are software's: they stop the ring that has them, for which clear() is the remedy. error() is the last one's, while any
// ring is stopped.
//
//   bad_descriptor  no bytes or more than Frame::max_payload; no node of this network
//   bad_ring        entries, base (a multiple of 16; of 4096 to receive) or an index that is none; open() while it is open
//   no_memory       memory does not answer, cannot be read, or may not be written to
//
// reset: all is dropped on every kind: rings are closed, frames that wait are gone. After power_loss frames that arrive are
// lost until power_up().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/enum_names.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cluster/network.h"

namespace asterism {

class NicEngine {
 public:
  static constexpr std::uint32_t min_entries = 2, max_entries = 1024;
  static constexpr std::uint64_t descriptor_size = 16, slot_size = 8192, slot_header = 16, page = 4096;
  static constexpr std::size_t frames_ahead = 2;
  static constexpr std::size_t max_waiting = 65536;

  enum class Ring { application, checkpoint, receive };
  enum class Error : std::uint32_t { none = 0, bad_descriptor = 1, bad_ring = 2, no_memory = 3 };

  struct Memory {
    struct Outcome {
      bool ok;
      Picoseconds time;  // until it is done
    };
    virtual ~Memory() = default;
    // Within a page. Any address may come: it is software's.
    virtual Outcome read(Picoseconds now, Address first, std::span<std::byte> data) = 0;
    virtual Outcome write(Picoseconds now, Address first, std::span<const std::byte> data) = 0;
  };
  struct Sink {
    virtual ~Sink() = default;
    // From advance_to() alone; so is memory.
    virtual void transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) = 0;
    // Frames given to transmit() that are not on the wire yet.
    virtual std::size_t waiting(SendQueue queue) const = 0;
    virtual void send_tail_moved() = 0;
    virtual void receive_head_moved() = 0;
    virtual void ring_stopped() = 0;
    virtual void
    overflowed() = 0;  // a frame is dropped, the first since a reset that found max_waiting before it
  };

  // Of the destinations 0 to nodes - 1.
  NicEngine(Memory& memory, Sink& sink) : memory_(memory), sink_(sink) {}
  void set_nodes(NodeNumber nodes) { nodes_ = nodes; }

  void open(Picoseconds now, Ring ring, Address base, std::uint32_t entries);
  void clear(Picoseconds now, Ring ring);
  void set_head(Picoseconds now, SendQueue queue, std::uint32_t head);  // there is something to send
  void set_tail(Picoseconds now, std::uint32_t tail);                   // slots are free

  std::uint32_t entries(Ring ring) const { return at(ring).entries; }  // 0: closed
  std::uint32_t head(Ring ring) const { return at(ring).head; }
  std::uint32_t tail(Ring ring) const { return at(ring).tail; }
  bool is_stopped(Ring ring) const { return at(ring).stopped; }
  Error error() const { return error_; }

  void receive(Picoseconds now, Frame frame);
  // Fewer frames may wait for the link than before.
  void update(Picoseconds now);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void power_up() { powered_ = true; }
  void report(Statistics& statistics) const;

 private:
  struct State {
    Address base;
    std::uint32_t entries = 0, head = 0, tail = 0;
    bool stopped = false;
    // To send:
    std::uint32_t next = 0;     // to be fetched
    std::uint64_t handed = 0;   // by this ring, not known to be on the wire
    std::uint64_t foreign = 0;  // before those: by the ring that was cleared
  };
  struct Fetch {
    SendQueue queue;
    Picoseconds at;          // until the access is done
    std::uint64_t done = 0;  // bytes of the payload
    Address data;
    NodeNumber destination = 0;
    std::array<std::byte, descriptor_size> descriptor;
    std::vector<std::byte> payload;  // empty: the descriptor is being read
  };
  struct Store {
    Picoseconds at;
    std::vector<std::byte> slot;
    std::uint64_t done = 0;
  };

  State& at(Ring ring) { return rings_[static_cast<std::size_t>(ring)]; }
  const State& at(Ring ring) const { return rings_[static_cast<std::size_t>(ring)]; }
  static Ring ring_of(SendQueue queue) { return static_cast<Ring>(queue); }
  bool is_ready(SendQueue queue) const;
  void wake(Picoseconds now);
  void begin(Picoseconds now);
  void begin_fetch(Picoseconds now, SendQueue queue);
  void read(Picoseconds now, Address from, std::span<std::byte> data);
  void fetched(Picoseconds now);
  bool decode(Fetch& fetch);
  void fetch_more(Picoseconds now);
  void begin_store(Picoseconds now);
  void store_more(Picoseconds now);
  void stored(Picoseconds now);
  void fail(Ring ring, Error error);

  Memory& memory_;
  Sink& sink_;
  NodeNumber nodes_ = 1;
  std::array<State, 3> rings_;
  Error error_ = Error::none;
  bool powered_ = true;
  std::deque<Frame> waiting_;  // for a slot; the first may be on its way there
  std::optional<Fetch> fetch_;
  std::optional<Store> store_;
  std::optional<Picoseconds> wake_at_;
  SendQueue last_ = SendQueue::checkpoint;  // fetched from
  std::array<std::uint64_t, 2> sent_ = {}, bytes_sent_ = {};
  std::uint64_t received_ = 0, bytes_received_ = 0, dropped_ = 0, errors_ = 0;
  std::size_t max_waiting_ = 0;
  bool overflowed_ = false;
};

constexpr auto enum_names(NicEngine::Error) {
  return std::to_array<EnumName<NicEngine::Error>>({{NicEngine::Error::none, "none"},
                                                    {NicEngine::Error::bad_descriptor, "bad_descriptor"},
                                                    {NicEngine::Error::bad_ring, "bad_ring"},
                                                    {NicEngine::Error::no_memory, "no_memory"}});
}

}  // namespace asterism
