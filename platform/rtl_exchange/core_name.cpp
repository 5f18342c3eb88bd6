#include "platform/rtl_exchange/core_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace asterism {
namespace {

std::vector<std::string> parts_between(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "1.2.3", "1.2-r1": numbers, of which the last one is the revision; other characters separate them.
std::vector<int> version_numbers(std::string_view text) {
  std::vector<int> numbers;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    int number = 0;
    const auto [stop, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error == std::errc()) numbers.push_back(number);
    at = error == std::errc() ? stop : at + 1;
    while (at < text.data() + text.size() && !is_digit(*at)) ++at;
  }
  return numbers;
}

// "name-1.2-r1" of the old style.
CoreName old_style(const std::string& text) {
  for (std::size_t dash = text.find('-'); dash != std::string::npos; dash = text.find('-', dash + 1))
    if (dash + 1 < text.size() && is_digit(text[dash + 1]))
      return {"::" + text.substr(0, dash), version_numbers(text.substr(dash + 1))};
  return {"::" + text, {}};
}

}  // namespace

bool is_older(const std::vector<int>& a, const std::vector<int>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int x = i < a.size() ? a[i] : 0, y = i < b.size() ? b[i] : 0;
    if (x != y) return x < y;
  }
  return false;
}

std::optional<CoreName> CoreName::parse(std::string_view text) {
  const std::vector<std::string> parts = parts_between(text, ':');
  if (parts.size() == 1) return parts[0].empty() ? std::nullopt : std::optional(old_style(parts[0]));
  if (parts.size() < 3 || parts.size() > 4 || parts[2].empty()) return std::nullopt;
  return CoreName{parts[0] + ":" + parts[1] + ":" + parts[2],
                  parts.size() == 4 ? version_numbers(parts[3]) : std::vector<int>()};
}

std::optional<CoreRequirement> CoreRequirement::parse(std::string_view text) {
  std::string relation;
  for (const std::string_view each : {">=", "<=", ">", "<", "~", "^", "="})
    if (relation.empty() && text.starts_with(each)) relation = each;
  text.remove_prefix(relation.size());
  const std::optional<CoreName> name = CoreName::parse(text);
  if (!name) return std::nullopt;
  if (relation == "=" || (relation.empty() && !name->version.empty())) relation = "==";
  return CoreRequirement{*name, name->version.empty() ? "" : relation};
}

bool CoreRequirement::is_met_by(const CoreName& candidate) const {
  if (candidate.core != name.core) return false;
  const bool older = is_older(candidate.version, name.version),
             newer = is_older(name.version, candidate.version);
  if (relation == "==") return !older && !newer;
  if (relation == ">=") return !older;
  if (relation == "<=") return !newer;
  if (relation == ">") return newer;
  if (relation == "<") return older;
  if (relation.empty()) return true;
  // ^1.2 is below 2, ~1.2 below 1.3.
  std::vector<int> end = name.version;
  end.resize(std::min(end.size(), std::size_t{relation == "^" ? 1U : 2U}));
  ++end.back();
  return !older && is_older(candidate.version, end);
}

}  // namespace asterism
