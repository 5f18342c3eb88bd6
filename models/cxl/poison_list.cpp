#include "cxl/poison_list.h"

#include <algorithm>
#include <iterator>

namespace asterism {

bool PoisonList::add(Bytes offset, PoisonSource source) {
  const auto [found, is_new] = lines_.try_emplace(offset / line, Line{source, 0});
  if (source == PoisonSource::injected) found->second.written = 0;
  return is_new;
}

bool PoisonList::touches(Bytes offset, Bytes size) const {
  if (lines_.empty() || size == Bytes(0)) return false;
  const auto found = lines_.lower_bound(offset / line);
  return found != lines_.end() && found->first <= (offset + size - Bytes(1)) / line;
}

AddressRange PoisonList::sound_around(Bytes page, AddressRange range) const {
  constexpr std::uint64_t page_lines = 4096 / 64;
  if (touches(page, 4_KiB)) return {Address(page.count()), Bytes(0)};
  std::uint64_t begin = range.first.value(), end = (range.first + range.size).value();
  const auto behind = lines_.lower_bound(page / line);
  if (behind != lines_.end()) end = std::min(end, behind->first / page_lines * 4096);
  if (behind != lines_.begin()) begin = std::max(begin, (std::prev(behind)->first / page_lines + 1) * 4096);
  return {Address(begin), Bytes(end - begin)};
}

bool PoisonList::written(Bytes offset, Bytes size) {
  bool is_cleared = false;
  const std::uint64_t first = offset.count(), end = (offset + size).count();
  for (auto each = lines_.lower_bound(offset / line); each != lines_.end() && each->first * 64 < end;) {
    const std::uint64_t begin = each->first * 64;
    for (std::uint64_t at = std::max(begin, first); at < std::min(begin + 64, end); ++at)
      each->second.written |= std::uint64_t{1} << (at - begin);
    const bool is_whole = each->second.written == ~std::uint64_t{0};
    is_cleared |= is_whole;
    each = is_whole ? lines_.erase(each) : std::next(each);
  }
  return is_cleared;
}

bool PoisonList::clear(Bytes offset) { return lines_.erase(offset / line) != 0; }

PoisonList::Entry PoisonList::entry(std::size_t index) const {
  const auto found = std::next(lines_.begin(), static_cast<std::ptrdiff_t>(index));
  return {line * found->first, found->second.source};
}

void PoisonList::reset(Reset kind) {
  if (kind != Reset::warm) lines_.clear();
}

}  // namespace asterism
