// The engine of a NIC: it moves descriptors and frames between rings in a node's memory and a network.
//
// There are three rings in memory, each with a power of two of entries, from 2 to 1024:
//
//   application, checkpoint   send rings with descriptors of 16 bytes: {u64 address, u32 length, u32
//                             destination node}. Software fills them at the head; the NIC takes them at the
//                             tail, in order
//   receive                   slots of 8192 bytes: {u32 source node, u32 length, u64 zero, payload}. The NIC
//                             fills them at the head; software takes them at the tail
//
// Indices are below the number of entries. A ring is empty if head == tail, and full if head + 1 == tail.
// open() opens an empty ring with its base and number of entries; clear() closes it.
//
// The NIC prefetches from each send ring until two of its frames wait for the link: the network decides which
// ring sends next (SendPolicy). The tail passes a descriptor when its frame is on the wire; software may then
// reuse the descriptor and its data. A frame that finds no free slot waits in the NIC, as do those behind it:
// frames are neither dropped nor reordered, up to max_waiting waiting frames. Further frames are dropped and
// counted.
//
// The NIC reads memory through one port and writes it through another, with one access at a time each,
// which does not cross a page of 4 KiB. It fetches from the two send rings alternately. clear() abandons an
// access of its ring: nothing is written there afterwards.
//
// Errors are caused by software. An error stops its ring until clear(). While any ring is stopped, error() is
// the error that occurred last.
//
//   bad_descriptor  a length of 0 or above Frame::max_payload, or a destination that does not exist
//   bad_ring        an invalid number of entries, base (a multiple of 16, or of 4096 for receive) or index;
//                   open() of an open ring
//   no_memory       memory does not answer, cannot be read, or may not be written
//
// A reset of any kind closes all rings and drops all waiting frames. After power_loss, arriving frames are
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
#include "base/memory_port.h"
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

  struct Sink {
    virtual ~Sink() = default;
    // Called only by advance_to(), as are the ports.
    virtual void transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) = 0;
    // Number of frames passed to transmit() that are not on the wire yet.
    virtual std::size_t waiting(SendQueue queue) const = 0;
    virtual void send_tail_moved() = 0;
    virtual void receive_head_moved() = 0;
    virtual void ring_stopped() = 0;
    // The first frame since a reset is dropped because max_waiting frames wait.
    virtual void overflowed() = 0;
  };

  NicEngine(MemoryPort& reads, MemoryPort& writes, Sink& sink)
      : reads_(reads), writes_(writes), sink_(sink) {}
  void set_nodes(NodeNumber nodes) { nodes_ = nodes; }  // valid destinations are 0 to nodes - 1

  void open(Picoseconds now, Ring ring, Address base, std::uint32_t entries);
  void clear(Picoseconds now, Ring ring);
  // Descriptors before head are to be sent.
  void set_head(Picoseconds now, SendQueue queue, std::uint32_t head);
  void set_tail(Picoseconds now, std::uint32_t tail);  // slots before tail are free

  std::uint32_t entries(Ring ring) const { return at(ring).entries; }  // 0: closed
  std::uint32_t head(Ring ring) const { return at(ring).head; }
  std::uint32_t tail(Ring ring) const { return at(ring).tail; }
  bool is_stopped(Ring ring) const { return at(ring).stopped; }
  Error error() const { return error_; }

  void receive(Picoseconds now, Frame frame);
  // Must be called when fewer frames may wait for the link than before.
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
    // For send rings:
    std::uint32_t next = 0;      // index of the descriptor to be fetched next
    std::uint64_t in_queue = 0;  // frames passed to the network that are not known to be on the wire
    std::uint64_t foreign = 0;   // earlier such frames, which the ring passed on before it was cleared
  };
  // An access to memory. Its end is known as soon as memory has reported it.
  struct Access {
    std::optional<Picoseconds> ended_at;
    bool ok = true;
    bool is_over(Picoseconds now) const { return ended_at && *ended_at <= now; }
  };
  struct Fetch {
    SendQueue queue;
    Access access;
    std::uint64_t done = 0;  // bytes of the payload, with those of the access
    Address data;
    NodeNumber destination = 0;
    std::array<std::byte, descriptor_size> descriptor;
    std::vector<std::byte> payload;  // empty while the descriptor is being read
  };
  struct Store {
    Access access;
    std::vector<std::byte> slot;
    std::uint64_t done = 0;  // bytes, with those of the access
  };

  State& at(Ring ring) { return rings_[static_cast<std::size_t>(ring)]; }
  const State& at(Ring ring) const { return rings_[static_cast<std::size_t>(ring)]; }
  static Ring ring_of(SendQueue queue) { return static_cast<Ring>(queue); }
  bool is_ready(SendQueue queue) const;
  void wake(Picoseconds now);
  void begin(Picoseconds now);
  void begin_fetch(Picoseconds now, SendQueue queue);
  void read(Picoseconds now, Address from, std::span<std::byte> to);
  void fetched(Picoseconds now);
  bool decode(Fetch& fetch);
  void fetch_more(Picoseconds now);
  void begin_store(Picoseconds now);
  void store_more(Picoseconds now);
  void stored(Picoseconds now);
  void fail(Ring ring, Error error);

  MemoryPort &reads_, &writes_;
  Sink& sink_;
  NodeNumber nodes_ = 1;
  std::array<State, 3> rings_;
  Error error_ = Error::none;
  bool powered_ = true;
  std::deque<Frame> waiting_;  // frames that wait for a slot; the first one may be being written to it
  std::optional<Fetch> fetch_;
  std::optional<Store> store_;
  std::optional<Picoseconds> wake_at_;
  SendQueue last_ = SendQueue::checkpoint;  // the ring fetched from last
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
