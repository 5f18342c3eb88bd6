// The checkpoint methods (abeyratne2017 sections 5.2.3, 5.2.4 and 5.3). All save the pages that were modified
// since the checkpoint before. They differ in when pages are copied, in what has to wait for that, and in how
// much of a page is saved.
//
//   method                   saves        copies                      blocks
//   stop_and_copy            whole pages  at the end of the interval  software, until the version is durable
//   stop_and_copy_hardware   whole pages  at the end of the interval  every write, until all pages are copied
//   copy_on_write            whole pages  after the interval, while   a write to a page not yet copied, until
//                                         software continues          it is copied in DRAM; the end of the
//                                                                     next interval, until this version is
//                                                                     durable
//   consolidate              dirty lines  at the end of the interval  software, until the version is durable
//   early                    whole pages  within the interval, and    software at its end; writes to a page
//                                         the rest at its end         while it is copied
//   late                     whole pages  after the interval          a write to a page not yet copied
//   early_late               whole pages  within and after it         a write to a page not yet copied
//   early_late+consolidate   dirty lines  within and after it         a write to a page not yet copied
#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace asterism {

enum class CheckpointMethod : std::uint32_t {  // firmware uses these values
  stop_and_copy = 1,
  stop_and_copy_hardware = 2,
  copy_on_write = 3,
  consolidate = 4,
  early = 5,
  late = 6,
  early_late = 7,
  early_late_consolidate = 8,
};
constexpr auto enum_names(CheckpointMethod) {
  using enum CheckpointMethod;
  return std::to_array<EnumName<CheckpointMethod>>(
      {{stop_and_copy, "stop_and_copy", "software waits until all pages are copied and durable"},
       {stop_and_copy_hardware, "stop_and_copy_hardware",
        "writes wait until all pages are copied, reads continue"},
       {copy_on_write, "copy_on_write",
        "a write to a page that is not yet copied first copies it within DRAM"},
       {consolidate, "consolidate",
        "as stop_and_copy, but only dirty lines are saved, and those of many pages share a flash page"},
       {early, "early",
        "pages that were written often enough are copied within the interval, the others at its end"},
       {late, "late",
        "software continues at once; a write to a page that is not yet copied waits until it is"},
       {early_late, "early_late", "as early, and the remaining pages as late"},
       {early_late_consolidate, "early_late+consolidate", "as early_late, but only dirty lines are saved"}});
}

constexpr bool copies_early(CheckpointMethod m) {
  return m == CheckpointMethod::early || m == CheckpointMethod::early_late ||
         m == CheckpointMethod::early_late_consolidate;
}
// Whether the interval may end before its pages are copied.
constexpr bool copies_late(CheckpointMethod m) {
  return m == CheckpointMethod::late || m == CheckpointMethod::copy_on_write ||
         m == CheckpointMethod::early_late || m == CheckpointMethod::early_late_consolidate;
}
constexpr bool saves_lines(CheckpointMethod m) {
  return m == CheckpointMethod::consolidate || m == CheckpointMethod::early_late_consolidate;
}

}  // namespace asterism
