// Trials in which the power of a DIMM-SSD fails again and again, and the check of what it must still hold
// afterwards.
//
// A trial makes a memory of random contents and a small flash, writes to the memory, takes checkpoints of it
// by all methods, and lets the power fail after any event of the device: also within a program, an erase, a
// merge, a collection and the recovery from the power failure before. After each power failure:
//
//   - a version that was reported durable is there, unless newer versions have expired it or it was discarded
//   - a version that was reported discarded is not there
//   - every version that is there reads back, byte for byte, as the memory was at the end of its interval
//
// The trial then resumes from the newest version. At every event each version that is there is readable,
// unless bit errors have hit it. From time to time the device is drained: nothing may be pending then. At
// each commit, each discard and each power failure every version that is there is read from the flash image
// and compared (crash_audit.h). A version must be stored as a full one if it had no base, and as an increment
// otherwise.
//
// Trials are directed at states (crash_states.h): they have few pages, a flash that is soon full, and
// intervals before, within and after which the base of the next version is discarded, aborted, restored or
// lost, or the name, the list or the method changes; the power fails during a chosen kind of work.
// Alternatively all of this is left to chance.
//
// Other names, discards, aborts, memory that does not answer, a flash that is too small, blocks that wear out
// and bit errors are mixed in. Bit errors stay within what the page code corrects; in some trials they exceed
// it. A version may then be lost, but what can be read must still be correct.
//
// A seed gives the same trial on every machine.
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
      {{CrashContents::any, "any", "each trial draws one by its seed"},
       {CrashContents::lines, "lines", "64 bytes per line, in pages of 4 KiB"},
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
  return std::to_array<EnumName<CrashMethod>>({{any, "any", "each trial draws one by its seed"},
                                               {stop_and_copy, "stop_and_copy"},
                                               {stop_and_copy_hardware, "stop_and_copy_hardware"},
                                               {copy_on_write, "copy_on_write"},
                                               {consolidate, "consolidate"},
                                               {early, "early"},
                                               {late, "late"},
                                               {early_late, "early_late"},
                                               {early_late_consolidate, "early_late+consolidate"},
                                               {mixed, "mixed", "the method changes after each interval"}});
}

enum class CrashAim : std::uint8_t { states, anywhere };
constexpr auto enum_names(CrashAim) {
  return std::to_array<EnumName<CrashAim>>(
      {{CrashAim::states, "states",
        "few pages and a small flash; the base of a version is lost between intervals and within them"},
       {CrashAim::anywhere, "anywhere", "writes, intervals, discards and power failures at random"}});
}

// Seeded bugs of the trial itself or of the table of modified pages, which the trials must detect.
enum class CrashMutant : std::uint8_t {
  none,
  writes_do_not_wait,
  reported_too_early,
  losing_page,
  early_lines_of_a_lost_base,
  increment_of_a_lost_base,
  forgotten_line,
};
constexpr auto enum_names(CrashMutant) {
  return std::to_array<EnumName<CrashMutant>>(
      {{CrashMutant::none, "none"},
       {CrashMutant::writes_do_not_wait, "writes_do_not_wait",
        "a write that has to wait changes memory at once"},
       {CrashMutant::reported_too_early, "reported_too_early",
        "a version counts as durable as soon as its interval has ended"},
       {CrashMutant::losing_page, "losing_page",
        "each power failure makes a page unreadable that was completely programmed"},
       {CrashMutant::early_lines_of_a_lost_base, "early_lines_of_a_lost_base",
        "if the base of a checkpoint is gone, only the modified lines of its first early page are saved"},
       {CrashMutant::increment_of_a_lost_base, "increment_of_a_lost_base",
        "if the base of a checkpoint is gone, only the modified lines of all pages are saved"},
       {CrashMutant::forgotten_line, "forgotten_line", "one line is left out in every eighth copy"}});
}

struct CrashTrialConfig {
  CrashMethod method = CrashMethod::any;
  CrashContents contents = CrashContents::any;
  std::uint32_t pages = 0;   // of the memory; 0: drawn by the seed
  std::uint32_t blocks = 0;  // per plane of the flash; 0: drawn by the seed
  std::uint32_t power_failures = 20;
  CrashMutant mutant = CrashMutant::none;
  CrashAim aim = CrashAim::states;
};
void describe(Fields& f, CrashTrialConfig& config);

// Counts of what occurred in a trial.
struct CrashCounts {
  std::uint64_t power_failures = 0;
  std::uint64_t in_program = 0, in_erase = 0, in_merge = 0, in_collection = 0, in_recovery = 0,
                in_restore = 0;
  std::uint64_t durable = 0;    // versions reported
  std::uint64_t newer = 0;      // versions recovered that had not been reported yet
  std::uint64_t restored = 0;   // images compared
  std::uint64_t abandoned = 0;  // versions
  std::uint64_t no_space = 0, worn_out = 0, memory_errors = 0, aborts = 0, discards = 0;
  std::uint64_t merges = 0, compactions = 0, collections = 0, blocks_retired = 0;
  std::uint64_t lost = 0;     // versions lost to bit errors
  std::uint64_t audited = 0;  // images compared in flash

  CrashCounts& operator+=(const CrashCounts& other);
};

struct CrashFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CrashStates;

// Throws CrashFailure if a check fails. The states that the trial reaches are counted in `states`, if given.
CrashCounts run_crash_trial(const CrashTrialConfig& config, std::uint64_t seed,
                            CrashStates* states = nullptr);

}  // namespace asterism
