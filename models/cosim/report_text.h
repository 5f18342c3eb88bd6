// Times and sets as the reports of this room write them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace asterism {

// "12.400345 us": exact, and of equal form for all times, so that a list of them reads well.
std::string report_time(Picoseconds time);

// An error's text behind the name of the instance that it begins with, which a report has in its first line.
std::string report_reason(std::string_view error, const std::string& instance);

// What members of a set are called; a member without a name by its number.
using ReportNames = std::span<const std::string>;

// "{0, 2, 3}", "{core0, dram}"; or as a number, "0xf00f0000000000000000", when that would be long.
std::string report_set(const std::array<std::uint64_t, 2>& set, ReportNames names = {});

// The one that is in the set: "2"; "nobody" of none, "{0, 2}" of more.
std::string report_winner(const std::array<std::uint64_t, 2>& set, ReportNames names = {});

}  // namespace asterism
