// A setup and a result as lines of text, for the pipe between a study and the program that simulates: one
// line for each member and its value, and a last line "end". Numbers survive the conversion bit for bit.
#pragma once

#include <iosfwd>
#include <optional>

#include "cluster_scale/cluster_result.h"
#include "cluster_scale/cluster_setup.h"

namespace asterism {

void write_text(std::ostream& out, const ClusterSetup& setup);
void write_text(std::ostream& out, const ClusterResult& result);

// The next setup or result; nothing at the end of the input. They throw std::invalid_argument, with the line,
// for invalid text.
std::optional<ClusterSetup> read_setup(std::istream& in);
std::optional<ClusterResult> read_result(std::istream& in);

}  // namespace asterism
