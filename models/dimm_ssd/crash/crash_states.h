// The states that crash trials must reach, and how often they did: functional coverage. A state that no trial
// has reached is not verified: the study lists it, and a test fails.
//
//   copied         a version that became durable and was correct: the method that copied it, and the state of
//                  the version before it (its base) when its checkpoint was opened
//   early          the same for versions with early copies: the method that made those, and whether the base
//                  was discarded afterwards
//   change         the methods of two successive intervals of which the second became durable and was correct
//   outcome        how a version ended, by method
//   power_failure  what the device was doing when the power failed, by method; several of these may hold at
//                  once
//   under          what the device was doing when an event occurred
//   pair           two events that occurred in this order, with none between them
//
// Impossible states are not listed; crash_states.cpp gives the reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "dimm_ssd/checkpoint_method.h"
#include "dimm_ssd/crash/crash_trial.h"

namespace asterism {

// The state of the base when a checkpoint was opened. With the first two the checkpoint is an increment, with
// all others it is full.
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
  power_failure,
};
constexpr auto enum_names(BaseFate) {
  using enum BaseFate;
  return std::to_array<EnumName<BaseFate>>({{durable, "durable"},
                                            {pending, "pending", "handed over and not durable yet"},
                                            {first, "first", "there has been no version"},
                                            {discarding, "discarding", "its discard is under way"},
                                            {discarded, "discarded"},
                                            {unreadable, "unreadable"},
                                            {failed, "failed"},
                                            {aborted, "aborted"},
                                            {restored, "restored"},
                                            {other_name, "other_name"},
                                            {other_pages, "other_pages"},
                                            {warm_reset, "warm_reset"},
                                            {power_failure, "power_failure"}});
}
constexpr bool is_full(BaseFate fate) { return fate != BaseFate::durable && fate != BaseFate::pending; }

enum class BaseAfter : std::uint8_t { stays, discarded_within, discarded_after };
constexpr auto enum_names(BaseAfter) {
  using enum BaseAfter;
  return std::to_array<EnumName<BaseAfter>>(
      {{stays, "stays"},
       {discarded_within, "discarded_within", "discarded in the interval, after the first early copy"},
       {discarded_after, "discarded_after", "discarded after the interval, before the version is durable"}});
}

enum class DevicePhase : std::uint8_t {
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
constexpr auto enum_names(DevicePhase) {
  using enum DevicePhase;
  return std::to_array<EnumName<DevicePhase>>({{idle, "idle"},
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
  power_failure,
};
constexpr auto enum_names(CrashEvent) {
  using enum CrashEvent;
  return std::to_array<EnumName<CrashEvent>>(
      {{full, "full", "a full version is durable"},
       {increment, "increment", "an incremental version is durable"},
       {no_space, "no_space", "versions are abandoned because the flash is full"},
       {memory_error, "memory_error", "versions are abandoned because memory did not answer"},
       {uncorrectable, "uncorrectable", "versions are abandoned because flash cannot be read"},
       {worn_out, "worn_out", "versions are abandoned because the flash is worn out"},
       {abort, "abort"},
       {other_name, "other_name"},
       {other_pages, "other_pages"},
       {method_change, "method_change"},
       {discard_newest, "discard_newest"},
       {discard_older, "discard_older"},
       {restore, "restore"},
       {warm_reset, "warm_reset"},
       {power_failure, "power_failure"}});
}

enum class CrashOutcome : std::uint8_t {
  durable,
  no_space,
  memory,
  uncorrectable,
  worn_out,
  aborted,
  power_failure
};
constexpr auto enum_names(CrashOutcome) {
  using enum CrashOutcome;
  return std::to_array<EnumName<CrashOutcome>>({{durable, "durable"},
                                                {no_space, "no_space"},
                                                {memory, "memory"},
                                                {uncorrectable, "uncorrectable"},
                                                {worn_out, "worn_out"},
                                                {aborted, "aborted"},
                                                {power_failure, "power_failure"}});
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
  void power_failure(CheckpointMethod method, DevicePhase phase);
  // `phases` is a set: bit i stands for DevicePhase i.
  void under(CrashEvent event, std::uint32_t phases);
  void pair(CrashEvent first, CrashEvent second);

  // The states that are possible in trials of this method, in a fixed order.
  std::vector<State> listed(CrashMethod method) const;
  std::vector<std::string> not_reached(CrashMethod method) const;

  CrashStates& operator+=(const CrashStates& other);

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
