// The states that crash trials are to reach, each with how often they did. What no trial has reached is not
// shown: the study lists it, and a test fails.
//
//   copied    a version that was durable and right: the method by which it was copied, and what had become of
//   the version
//             before it when its checkpoint was opened
//   early     the same where pages were copied early, by the method of that, and whether the base was
//   discarded behind it change    the methods of two intervals in a row, of which the second became durable
//   and right outcome   what became of a version, by method
//   cut       what was under way when the power was cut, by method; several of these may be at once
//   under     what was under way when something happened
//   pair      two things that happened in this order, none between
//
// A state that cannot be is not listed; crash_states.cpp says why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "dimm_ssd/checkpoint_method.h"
#include "dimm_ssd/crash/crash_trial.h"

namespace asterism {

// What was there to continue when a checkpoint was opened. Of the first two it is an increment, of all others
// it is full.
enum class BaseFate : std::uint8_t {
  durable,
  pending,
  first,
  discarding,
  discarded,
  unreadable,
  failed,
  aborted,
  restored,
  other_name,
  other_pages,
  warm_reset,
  power_cut,
};
constexpr auto enum_names(BaseFate) {
  using enum BaseFate;
  return std::to_array<EnumName<BaseFate>>({{durable, "durable"},
                                            {pending, "pending", "handed over, and not durable yet"},
                                            {first, "first", "there never was one"},
                                            {discarding, "discarding", "its discard is under way"},
                                            {discarded, "discarded"},
                                            {unreadable, "unreadable"},
                                            {failed, "failed"},
                                            {aborted, "aborted"},
                                            {restored, "restored"},
                                            {other_name, "other_name"},
                                            {other_pages, "other_pages"},
                                            {warm_reset, "warm_reset"},
                                            {power_cut, "power_cut"}});
}
constexpr bool is_full(BaseFate fate) { return fate != BaseFate::durable && fate != BaseFate::pending; }

enum class BaseAfter : std::uint8_t { stays, goes_within, goes_behind };
constexpr auto enum_names(BaseAfter) {
  using enum BaseAfter;
  return std::to_array<EnumName<BaseAfter>>(
      {{stays, "stays"},
       {goes_within, "goes_within", "discarded in the interval, behind the first early copy"},
       {goes_behind, "goes_behind", "discarded behind the interval, before the version is durable"}});
}

enum class CutPhase : std::uint8_t {
  idle,
  recovery,
  restore,
  early_copy,
  late_copy,
  data,
  metadata,
  commit,
  discard,
  merge,
  compaction,
  collection,
};
constexpr auto enum_names(CutPhase) {
  using enum CutPhase;
  return std::to_array<EnumName<CutPhase>>({{idle, "idle"},
                                            {recovery, "recovery"},
                                            {restore, "restore"},
                                            {early_copy, "early_copy"},
                                            {late_copy, "late_copy"},
                                            {data, "data"},
                                            {metadata, "metadata"},
                                            {commit, "commit"},
                                            {discard, "discard"},
                                            {merge, "merge"},
                                            {compaction, "compaction"},
                                            {collection, "collection"}});
}

enum class CrashEvent : std::uint8_t {
  full,
  increment,
  no_space,
  memory_error,
  uncorrectable,
  worn_out,
  abort,
  other_name,
  other_pages,
  method_change,
  discard_newest,
  discard_older,
  restore,
  warm_reset,
  power_cut,
};
constexpr auto enum_names(CrashEvent) {
  using enum CrashEvent;
  return std::to_array<EnumName<CrashEvent>>({{full, "full", "a full version is durable"},
                                              {increment, "increment", "an incremental one is"},
                                              {no_space, "no_space", "versions are given up for that"},
                                              {memory_error, "memory_error", "the same"},
                                              {uncorrectable, "uncorrectable", "the same"},
                                              {worn_out, "worn_out", "the same"},
                                              {abort, "abort"},
                                              {other_name, "other_name"},
                                              {other_pages, "other_pages"},
                                              {method_change, "method_change"},
                                              {discard_newest, "discard_newest"},
                                              {discard_older, "discard_older"},
                                              {restore, "restore"},
                                              {warm_reset, "warm_reset"},
                                              {power_cut, "power_cut"}});
}

enum class CrashOutcome : std::uint8_t { durable, no_space, memory, uncorrectable, worn_out, aborted, cut };
constexpr auto enum_names(CrashOutcome) {
  using enum CrashOutcome;
  return std::to_array<EnumName<CrashOutcome>>({{durable, "durable"},
                                                {no_space, "no_space"},
                                                {memory, "memory"},
                                                {uncorrectable, "uncorrectable"},
                                                {worn_out, "worn_out"},
                                                {aborted, "aborted"},
                                                {cut, "cut"}});
}

class CrashStates {
 public:
  struct State {
    std::string name;  // "early early_late+consolidate discarded stays"
    std::uint64_t count;
  };

  CrashStates();

  void copied(CheckpointMethod method, BaseFate fate);
  void early(CheckpointMethod method, BaseFate fate, BaseAfter after);
  void change(CheckpointMethod before, CheckpointMethod after);
  void outcome(CheckpointMethod method, CrashOutcome outcome);
  void cut(CheckpointMethod method, CutPhase phase);
  // `phases` is a set: bit i is CutPhase i.
  void under(CrashEvent event, std::uint32_t phases);
  void pair(CrashEvent first, CrashEvent second);

  // Those that can be where trials are of this method, in one order.
  std::vector<State> listed(CrashMethod method) const;
  std::vector<std::string> not_reached(CrashMethod method) const;

  CrashStates& operator+=(const CrashStates& other);

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
