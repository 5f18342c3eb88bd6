// The ways of taking a snapshot that lee2019 compares, by its names: parts joined by '+', in any order.
//
//   F      full: all zones in use
//   I      increment, in zones of 64 KiB
//   I-FG   increment, in zones of 4 KiB
//   NB     kernels run while zones are copied; without it they wait
//   H      the driver reports which zones are preserved while it copies, and prefers zones with waiting
//          writes; needs NB
//   D      device-side: transfer buffer and duplicate-on-write; needs NB and H
//
// Each has one of F, I and I-FG, so there are twelve.
//
// Source: lee2019 section 5.1. The dependencies follow from sections 4.1.3 and 4.3: without NB no write ever
// waits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "gpu/gpu.h"

namespace asterism {

struct SnapshotConfig {
  SnapshotKind kind = SnapshotKind::full;
  bool fine = false;  // zones of 4 KiB; it only determines the zone size of the device
  bool non_blocking = false;
  bool hints = false;
  bool device_side = false;
  bool operator==(const SnapshotConfig&) const = default;
};

constexpr std::array<std::string_view, 12> snapshot_config_names = {
    "F",    "NB+F",    "NB+F+H",    "NB+F+H+D",  //
    "I",    "NB+I",    "NB+I+H",    "NB+I+H+D",  //
    "I-FG", "NB+I-FG", "NB+I-FG+H", "NB+I-FG+H+D"};

// Returns nullopt for a text that is not such a name; `problem`, if given, is then the reason.
std::optional<SnapshotConfig> snapshot_config(std::string_view name, std::string* problem = nullptr);
std::string to_text(const SnapshotConfig& config);  // in the order NB, F or I or I-FG, H, D

}  // namespace asterism
