// The ways to take a checkpoint (abeyratne2017 sections 5.2.3, 5.2.4 and 5.3). All save the pages that were modified since
// the checkpoint before; they differ in when pages are copied, in what waits for that, and in how much of a page is saved.
//
//   method                    copies                         waits                                        saves
//   stop_and_copy             at the end of the interval     software, until it is durable                whole pages
//   stop_and_copy_hardware    as above                       every write, until all is copied             whole pages
//   copy_on_write             after it, behind the program   a write to a page not copied, for a copy     whole pages
//                                                            in DRAM; the end of the next interval, for
//                                                            this checkpoint
//   consolidate               as stop_and_copy               as stop_and_copy                             dirty lines
//   early                     within it, then as above       software at its end; writes to a page while  whole pages
//                                                            it is copied
//   late                      after it, without hurry        a write to a page not copied yet             whole pages
//   early_late                both                           a write to a page not copied yet             whole pages
//   early_late+consolidate    both                           as above                                     dirty lines
#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace asterism {

enum class CheckpointMethod : std::uint32_t {  // the values are what firmware gives
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
      {{stop_and_copy, "stop_and_copy", "software waits until all is copied and durable"},
       {stop_and_copy_hardware, "stop_and_copy_hardware", "writes wait until all is copied, reads go on"},
       {copy_on_write, "copy_on_write", "a write to a page that is not copied yet copies it to DRAM first"},
       {consolidate, "consolidate", "stop_and_copy of dirty lines alone, of many pages in one flash page"},
       {early, "early", "pages written often enough are copied within the interval, the others at its end"},
       {late, "late", "goes on at once; a write to a page that is not copied yet waits for that"},
       {early_late, "early_late", "early, and what is left late"},
       {early_late_consolidate, "early_late+consolidate", "early_late of dirty lines alone"}});
}

constexpr bool copies_early(CheckpointMethod m) {
  return m == CheckpointMethod::early || m == CheckpointMethod::early_late ||
         m == CheckpointMethod::early_late_consolidate;
}
// The interval may end before its pages are copied.
constexpr bool copies_late(CheckpointMethod m) {
  return m == CheckpointMethod::late || m == CheckpointMethod::copy_on_write ||
         m == CheckpointMethod::early_late || m == CheckpointMethod::early_late_consolidate;
}
constexpr bool saves_lines(CheckpointMethod m) {
  return m == CheckpointMethod::consolidate || m == CheckpointMethod::early_late_consolidate;
}

}  // namespace asterism
