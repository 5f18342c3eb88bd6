// The states that trials of the translation layer are to reach, each with how often they did. What no trial
// has reached is not shown: a test fails, and names it.
//
//   cut       what the array was doing when the power was cut, and the job of the plane
//   fail      what failed for good in a worn block, and the job of the plane
//   request   a request of the caller, and what the plane was doing when it came
//   moved     a page that a job had copied, and what had become of the page in the meantime
//   found     what a recovery found in flash
//   pair      what was under way at two cuts in a row, between which the layer worked for itself alone
//   list      which page of a block's list was torn
//   row       recoveries that were cut, one behind the other
//   outcome   what became of a request or of a page
//
// What was under way is read out of the flash, not asked of the layer: a page or block that a cut has torn
// says what the array was doing. A state that cannot be is not listed; translation_states.cpp says why.
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
  return std::to_array<EnumName<FlashWork>>({{idle, "idle", "nothing is to be done"},
                                             {reads, "reads", "nothing in flash changes"},
                                             {user_program, "user_program"},
                                             {copy_program, "copy_program", "of a page that moves"},
                                             {lost_mark, "lost_mark", "of a page that could not be read"},
                                             {list, "list"},
                                             {erase, "erase"},
                                             {recovery, "recovery"}});
}

// Of a flash of one plane.
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
       {busy, "busy", "with requests alone"},
       {collect, "collect"},
       {level, "level"},
       {retire, "retire"},
       {erase, "erase", "under way in the array"},
       {no_erased_block, "no_erased_block", "the last one takes what is collected"},
       {read_only, "read_only", "too many blocks are bad"}});
}

enum class MovedPage : std::uint8_t { still, rewritten, under_write, trimmed, lost };
constexpr auto enum_names(MovedPage) {
  using enum MovedPage;
  return std::to_array<EnumName<MovedPage>>({{still, "still", "the copy counts"},
                                             {rewritten, "rewritten", "a newer write is there"},
                                             {under_write, "under_write", "a newer write is under way"},
                                             {trimmed, "trimmed"},
                                             {lost, "lost", "a mark stands for it"}});
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
      {{nothing, "nothing", "all is erased"},
       {copies, "copies", "two readable ones of one write"},
       {copy_unreadable, "copy_unreadable", "two of one write, of which one can be read"},
       {older_and_newer, "older_and_newer", "of one page, in blocks without a list"},
       {no_erased_block, "no_erased_block", "in a plane"},
       {torn_list, "torn_list"},
       {half_list, "half_list", "its first pages alone"},
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
       {newer_gone, "newer_gone", "a write that was under way at a cut"},
       {trimmed_stays, "trimmed_stays", "through a cut"},
       {trimmed_back, "trimmed_back"},
       {lost_stays, "lost_stays", "through a cut"},
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
    std::string name;  // "cut erase collect"
    std::uint64_t count;
  };
  static constexpr std::uint32_t longest_row = 3;

  TranslationStates();

  void cut(FlashWork work, FlashJob job);
  void fail(FlashWork work, FlashJob job);
  void request(FlashRequest request, FlashPhase phase);
  void moved(MovedPage page);
  void found(FoundInFlash what);
  void pair(FlashWork first, FlashWork second);
  void list(ListPlace place);
  void row(std::uint32_t cuts);  // of recoveries; those beyond longest_row count as that
  void outcome(FlashOutcome what);

  std::vector<State> listed() const;
  std::vector<std::string> not_reached() const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
