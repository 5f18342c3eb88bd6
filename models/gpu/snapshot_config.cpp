#include "gpu/snapshot_config.h"

#include <algorithm>
#include <utility>

namespace asterism {

namespace {

// Returns the problem of the name; empty if there is none.
std::string parse(std::string_view name, SnapshotConfig& config) {
  bool has_kind = false;
  const auto kind = [&](SnapshotKind value, bool fine) {
    if (has_kind) return false;
    config.kind = value;
    config.fine = fine;
    return has_kind = true;
  };
  const auto once = [](bool& part) { return !std::exchange(part, true); };
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t end = std::min(name.find('+', from), name.size());
    const std::string part(name.substr(from, end - from));
    from = end + 1;
    bool is_first;
    if (part == "F")
      is_first = kind(SnapshotKind::full, false);
    else if (part == "I")
      is_first = kind(SnapshotKind::increment, false);
    else if (part == "I-FG")
      is_first = kind(SnapshotKind::increment, true);
    else if (part == "NB")
      is_first = once(config.non_blocking);
    else if (part == "H")
      is_first = once(config.hints);
    else if (part == "D")
      is_first = once(config.device_side);
    else
      return "'" + part + "' is not one of F, I, I-FG, NB, H and D, joined by '+'";
    if (!is_first) return "has one of F, I and I-FG, and each part once";
  }
  if (!has_kind) return "has one of F, I and I-FG";
  if (config.hints && !config.non_blocking) return "has NB where it has H";
  if (config.device_side && !config.hints) return "has NB and H where it has D";
  return {};
}

}  // namespace

std::optional<SnapshotConfig> snapshot_config(std::string_view name, std::string* problem) {
  SnapshotConfig config;
  const std::string wrong = parse(name, config);
  if (problem != nullptr) *problem = wrong;
  return wrong.empty() ? std::optional(config) : std::nullopt;
}

std::string to_text(const SnapshotConfig& config) {
  std::string name = config.non_blocking ? "NB+" : "";
  name += config.kind == SnapshotKind::full ? "F" : config.fine ? "I-FG" : "I";
  if (config.hints) name += "+H";
  if (config.device_side) name += "+D";
  return name;
}

}  // namespace asterism
