#include "cosim/report_text.h"

#include <fmt/format.h>

#include <bit>

namespace asterism {

std::string report_time(Picoseconds time) {
  return fmt::format("{}.{:06} us", time.count() / 1'000'000, time.count() % 1'000'000);
}

std::string report_reason(std::string_view error, const std::string& instance) {
  const std::string prefix = instance + ": ";
  if (error.starts_with(prefix)) error.remove_prefix(prefix.size());
  return std::string(error);
}

namespace {

std::string name_of(unsigned member, ReportNames names) {
  return member < names.size() ? names[member] : std::to_string(member);
}

}  // namespace

std::string report_set(const std::array<std::uint64_t, 2>& set, ReportNames names) {
  constexpr std::size_t longest_list = 48;
  std::string list = "{";
  for (unsigned word = 0; word < set.size(); ++word)
    for (std::uint64_t rest = set[word]; rest != 0; rest &= rest - 1)
      list += (list.size() == 1 ? "" : ", ") +
              name_of(word * 64 + static_cast<unsigned>(std::countr_zero(rest)), names);
  list += '}';
  if (list.size() <= longest_list) return list;
  return set[1] != 0 ? fmt::format("{:#x}{:016x}", set[1], set[0]) : fmt::format("{:#x}", set[0]);
}

std::string report_winner(const std::array<std::uint64_t, 2>& set, ReportNames names) {
  const int count = std::popcount(set[0]) + std::popcount(set[1]);
  if (count == 0) return "nobody";
  if (count > 1) return report_set(set, names);
  return name_of(
      static_cast<unsigned>(set[0] != 0 ? std::countr_zero(set[0]) : 64 + std::countr_zero(set[1])), names);
}

}  // namespace asterism
