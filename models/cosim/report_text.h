// Times and sets in the form that the reports of this folder use.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace asterism {

// "12.400345 us": exact, and in the same form for all times, so that lists are aligned.
std::string report_time(Picoseconds time);

// The text of an error without the name of the instance at its beginning, which a report has in its first
// line.
std::string report_reason(std::string_view error, const std::string& instance);

// The names of the members of a set; a member without a name is given by its number.
using ReportNames = std::span<const std::string>;

// "{0, 2, 3}", "{core0, dram}"; a long set is given as a number, "0xf00f0000000000000000".
std::string report_set(const std::array<std::uint64_t, 2>& set, ReportNames names = {});

// The single member of the set: "2"; "nobody" if it is empty, "{0, 2}" if there are several.
std::string report_winner(const std::array<std::uint64_t, 2>& set, ReportNames names = {});

}  // namespace asterism
