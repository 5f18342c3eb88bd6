#include "fabric/address_decoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace asterism {

void AddressDecoder::add(AddressRange range, unsigned target, std::string name) {
  for (const Entry& other : entries_)
    if (other.range.overlaps(range))
      throw std::invalid_argument(fmt::format("{} at {:#x}-{:#x} overlaps {} at {:#x}-{:#x}", name,
                                              range.first.value(), range.last().value(), other.name,
                                              other.range.first.value(), other.range.last().value()));
  const auto at =
      std::ranges::upper_bound(entries_, range.first, {}, [](const Entry& e) { return e.range.first; });
  entries_.insert(at, {range, target, std::move(name)});
}

const AddressDecoder::Entry* AddressDecoder::decode(Address address, Bytes length) const {
  const auto after =
      std::ranges::upper_bound(entries_, address, {}, [](const Entry& e) { return e.range.first; });
  if (after == entries_.begin()) return nullptr;
  const Entry& candidate = *std::prev(after);
  return candidate.range.contains(address, length) ? &candidate : nullptr;
}

}  // namespace asterism
