// Copies of ranks' states that a node holds, in memory, on its SSD or in the global store.
//
// A copy is made of parts that come in order; it is whole when the last one has been written, and only then counts.
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
  std::uint64_t filled = 0;  // bytes, from the first on
  bool valid = false;
  std::vector<std::byte> bytes = {};
};

class CopyStore {
 public:
  // Takes a part in; one of offset 0 begins the copy anew. True: it was the last one, and the copy is complete, but not whole
  // until it is said to be. What does not follow the part before is left out.
  bool add(const Message& part, std::span<const std::byte> data);
  // A complete copy at once, whole.
  void put(Rank owner, std::uint64_t version, std::span<const std::byte> state);
  void set_valid(Rank owner, std::uint64_t version);

  const StateCopy* find(Rank owner, std::uint64_t version) const;
  const StateCopy* find_valid(Rank owner, std::uint64_t version) const;
  const std::vector<StateCopy>& all() const { return copies_; }
  std::size_t valid_count(Rank owner) const;
  void drop_if(const std::function<bool(const StateCopy&)>& condition);
  // Their bytes become zero, for tests of what notices it.
  void clear_bytes_if(const std::function<bool(const StateCopy&)>& condition);

 private:
  StateCopy& make(Rank owner, std::uint64_t version, std::size_t size);

  std::vector<StateCopy> copies_;
  std::vector<std::vector<std::byte>> free_;  // of dropped ones, for the next
};

// The pairs {owner, version} of an offer.
struct Holding {
  Rank owner;
  std::uint64_t version;
  bool operator==(const Holding&) const = default;
};
std::vector<std::byte> encode_offer(std::span<const Holding> holdings);
std::vector<Holding> decode_offer(std::span<const std::byte> data);

}  // namespace asterism
