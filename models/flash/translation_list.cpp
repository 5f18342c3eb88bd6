#include "flash/translation_list.h"

namespace asterism {
namespace {

void store(std::span<std::byte> to, std::uint64_t value) {
  for (std::byte& byte : to) {
    byte = static_cast<std::byte>(value & 0xff);
    value >>= 8;
  }
}

std::uint64_t load(std::span<const std::byte> from) {
  std::uint64_t value = 0;
  for (std::size_t i = from.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

}  // namespace

void TranslationList::put(std::span<std::byte> list, std::uint32_t index, const Entry& entry) {
  const auto place = list.subspan(std::size_t{index} * entry_bytes, entry_bytes);
  store(place.first(4), entry.logical);
  store(place.subspan(4), entry.sequence);
}

TranslationList::Entry TranslationList::get(std::span<const std::byte> list, std::uint32_t index) {
  const auto place = list.subspan(std::size_t{index} * entry_bytes, entry_bytes);
  return {static_cast<std::uint32_t>(load(place.first(4))), load(place.subspan(4))};
}

}  // namespace asterism
