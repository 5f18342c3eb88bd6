#include "platform/config/nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace asterism {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// No name is that long; a guard against comparing a megabyte of garbage.
constexpr std::size_t longest_compared = 64;

// Whether words of the name, between its "_", are the given ones. A word of a letter or two says nothing.
bool has_word(const std::string& name, std::string_view given) {
  return given.size() > 2 && ("_" + name + "_").find("_" + std::string(given) + "_") != std::string::npos;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& names) {
  if (given.empty() || given.size() > longest_compared) return "";
  std::string nearest;
  const int letters = static_cast<int>(given.size());
  // All letters of a short name would be changed.
  int smallest = std::min(std::max(1, letters / 3) + 1, letters);
  for (const std::string& name : names) {
    const int distance = edit_distance(given, name);
    if (distance < smallest) {
      smallest = distance;
      nearest = name;
    }
  }
  if (!nearest.empty()) return nearest;
  const auto longer =
      std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.starts_with(given); });
  if (longer != names.end()) return *longer;
  const auto with_word =
      std::find_if(names.begin(), names.end(), [&](const auto& n) { return has_word(n, given); });
  return with_word != names.end() ? *with_word : "";
}

}  // namespace asterism
