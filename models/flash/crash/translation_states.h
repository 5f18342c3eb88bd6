// The states that trials of the translation layer must reach, and how often they did: functional coverage. A
// state that no trial has reached is not verified: a test fails and names it.
//
//   power_failure  what the array was doing when the power failed, and the job of the plane
//   fail           what failed permanently in a worn block, and the job of the plane
//   request        a request of the caller, and what the plane was doing when it came
//   moved          a page that a job had copied, and what had happened to the page in the meantime
//   found          what a recovery found in flash
//   pair           the operations at two successive power failures without requests in between
//   list           which page of a block's list was torn
//   row            successive recoveries in which the power failed
//   outcome        the result of a request, or the fate of a page
//
// The operation under way is read from the flash, not asked of the layer: a page or block that a power
// failure has torn shows what the array was doing. Impossible states are not listed; translation_states.cpp
// gives the reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace asterism {

enum class FlashWork : std::uint8_t {
  idle,
  reads,
  user_program,
  copy_program,
  lost_mark,
  list,
  erase,
  recovery
};
constexpr auto enum_names(FlashWork) {
  using enum FlashWork;
  return std::to_array<EnumName<FlashWork>>(
      {{idle, "idle", "no work is left"},
       {reads, "reads", "nothing in flash changes"},
       {user_program, "user_program"},
       {copy_program, "copy_program", "of a page that is moved"},
       {lost_mark, "lost_mark", "the mark of a page that could not be read"},
       {list, "list"},
       {erase, "erase"},
       {recovery, "recovery"}});
}

// The job of a flash with one plane.
enum class FlashJob : std::uint8_t { none, collect, level, retire };
constexpr auto enum_names(FlashJob) {
  using enum FlashJob;
  return std::to_array<EnumName<FlashJob>>(
      {{none, "none"}, {collect, "collect"}, {level, "level"}, {retire, "retire"}});
}

enum class FlashRequest : std::uint8_t { write, write_again, trim, trim_under_write, read, read_under_write };
constexpr auto enum_names(FlashRequest) {
  using enum FlashRequest;
  return std::to_array<EnumName<FlashRequest>>(
      {{write, "write"},
       {write_again, "write_again", "while a write of the page is under way"},
       {trim, "trim"},
       {trim_under_write, "trim_under_write"},
       {read, "read"},
       {read_under_write, "read_under_write"}});
}

enum class FlashPhase : std::uint8_t {
  idle,
  busy,
  collect,
  level,
  retire,
  erase,
  no_erased_block,
  read_only
};
constexpr auto enum_names(FlashPhase) {
  using enum FlashPhase;
  return std::to_array<EnumName<FlashPhase>>(
      {{idle, "idle"},
       {busy, "busy", "with requests only"},
       {collect, "collect"},
       {level, "level"},
       {retire, "retire"},
       {erase, "erase", "under way in the array"},
       {no_erased_block, "no_erased_block", "the last erased block takes the collected pages"},
       {read_only, "read_only", "too many blocks are bad"}});
}

enum class MovedPage : std::uint8_t { still, rewritten, under_write, trimmed, lost };
constexpr auto enum_names(MovedPage) {
  using enum MovedPage;
  return std::to_array<EnumName<MovedPage>>({{still, "still", "the copy is valid"},
                                             {rewritten, "rewritten", "there is a newer write"},
                                             {under_write, "under_write", "a newer write is under way"},
                                             {trimmed, "trimmed"},
                                             {lost, "lost", "a mark replaces it"}});
}

enum class FoundInFlash : std::uint8_t {
  nothing,
  copies,
  copy_unreadable,
  older_and_newer,
  no_erased_block,
  torn_list,
  half_list,
  unreadable_list,
  torn_erase,
  one_partial,
  two_partial,
  more_partial,
  failed_block,
  bad_block,
};
constexpr auto enum_names(FoundInFlash) {
  using enum FoundInFlash;
  return std::to_array<EnumName<FoundInFlash>>(
      {{nothing, "nothing", "all blocks are erased"},
       {copies, "copies", "two readable copies of one write"},
       {copy_unreadable, "copy_unreadable", "two copies of one write, one of them unreadable"},
       {older_and_newer, "older_and_newer", "copies of one page, in blocks without a list"},
       {no_erased_block, "no_erased_block", "in a plane"},
       {torn_list, "torn_list"},
       {half_list, "half_list", "only its first pages"},
       {unreadable_list, "unreadable_list", "by bit errors"},
       {torn_erase, "torn_erase"},
       {one_partial, "one_partial", "blocks of a plane that are not full"},
       {two_partial, "two_partial"},
       {more_partial, "more_partial"},
       {failed_block, "failed_block", "worn out, and not marked bad"},
       {bad_block, "bad_block"}});
}

enum class FlashOutcome : std::uint8_t {
  written,
  refused,
  read,
  read_lost,
  read_unwritten,
  newer_gone,
  trimmed_stays,
  trimmed_back,
  lost_stays,
  read_only,
  read_only_at_recovery,
};
constexpr auto enum_names(FlashOutcome) {
  using enum FlashOutcome;
  return std::to_array<EnumName<FlashOutcome>>(
      {{written, "written"},
       {refused, "refused", "the layer is read-only"},
       {read, "read"},
       {read_lost, "read_lost"},
       {read_unwritten, "read_unwritten"},
       {newer_gone, "newer_gone", "a write that was under way when the power failed"},
       {trimmed_stays, "trimmed_stays", "after a power failure"},
       {trimmed_back, "trimmed_back"},
       {lost_stays, "lost_stays", "after a power failure"},
       {read_only, "read_only"},
       {read_only_at_recovery, "read_only_at_recovery"}});
}

enum class ListPlace : std::uint8_t { only, first, middle, last };
constexpr auto enum_names(ListPlace) {
  using enum ListPlace;
  return std::to_array<EnumName<ListPlace>>(
      {{only, "only"}, {first, "first"}, {middle, "middle"}, {last, "last"}});
}

class TranslationStates {
 public:
  struct State {
    std::string name;  // "power_failure erase collect"
    std::uint64_t count;
  };
  static constexpr std::uint32_t max_row = 3;

  TranslationStates();

  void power_failure(FlashWork work, FlashJob job);
  void fail(FlashWork work, FlashJob job);
  void request(FlashRequest request, FlashPhase phase);
  void moved(MovedPage page);
  void found(FoundInFlash what);
  void pair(FlashWork first, FlashWork second);
  void list(ListPlace place);
  void row(std::uint32_t failures);  // successive recoveries; more than max_row count as max_row
  void outcome(FlashOutcome what);

  std::vector<State> listed() const;
  std::vector<std::string> not_reached() const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
