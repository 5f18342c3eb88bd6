// Signals that the trace of a mismatch has beside those of the RTL, so that a wave viewer shows why it was
// written. They are in the scope "lockstep":
//
//   mismatch       a marker: low, and high from the beginning of the cycle or the access that differed
//   model_answer   a text: the model's answers to the last operations or accesses
//   <vector>       bits, with a scope of the same name that has a signal for each bit, by its name
//
//   add_notes(file, {.mismatch = 8'246'500_ps,
//                    .vectors = {{.name = "model_grant", .bits = names, .changes = grants},
//                                {.name = "request", .bits = names, .port = "request_i"}}});
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace asterism {

struct TraceNotes {
  struct Vector {
    std::string name;
    std::vector<std::string> bits;  // the names, from bit 0 on
    // The values, in order of time; or else the port of the top module whose values it repeats.
    std::vector<std::pair<Picoseconds, std::array<std::uint64_t, 2>>> changes = {};
    std::string port = {};
  };
  Picoseconds mismatch = {};
  std::vector<std::pair<Picoseconds, std::string>> answers = {};  // of the model, in order of time
  std::vector<Vector> vectors = {};
};

// Adds the signals to an FST file. A file of another format, as a library that was written by hand may make,
// is left as it is. Throws RtlError if the file cannot be written.
void add_notes(const std::filesystem::path& trace, const TraceNotes& notes);

}  // namespace asterism
