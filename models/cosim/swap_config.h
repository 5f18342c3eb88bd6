// How a block is swapped: the same keys in the object of every block that has RTL.
//
//   "arbiter": { "impl": "lockstep", "variant": "rtl/lrg_arbiter/block.json",
//                "trace": { "format": "fst", "on": "mismatch", "window": "2us" } }
#pragma once

#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class Impl { model, rtl, lockstep };
constexpr auto enum_names(Impl) {
  return std::to_array<EnumName<Impl>>(
      {{Impl::model, "model", "the model alone"},
       {Impl::rtl, "rtl", "the Verilated RTL answers"},
       {Impl::lockstep, "lockstep",
        "the model answers, the RTL shadows it, the first difference ends the run"}});
}

enum class TraceFormat { fst };
constexpr auto enum_names(TraceFormat) {
  return std::to_array<EnumName<TraceFormat>>({{TraceFormat::fst, "fst", "for GTKWave and Surfer"}});
}
enum class TraceOn { mismatch, never };
constexpr auto enum_names(TraceOn) {
  return std::to_array<EnumName<TraceOn>>(
      {{TraceOn::mismatch, "mismatch", "the window before a difference"},
       {TraceOn::never, "never", "none; asterism run --trace still can"}});
}

struct SwapTrace {
  TraceFormat format = TraceFormat::fst;
  TraceOn on = TraceOn::mismatch;
  Picoseconds window = 2_us;
};
void describe(Fields& f, SwapTrace& trace);

}  // namespace asterism
