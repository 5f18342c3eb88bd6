// Differential streams: random programs run on the engine and on an oracle, from the same state. A program
// with different results is reduced to the fewest instructions that show the difference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/a64/decoder.h"

namespace asterism::a64::oracle {

struct StreamOptions {
  std::string of_class = "all";
  std::string row;  // rows whose name contains it
  std::uint64_t instructions = 100'000, seed = 1;
  Translation translation = usual_translation;
  bool is_vixl = false;  // compared with VIXL, in the classes of vixl_classes(), instead of Unicorn
};

struct StreamResult {
  std::uint64_t instructions = 0;  // run
  std::uint64_t programs = 0;      // different ones
  std::uint64_t compared = 0;      // runs of programs whose results were compared
  std::uint64_t left_memory = 0;   // runs that were dropped because they left the data
  std::string mismatch;            // of the first program that differs; empty: none
};

StreamResult run_stream(const StreamOptions& options);

// What VIXL's simulator executes. False: it is not installed.
const std::vector<std::string>& vixl_classes();
bool has_vixl();

// Names of the rows that a stream of this class draws from.
std::vector<std::string> stream_rows(const std::string& of_class);

}  // namespace asterism::a64::oracle
