#include "memory/address_mapping.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace asterism {
namespace {

constexpr std::array<std::string_view, 5> part_names = {"Ro", "Ra", "Ba", "Co", "Ch"};

// The remainder of the sum of a number's digits.
std::uint32_t digit_sum(std::uint64_t number, std::uint32_t base) {
  if (base == 1) return 0;
  std::uint64_t sum = 0;
  for (; number != 0; number /= base) sum += number % base;
  return static_cast<std::uint32_t>(sum % base);
}

}  // namespace

std::string mapping_problem(std::string_view order) {
  const std::string expected = "expected each of Ro, Ra, Ba, Co and Ch once, such as RoRaBaCoCh, got \"";
  bool right = order.size() == 2 * part_names.size();
  for (const std::string_view name : part_names) {
    const std::size_t at = order.find(name);
    right = right && at != std::string_view::npos && at % 2 == 0;
  }
  return right ? "" : expected + std::string(order) + "\"";
}

AddressMapping::AddressMapping(std::string_view order, const DramGeometry& geometry, bool hash)
    : geometry_(geometry), hash_(hash) {
  if (const std::string problem = mapping_problem(order); !problem.empty())
    throw std::invalid_argument(problem);
  sizes_ = {geometry.rows, geometry.ranks, geometry.banks, geometry.columns, geometry.channels};
  if (std::ranges::find(sizes_, 0u) != sizes_.end())
    throw std::invalid_argument("expected at least one channel, rank, bank, row and column");
  for (std::size_t i = 0; i < parts; ++i) {
    const auto name = std::ranges::find(part_names, order.substr(2 * (parts - 1 - i), 2));
    order_[i] = static_cast<Part>(name - part_names.begin());
  }
  unsigned shift = 0;
  for (const Part part : order_) {
    has_bits_ &= std::has_single_bit(sizes_[part]);
    shift_[part] = shift;
    shift += static_cast<unsigned>(std::countr_zero(sizes_[part]));
  }
}

std::uint32_t AddressMapping::bank_shift(std::uint32_t of_row) const {
  return digit_sum(of_row, sizes_[bank]);
}

std::uint32_t AddressMapping::channel_shift(std::uint32_t of_row, std::uint32_t of_rank,
                                            std::uint32_t of_bank, std::uint32_t of_column) const {
  std::uint64_t others = of_row;
  others = others * sizes_[rank] + of_rank;
  others = others * sizes_[bank] + of_bank;
  others = others * sizes_[column] + of_column;
  return digit_sum(others, sizes_[channel]);
}

BlockLocation AddressMapping::locate(std::uint64_t block) const {
  std::array<std::uint32_t, parts> digit{};
  if (has_bits_) {
    for (std::size_t part = 0; part < parts; ++part)
      digit[part] = static_cast<std::uint32_t>(block >> shift_[part]) & (sizes_[part] - 1);
  } else {
    for (const Part part : order_) {
      digit[part] = static_cast<std::uint32_t>(block % sizes_[part]);
      block /= sizes_[part];
    }
  }
  if (hash_) {
    digit[channel] += channel_shift(digit[row], digit[rank], digit[bank], digit[column]);
    digit[channel] %= sizes_[channel];
    digit[bank] = (digit[bank] + bank_shift(digit[row])) % sizes_[bank];
  }
  return {digit[channel], digit[rank], digit[bank], digit[row], digit[column]};
}

std::uint64_t AddressMapping::block_at(const BlockLocation& l) const {
  std::array<std::uint32_t, parts> digit{};
  digit[channel] = l.channel, digit[rank] = l.rank, digit[bank] = l.bank, digit[row] = l.row,
  digit[column] = l.column;
  if (hash_) {
    digit[bank] = (digit[bank] + sizes_[bank] - bank_shift(digit[row])) % sizes_[bank];
    digit[channel] += sizes_[channel] - channel_shift(digit[row], digit[rank], digit[bank], digit[column]);
    digit[channel] %= sizes_[channel];
  }
  std::uint64_t block = 0;
  for (auto part = order_.rbegin(); part != order_.rend(); ++part)
    block = block * sizes_[*part] + digit[*part];
  return block;
}

bool AddressMapping::rank_is_contiguous() const {
  // All that lies above the rank must have one value only.
  for (auto part = order_.rbegin(); *part != rank; ++part)
    if (sizes_[*part] > 1) return false;
  return true;
}

}  // namespace asterism
