// A split virtqueue as its device sees it (Virtual I/O Device version 1.2, sections 2.6 and 2.7): takes
// chains of descriptors that the driver has made available, and returns them used.
//
// Everything in the queue comes from software and may be any bytes. What breaks a rule of the specification,
// or lies where no memory answers, is a QueueError, after which the device needs a reset. Chains of
// descriptors are at most as long as the queue, also if they are indirect; no descriptor is followed twice.
//
// The features are VIRTIO_F_VERSION_1 and VIRTIO_F_INDIRECT_DESC. Not offered: event indices, packed queues,
// in-order use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

// What is wrong with a queue, for the log.
class QueueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The memory with the queues and their buffers. Accesses return when they have ended.
class QueueMemory {
 public:
  virtual ~QueueMemory() = default;
  // Both throw QueueError if memory does not answer.
  virtual void read(Address first, std::span<std::byte> data) = 0;
  virtual void write(Address first, std::span<const std::byte> data) = 0;
};

// A request of the driver: buffers for the device to read, then buffers for it to write. No buffer is empty.
struct DescriptorChain {
  std::uint16_t head = 0;
  std::vector<AddressRange> readable = {}, writable = {};
};

// Buffers as one sequence of bytes, which are taken from its front.
class BufferSequence {
 public:
  BufferSequence(QueueMemory& memory, std::vector<AddressRange> buffers);

  Bytes left() const { return left_; }
  // Reads or writes the next bytes; at most left().
  void read(std::span<std::byte> data);
  void write(std::span<const std::byte> data);
  // Removes the last bytes, which are left as a sequence of their own; at most left().
  BufferSequence split_off(Bytes last);

 private:
  template <class Access>
  void take(std::size_t size, Access access);

  QueueMemory* memory_;
  std::vector<AddressRange> buffers_;
  Bytes left_;
};

class SplitQueue {
 public:
  static constexpr std::uint16_t max_size = 256;

  // Where the driver has placed the queue. All addresses are physical.
  struct Setup {
    std::uint16_t size = 0;
    Address descriptors = {}, available = {}, used = {};
  };

  // The reason why a queue cannot be used, as a clause; "" if it can.
  static std::string problem_of(const Setup& setup);

  // Begins at the first entry. `setup` has no problem.
  void start(const Setup& setup);
  void stop() { setup_.size = 0; }
  bool is_ready() const { return setup_.size != 0; }

  // The next chain; nullopt if there is none yet.
  std::optional<DescriptorChain> pop(QueueMemory& memory);
  // Returns a chain, into whose writable buffers the device has written so many bytes. Whether the driver
  // wants an interrupt. Nothing happens if the queue has been stopped meanwhile.
  bool push(QueueMemory& memory, std::uint16_t head, std::uint32_t written);

 private:
  Setup setup_;
  std::uint16_t next_available_ = 0, next_used_ = 0;  // run through 16 bits
};

}  // namespace asterism
