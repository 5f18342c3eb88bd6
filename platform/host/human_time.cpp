#include "platform/host/human_time.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/quantity_text.h"

namespace asterism {

std::string human_time(Picoseconds time) {
  constexpr std::pair<std::uint64_t, const char*> units[] = {
      {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}};
  for (const auto& [size, name] : units)
    if (time.count() >= size || size == 1)
      return fmt::format("{:.6g} {}", static_cast<double>(time.count()) / static_cast<double>(size), name);
  return "";
}

Picoseconds time_of_person(std::string text) {
  const std::size_t space = text.find(' ');
  if (space != std::string::npos && space > 0) text.erase(space, 1);
  return parse_quantity<Picoseconds>(text);
}

std::string human_seconds(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace asterism
