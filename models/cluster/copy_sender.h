// Sends copies in parts, with as many parts queued at a time as a NIC's ring has entries.
//
// A part on the SSD is read before it is queued; the NIC fetches a part in memory itself. Global copies have
// lower priority: their parts wait until the parts for buddies and for ranks in recovery are queued, and only
// a few of them are queued at a time, so that they do not delay later parts of the other kinds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "cluster/copy_store.h"
#include "cluster/message.h"
#include "cluster/network.h"

namespace asterism {

enum class CopyPlace { memory, ssd, store };  // store: the global store, which is as fast as its link
enum class CopyAccess { read, write };

// The services that a node provides to its protocol engine.
class NodeServices {
 public:
  virtual ~NodeServices() = default;
  virtual Picoseconds now() const = 0;
  // Sends to the rank message.to, or to storage, in the current epoch.
  virtual void send(Message message, std::span<const std::byte> data, SendQueue queue) = 0;
  virtual std::size_t waiting(SendQueue queue) const = 0;
  virtual std::uint64_t frames_sent(SendQueue queue) const = 0;
  virtual void set_tickets(std::uint32_t application, std::uint32_t checkpoint) = 0;
  // Reserves a place for a transfer of `size` bytes, after all earlier reservations; returns the time at
  // which it ends.
  virtual Picoseconds occupy(CopyPlace place, CopyAccess access, Bytes size) = 0;
  virtual void at(Picoseconds when, std::function<void()> action) = 0;
  // Cancels the actions passed to at(), and all reservations.
  virtual void cancel_all() = 0;
};

class CopySender {
 public:
  static constexpr std::size_t window = 1023;  // parts queued at a time: those of a ring of 1024 entries
  static constexpr std::size_t global_window = 16;

  CopySender(NodeServices& services, const CopyStore& copies) : services_(services), copies_(copies) {}

  // Sends a whole copy in messages of this kind; message.h says which queue they use. The transfer ends early
  // when the copy is dropped.
  void start(MessageKind kind, Rank to, Rank owner, std::uint64_t version, CopyPlace from);
  // Queues further parts if this queue has free entries.
  void pump(SendQueue queue);
  void clear();

 private:
  struct Stream {
    MessageKind kind;
    Rank to, owner;
    std::uint64_t version;
    CopyPlace from;
    std::uint64_t next = 0;  // offset
  };

  bool send_part(Stream& stream, SendQueue queue);
  void send(const Stream& stream, std::uint64_t offset, SendQueue queue);

  NodeServices& services_;
  const CopyStore& copies_;
  std::array<std::vector<Stream>, 2> streams_;  // by queue
  std::array<std::size_t, 2> reading_{};
};

}  // namespace asterism
