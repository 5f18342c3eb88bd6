// A DIMM-SSD whose power is cut again and again, and what it must still know afterwards.
//
// A trial makes a memory of random contents and a small flash, writes to the memory, takes checkpoints of it by all methods,
// and cuts the power: after any event of the device, so also inside a program, an erase, a merge, a collection and the
// recovery from the cut before. After each cut:
//
//   - a version that was reported durable is there, unless newer ones have made it too old, or it was discarded
//   - a version that was reported discarded is not
//   - every version that is there reads back, byte for byte, as the memory was at the end of its interval
//
// and the trial goes on from the newest one. At every event a version that is there is readable, unless bit errors have met it.
// Now and then the device comes to rest: then nothing may be waited for any more. At each commit, each
// discard and each cut every version that is there is read out of the flash itself and compared
// (crash_audit.h), and a version is stored as a full one where it had nothing to continue, and nowhere else.
//
// Trials aim at states (crash_states.h): few pages, a flash that is soon full, and intervals before, within
// and behind which the version that the next one stands on is discarded, aborted, restored, lost, followed by
// another name, list or method; the power is cut at a chosen kind of work. Or all of that is left to chance.
//
// Mixed in: another name, discards, aborts, memory that does not answer, flash that is too small, blocks that wear out,
// bit errors within what the page code corrects and, in some trials, beyond. With those a version may be lost; what can be
// read must still be right.
//
// A seed gives one trial, on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/enum_names.h"
#include "dimm_ssd/checkpoint_method.h"

namespace asterism {

class Fields;

enum class CrashContents : std::uint8_t { any, lines, tags };
constexpr auto enum_names(CrashContents) {
  return std::to_array<EnumName<CrashContents>>(
      {{CrashContents::any, "any", "a trial takes one of these by its seed"},
       {CrashContents::lines, "lines", "64 bytes a line, in pages of 4 KiB"},
       {CrashContents::tags, "tags", "8 bytes stand for a line: more pages and versions in the same time"}});
}

enum class CrashMethod : std::uint8_t {
  any = 0,
  stop_and_copy,
  stop_and_copy_hardware,
  copy_on_write,
  consolidate,
  early,
  late,
  early_late,
  early_late_consolidate,
  mixed,
};
constexpr auto enum_names(CrashMethod) {
  using enum CrashMethod;
  return std::to_array<EnumName<CrashMethod>>({{any, "any", "a trial takes one of these by its seed"},
                                               {stop_and_copy, "stop_and_copy"},
                                               {stop_and_copy_hardware, "stop_and_copy_hardware"},
                                               {copy_on_write, "copy_on_write"},
                                               {consolidate, "consolidate"},
                                               {early, "early"},
                                               {late, "late"},
                                               {early_late, "early_late"},
                                               {early_late_consolidate, "early_late+consolidate"},
                                               {mixed, "mixed", "another one after each interval"}});
}

enum class CrashAim : std::uint8_t { states, anywhere };
constexpr auto enum_names(CrashAim) {
  return std::to_array<EnumName<CrashAim>>(
      {{CrashAim::states, "states",
        "few pages, small flash; what a version stands on goes between intervals and within them"},
       {CrashAim::anywhere, "anywhere", "writes, intervals, discards and cuts at random"}});
}

// Faults of the trial itself or of the table of modified pages, to see that it finds them.
enum class CrashPlant : std::uint8_t {
  none,
  writes_do_not_wait,
  reported_too_early,
  losing_page,
  early_lines_of_a_lost_base,
  increment_of_a_lost_base,
  forgotten_line,
};
constexpr auto enum_names(CrashPlant) {
  return std::to_array<EnumName<CrashPlant>>(
      {{CrashPlant::none, "none"},
       {CrashPlant::writes_do_not_wait, "writes_do_not_wait",
        "a write that is held goes to memory all the same"},
       {CrashPlant::reported_too_early, "reported_too_early",
        "a version counts as durable as soon as its interval has ended"},
       {CrashPlant::losing_page, "losing_page",
        "each cut makes a page unreadable that was written completely"},
       {CrashPlant::early_lines_of_a_lost_base, "early_lines_of_a_lost_base",
        "the first page that is copied early has its modified lines alone where the base of its checkpoint "
        "is gone"},
       {CrashPlant::increment_of_a_lost_base, "increment_of_a_lost_base",
        "all pages have their modified lines alone where the base is gone"},
       {CrashPlant::forgotten_line, "forgotten_line", "one line in eight copies is left out"}});
}

struct CrashTrialConfig {
  CrashMethod method = CrashMethod::any;
  CrashContents contents = CrashContents::any;
  std::uint32_t pages = 0;   // of the memory; 0: by the seed
  std::uint32_t blocks = 0;  // of a plane of the flash; 0: by the seed
  std::uint32_t cuts = 20;
  CrashPlant plant = CrashPlant::none;
  CrashAim aim = CrashAim::states;
};
void describe(Fields& f, CrashTrialConfig& config);

// What a trial has come across.
struct CrashCounts {
  std::uint64_t cuts = 0;
  std::uint64_t in_program = 0, in_erase = 0, in_merge = 0, in_collection = 0, in_recovery = 0,
                in_restore = 0;
  std::uint64_t durable = 0;   // versions reported
  std::uint64_t newer = 0;     // recovered, not reported yet
  std::uint64_t restored = 0;  // images compared
  std::uint64_t given_up = 0;  // versions
  std::uint64_t no_space = 0, worn_out = 0, memory_errors = 0, aborts = 0, discards = 0;
  std::uint64_t merges = 0, compactions = 0, collections = 0, blocks_retired = 0;
  std::uint64_t lost = 0;     // versions, to bit errors
  std::uint64_t audited = 0;  // images compared in flash, without a cut

  CrashCounts& operator+=(const CrashCounts& other);
};

struct CrashFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CrashStates;

// Throws CrashFailure. `states`: what it has reached is counted there.
CrashCounts run_crash_trial(const CrashTrialConfig& config, std::uint64_t seed,
                            CrashStates* states = nullptr);

}  // namespace asterism
