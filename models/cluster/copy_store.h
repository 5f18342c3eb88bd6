// The copies of ranks' states that a node holds in memory, on its SSD or in the global store.
//
// A copy arrives in parts, in order. It becomes valid when its last part has been written; only valid copies
// are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster/membership.h"
#include "cluster/message.h"

namespace asterism {

struct StateCopy {
  Rank owner = 0;
  std::uint64_t version = 0;
  std::uint64_t filled = 0;  // bytes received, counted from offset 0
  bool valid = false;
  std::vector<std::byte> bytes = {};
};

class CopyStore {
 public:
  // Adds a part; a part at offset 0 restarts the copy. Returns true if it was the last one: the copy is then
  // complete, but not valid until set_valid(). A part that does not follow the previous one is ignored.
  bool add(const Message& part, std::span<const std::byte> data);
  // Adds a complete copy, which is valid at once.
  void put(Rank owner, std::uint64_t version, std::span<const std::byte> state);
  void set_valid(Rank owner, std::uint64_t version);

  const StateCopy* find(Rank owner, std::uint64_t version) const;
  const StateCopy* find_valid(Rank owner, std::uint64_t version) const;
  const std::vector<StateCopy>& all() const { return copies_; }
  std::size_t valid_count(Rank owner) const;
  void drop_if(const std::function<bool(const StateCopy&)>& condition);
  // Zeroes the bytes of copies without dropping them; only mutants do this.
  void clear_bytes_if(const std::function<bool(const StateCopy&)>& condition);

 private:
  StateCopy& make(Rank owner, std::uint64_t version, std::size_t size);

  std::vector<StateCopy> copies_;
  std::vector<std::vector<std::byte>> free_;  // buffers of dropped copies, to be reused
};

// A pair {owner, version} of an offer message.
struct Holding {
  Rank owner;
  std::uint64_t version;
  bool operator==(const Holding&) const = default;
};
std::vector<std::byte> encode_offer(std::span<const Holding> holdings);
std::vector<Holding> decode_offer(std::span<const std::byte> data);

}  // namespace asterism
