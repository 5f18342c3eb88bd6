// For tests: a memory from address 0 on that answers at once.
#pragma once

#include <cstring>
#include <vector>

#include "virtio/split_queue.h"

namespace asterism {

struct FlatMemory final : QueueMemory {
  std::vector<std::byte> bytes;

  explicit FlatMemory(Bytes size) : bytes(size.count()) {}

  void read(Address first, std::span<std::byte> data) override {
    std::memcpy(data.data(), place(first, data.size()), data.size());
  }
  void write(Address first, std::span<const std::byte> data) override {
    std::memcpy(place(first, data.size()), data.data(), data.size());
  }
  std::byte* place(Address first, std::size_t size) {
    if (!AddressRange{Address(0), Bytes(bytes.size())}.contains(first, Bytes(size)))
      throw QueueError("memory does not answer");
    return bytes.data() + first.value();
  }
  template <class T>
  void set(std::uint64_t at, T value) {
    std::memcpy(place(Address(at), sizeof value), &value, sizeof value);
  }
  template <class T>
  T get(std::uint64_t at) {
    T value;
    std::memcpy(&value, place(Address(at), sizeof value), sizeof value);
    return value;
  }
};

}  // namespace asterism
