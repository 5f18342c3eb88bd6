#include "platform/config/renamed_keys.h"

#include <algorithm>
#include <array>

#include "platform/config/config_value.h"

namespace asterism {
namespace {

// Sorted by the old path.
constexpr auto table = std::to_array<RenamedKey>({
    {"cuts", "power_failures"},
    {"least_interval", "min_interval"},
    {"least_tau", "min_tau"},
    {"patience", "starvation_limit"},
    {"plant", "mutant"},
    {"trial_cuts", "trial_power_failures"},
});

bool is_index(std::string_view key) {
  return !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether one of the two paths is the end of the other.
bool are_ends(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  return std::equal(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(common), b.rbegin());
}

}  // namespace

std::span<const RenamedKey> renamed_keys() { return table; }

std::optional<std::string_view> new_name_of(std::string_view path, const std::vector<std::string>& keys) {
  std::vector<std::string> path_keys = split_path(path);
  std::erase_if(path_keys, is_index);
  for (const RenamedKey& renamed : table)
    if (are_ends(split_path(renamed.old_path), path_keys) &&
        std::ranges::find(keys, renamed.new_key) != keys.end())
      return renamed.new_key;
  return std::nullopt;
}

}  // namespace asterism
