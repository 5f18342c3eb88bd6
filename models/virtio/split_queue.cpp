#include "virtio/split_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace asterism {
namespace {

constexpr Bytes descriptor_size{16};

enum DescriptorFlags : std::uint16_t { has_next = 1, is_writable = 2, is_indirect = 4 };

struct Descriptor {
  Address first;
  std::uint32_t size;
  std::uint16_t flags, next;
};

template <class T>
T number_at(std::span<const std::byte> bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<T>(std::to_integer<std::uint8_t>(bytes[i])) << 8 * i);
  return value;
}

template <class T>
std::array<std::byte, sizeof(T)> bytes_of(T value) {
  std::array<std::byte, sizeof(T)> bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<std::byte>(value >> 8 * i);
  return bytes;
}

std::uint16_t read_half(QueueMemory& memory, Address at) {
  std::array<std::byte, 2> bytes;
  memory.read(at, bytes);
  return number_at<std::uint16_t>(bytes);
}

Descriptor read_descriptor(QueueMemory& memory, Address at) {
  std::array<std::byte, descriptor_size.count()> raw;
  memory.read(at, raw);
  const std::span<const std::byte> bytes = raw;
  return {Address(number_at<std::uint64_t>(bytes)), number_at<std::uint32_t>(bytes.subspan(8)),
          number_at<std::uint16_t>(bytes.subspan(12)), number_at<std::uint16_t>(bytes.subspan(14))};
}

Bytes place_in_ring(Bytes entry, std::uint16_t index, std::uint16_t entries) {
  return entry * static_cast<std::uint64_t>(index % entries);
}

// Follows the descriptors of a table of `size` entries from number `i` on, at most `limit` of them.
class ChainWalk {
 public:
  ChainWalk(QueueMemory& memory, std::uint16_t limit, DescriptorChain& chain)
      : memory_(memory), limit_(limit), chain_(chain) {}

  void follow(Address table, std::uint32_t size, std::uint16_t i, bool may_be_indirect) {
    for (;;) {
      if (i >= size) throw QueueError(fmt::format("descriptor {} of a table of {} is chained", i, size));
      const Descriptor descriptor = read_descriptor(memory_, table + descriptor_size * i);
      if (descriptor.flags & is_indirect) {
        if (!may_be_indirect) throw QueueError("an indirect table has an indirect descriptor");
        if (descriptor.flags & has_next)
          throw QueueError("an indirect descriptor is followed by another one");
        if (descriptor.size == 0 || descriptor.size % descriptor_size.count() != 0)
          throw QueueError(fmt::format("an indirect table has {} bytes", descriptor.size));
        const auto entries = static_cast<std::uint32_t>(Bytes(descriptor.size) / descriptor_size);
        return follow(descriptor.first, entries, 0, false);
      }
      add(descriptor);
      if (!(descriptor.flags & has_next)) return;
      i = descriptor.next;
    }
  }

 private:
  void add(const Descriptor& descriptor) {
    if (length_++ == limit_) throw QueueError(fmt::format("a chain has more than {} descriptors", limit_));
    if (descriptor.size == 0) throw QueueError("a descriptor has no bytes");
    if (descriptor.first.value() + descriptor.size < descriptor.first.value())
      throw QueueError("a buffer goes beyond the last address");
    const bool writable = descriptor.flags & is_writable;
    if (!writable && !chain_.writable.empty())
      throw QueueError("a buffer that the device reads follows one that it writes");
    (writable ? chain_.writable : chain_.readable).push_back({descriptor.first, Bytes(descriptor.size)});
  }

  QueueMemory& memory_;
  const std::uint16_t limit_;
  DescriptorChain& chain_;
  unsigned length_ = 0;
};

}  // namespace

// ---- BufferSequence ----

BufferSequence::BufferSequence(QueueMemory& memory, std::vector<AddressRange> buffers)
    : memory_(&memory), buffers_(std::move(buffers)) {
  for (const AddressRange& buffer : buffers_) left_ += buffer.size;
}

template <class Access>
void BufferSequence::take(std::size_t size, Access access) {
  std::size_t done = 0;
  while (done < size) {
    AddressRange& buffer = buffers_.front();
    const std::size_t part = std::min<std::size_t>(size - done, buffer.size.count());
    access(buffer.first, done, part);
    done += part;
    left_ -= Bytes(part);
    buffer.first = buffer.first + Bytes(part);
    buffer.size -= Bytes(part);
    if (buffer.size == 0_B) buffers_.erase(buffers_.begin());
  }
}

void BufferSequence::read(std::span<std::byte> data) {
  take(data.size(), [&](Address at, std::size_t first, std::size_t size) {
    memory_->read(at, data.subspan(first, size));
  });
}

void BufferSequence::write(std::span<const std::byte> data) {
  take(data.size(), [&](Address at, std::size_t first, std::size_t size) {
    memory_->write(at, data.subspan(first, size));
  });
}

BufferSequence BufferSequence::split_off(Bytes last) {
  std::vector<AddressRange> end;
  while (last != 0_B) {
    AddressRange& buffer = buffers_.back();
    const Bytes part = std::min(last, buffer.size);
    buffer.size -= part;
    end.insert(end.begin(), {buffer.first + buffer.size, part});
    last -= part;
    left_ -= part;
    if (buffer.size == 0_B) buffers_.pop_back();
  }
  return {*memory_, std::move(end)};
}

// ---- SplitQueue ----

std::string SplitQueue::problem_of(const Setup& setup) {
  if (setup.size > max_size || !std::has_single_bit(setup.size))
    return fmt::format("its size is {}, expected a power of two up to {}", setup.size, max_size);
  if (setup.descriptors.value() % 16 != 0) return "its descriptors are not at a multiple of 16";
  if (setup.available.value() % 2 != 0) return "its available ring is not at a multiple of 2";
  if (setup.used.value() % 4 != 0) return "its used ring is not at a multiple of 4";
  return "";
}

void SplitQueue::start(const Setup& setup) {
  setup_ = setup;
  next_available_ = next_used_ = 0;
}

std::optional<DescriptorChain> SplitQueue::pop(QueueMemory& memory) {
  if (!is_ready()) return std::nullopt;
  const std::uint16_t index = read_half(memory, setup_.available + 2_B);
  const auto waiting = static_cast<std::uint16_t>(index - next_available_);
  if (waiting == 0) return std::nullopt;
  if (waiting > setup_.size)
    throw QueueError(fmt::format("{} chains are available in a queue of {}", waiting, setup_.size));
  const Bytes entry = place_in_ring(2_B, next_available_, setup_.size);
  DescriptorChain chain{.head = read_half(memory, setup_.available + 4_B + entry)};
  ChainWalk(memory, setup_.size, chain).follow(setup_.descriptors, setup_.size, chain.head, true);
  ++next_available_;
  return chain;
}

bool SplitQueue::push(QueueMemory& memory, std::uint16_t head, std::uint32_t written) {
  if (!is_ready()) return false;
  const Bytes entry = place_in_ring(8_B, next_used_, setup_.size);
  memory.write(setup_.used + 4_B + entry, bytes_of(std::uint64_t{written} << 32 | head));
  memory.write(setup_.used + 2_B, bytes_of(++next_used_));
  constexpr std::uint16_t no_interrupt = 1;
  return !(read_half(memory, setup_.available) & no_interrupt);
}

}  // namespace asterism
