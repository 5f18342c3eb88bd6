#include "cluster/copy_store.h"

#include <algorithm>
#include <utility>

namespace asterism {

namespace {

constexpr std::size_t offer_entry = 16;

void put(std::vector<std::byte>& out, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}
std::uint64_t get(std::span<const std::byte> in) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{std::to_integer<std::uint8_t>(in[i])} << (8 * i);
  return value;
}

}  // namespace

StateCopy& CopyStore::make(Rank owner, std::uint64_t version, std::size_t size) {
  drop_if([&](const StateCopy& copy) { return copy.owner == owner && copy.version == version; });
  StateCopy copy{.owner = owner, .version = version};
  if (!free_.empty()) {
    copy.bytes = std::move(free_.back());
    free_.pop_back();
  }
  copy.bytes.resize(size);
  copies_.push_back(std::move(copy));
  return copies_.back();
}

bool CopyStore::add(const Message& part, std::span<const std::byte> data) {
  if (data.size() > part.total || part.offset > part.total - data.size()) return false;
  if (part.offset == 0) make(part.owner, part.number, part.total);
  const auto copy = std::ranges::find_if(
      copies_, [&](const StateCopy& c) { return c.owner == part.owner && c.version == part.number; });
  if (copy == copies_.end() || copy->filled != part.offset || copy->bytes.size() != part.total) return false;
  std::ranges::copy(data, copy->bytes.begin() + static_cast<std::ptrdiff_t>(part.offset));
  copy->filled += data.size();
  return copy->filled == part.total;
}

void CopyStore::put(Rank owner, std::uint64_t version, std::span<const std::byte> state) {
  StateCopy& copy = make(owner, version, state.size());
  std::ranges::copy(state, copy.bytes.begin());
  copy.filled = state.size();
  copy.valid = true;
}

void CopyStore::set_valid(Rank owner, std::uint64_t version) {
  for (StateCopy& copy : copies_)
    if (copy.owner == owner && copy.version == version) copy.valid = true;
}

const StateCopy* CopyStore::find(Rank owner, std::uint64_t version) const {
  const auto found = std::ranges::find_if(
      copies_, [&](const StateCopy& c) { return c.owner == owner && c.version == version; });
  return found == copies_.end() ? nullptr : &*found;
}

const StateCopy* CopyStore::find_valid(Rank owner, std::uint64_t version) const {
  const StateCopy* copy = find(owner, version);
  return copy && copy->valid ? copy : nullptr;
}

std::size_t CopyStore::valid_count(Rank owner) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(copies_, [&](const StateCopy& c) { return c.owner == owner && c.valid; }));
}

void CopyStore::drop_if(const std::function<bool(const StateCopy&)>& condition) {
  const auto gone =
      std::partition(copies_.begin(), copies_.end(), [&](const StateCopy& c) { return !condition(c); });
  for (auto copy = gone; copy != copies_.end(); ++copy) free_.push_back(std::move(copy->bytes));
  copies_.erase(gone, copies_.end());
}

void CopyStore::clear_bytes_if(const std::function<bool(const StateCopy&)>& condition) {
  for (StateCopy& copy : copies_)
    if (condition(copy)) std::ranges::fill(copy.bytes, std::byte{});
}

std::vector<std::byte> encode_offer(std::span<const Holding> holdings) {
  std::vector<std::byte> data;
  for (const Holding& holding : holdings) {
    put(data, holding.owner);
    put(data, holding.version);
  }
  return data;
}

std::vector<Holding> decode_offer(std::span<const std::byte> data) {
  std::vector<Holding> holdings;
  for (; data.size() >= offer_entry; data = data.subspan(offer_entry))
    holdings.push_back({static_cast<Rank>(get(data)), get(data.subspan(8))});
  return holdings;
}

}  // namespace asterism
