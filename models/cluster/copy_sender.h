// Sends copies in parts, as many at a time as a NIC's ring has room for.
//
// A part from the SSD is read before it is queued; one from memory is taken by the NIC. Parts of global copies wait until those
// to buddies and to ranks in recovery are queued, and only few are queued at a time, so that they do not stand before them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "cluster/copy_store.h"
#include "cluster/message.h"
#include "cluster/network.h"

namespace asterism {

enum class CopyPlace { memory, ssd, store };  // store: the global one, as fast as its link
enum class CopyAccess { read, write };

// What a node does for its protocol.
class NodeServices {
 public:
  virtual ~NodeServices() = default;
  virtual Picoseconds now() const = 0;
  // To the rank message.to, or to storage, in this epoch.
  virtual void send(Message message, std::span<const std::byte> data, SendQueue queue) = 0;
  virtual std::size_t waiting(SendQueue queue) const = 0;
  virtual std::uint64_t frames_sent(SendQueue queue) const = 0;
  virtual void set_tickets(std::uint32_t application, std::uint32_t checkpoint) = 0;
  // Takes a place after all that was asked of it before: when it has moved so many bytes.
  virtual Picoseconds occupy(CopyPlace place, CopyAccess access, Bytes size) = 0;
  virtual void at(Picoseconds when, std::function<void()> action) = 0;
  // Drops what at() has been given, and frees the places.
  virtual void cancel_all() = 0;
};

class CopySender {
 public:
  static constexpr std::size_t window = 1023;  // parts that wait: a ring of 1024
  static constexpr std::size_t global_window = 16;

  CopySender(NodeServices& services, const CopyStore& copies) : services_(services), copies_(copies) {}

  // A whole copy, by messages of this kind; their queue is message.h's. Ends early when the copy is gone.
  void start(MessageKind kind, Rank to, Rank owner, std::uint64_t version, CopyPlace from);
  // There may be room in this queue.
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
