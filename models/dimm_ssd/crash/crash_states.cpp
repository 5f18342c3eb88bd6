#include "dimm_ssd/crash/crash_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace asterism {
namespace {

template <NamedEnum E>
constexpr std::size_t count_of = enum_names(E{}).size();

constexpr std::size_t methods = count_of<CheckpointMethod>, fates = count_of<BaseFate>,
                      afters = count_of<BaseAfter>, device_phases = count_of<DevicePhase>,
                      events = count_of<CrashEvent>, outcomes = count_of<CrashOutcome>;

// The first index of each table in the counts.
constexpr std::size_t copied_at = 0, early_at = copied_at + methods * fates,
                      change_at = early_at + methods * fates * afters,
                      outcome_at = change_at + methods * methods,
                      power_failure_at = outcome_at + methods * outcomes,
                      under_at = power_failure_at + methods * device_phases,
                      pair_at = under_at + events * device_phases, end_at = pair_at + events * events;

template <NamedEnum E>
constexpr std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}
constexpr std::size_t index(CheckpointMethod method) { return static_cast<std::size_t>(method) - 1; }
// Only a durable base can be discarded after an early copy. Nothing is copied early in an interval in which
// versions were abandoned, and the checkpoint after the next one has a base again.
bool can_be(CheckpointMethod method, BaseFate fate, BaseAfter after) {
  return copies_early(method) && fate != BaseFate::failed &&
         (after == BaseAfter::stays || fate == BaseFate::durable);
}

bool can_be(CheckpointMethod method, DevicePhase phase) {
  return copies_early(method) || phase != DevicePhase::early_copy;
}

// These also need wear or bit errors beyond the page code: they are counted as outcomes only.
bool is_rare(CrashEvent event) { return event == CrashEvent::worn_out || event == CrashEvent::uncorrectable; }

bool can_be(CrashEvent event, DevicePhase phase) {
  using enum DevicePhase;
  if (is_rare(event)) return false;
  // The program waits for both; only the power does not.
  if (phase == recovery || phase == restore) return event == CrashEvent::power_failure;
  // A copy ends when a version is abandoned, before the failure is reported.
  const bool copies = phase == early_copy || phase == late_copy;
  if (event == CrashEvent::memory_error) return !copies;
  // Nothing fails for lack of space while an operation is under way that may free some.
  if (event == CrashEvent::no_space) return phase == idle || phase == data || phase == collection;
  return true;
}

// The first checkpoint after these events is full.
bool can_follow(CrashEvent first, CrashEvent second) {
  using enum CrashEvent;
  if (is_rare(first) || is_rare(second)) return false;
  const bool tracks_anew = first == abort || first == other_name || first == other_pages ||
                           first == restore || first == warm_reset || first == power_failure;
  return !tracks_anew || second != increment;
}

}  // namespace

CrashStates::CrashStates() : counts_(end_at) {}

void CrashStates::copied(CheckpointMethod method, BaseFate fate) {
  ++counts_[copied_at + index(method) * fates + index(fate)];
}
void CrashStates::early(CheckpointMethod method, BaseFate fate, BaseAfter after) {
  ++counts_[early_at + (index(method) * fates + index(fate)) * afters + index(after)];
}
void CrashStates::change(CheckpointMethod before, CheckpointMethod after) {
  ++counts_[change_at + index(before) * methods + index(after)];
}
void CrashStates::outcome(CheckpointMethod method, CrashOutcome outcome) {
  ++counts_[outcome_at + index(method) * outcomes + index(outcome)];
}
void CrashStates::power_failure(CheckpointMethod method, DevicePhase phase) {
  ++counts_[power_failure_at + index(method) * device_phases + index(phase)];
}
void CrashStates::under(CrashEvent event, std::uint32_t phases) {
  for (std::size_t phase = 0; phase < device_phases; ++phase)
    if (phases >> phase & 1) ++counts_[under_at + index(event) * device_phases + phase];
}
void CrashStates::pair(CrashEvent first, CrashEvent second) {
  ++counts_[pair_at + index(first) * events + index(second)];
}

std::vector<CrashStates::State> CrashStates::listed(CrashMethod method) const {
  std::vector<State> states;
  const bool is_one = method != CrashMethod::any && method != CrashMethod::mixed;
  const auto is_of = [&](CheckpointMethod m) { return !is_one || to_text(m) == to_text(method); };
  const auto add = [&](std::size_t at, auto... words) {
    std::string name;
    ((name += (name.empty() ? "" : " "), name += words), ...);
    states.push_back({std::move(name), counts_[at]});
  };
  for (const auto& m : enum_names(CheckpointMethod{})) {
    if (!is_of(m.value)) continue;
    for (const auto& fate : enum_names(BaseFate{}))
      add(copied_at + index(m.value) * fates + index(fate.value), "copied", m.name, fate.name);
    for (const auto& fate : enum_names(BaseFate{}))
      for (const auto& after : enum_names(BaseAfter{}))
        if (can_be(m.value, fate.value, after.value))
          add(early_at + (index(m.value) * fates + index(fate.value)) * afters + index(after.value), "early",
              m.name, fate.name, after.name);
    for (const auto& next : enum_names(CheckpointMethod{}))
      if (!is_one) add(change_at + index(m.value) * methods + index(next.value), "change", m.name, next.name);
    for (const auto& outcome : enum_names(CrashOutcome{}))
      add(outcome_at + index(m.value) * outcomes + index(outcome.value), "outcome", m.name, outcome.name);
    for (const auto& phase : enum_names(DevicePhase{}))
      if (can_be(m.value, phase.value))
        add(power_failure_at + index(m.value) * device_phases + index(phase.value), "power_failure", m.name,
            phase.name);
  }
  for (const auto& event : enum_names(CrashEvent{})) {
    for (const auto& phase : enum_names(DevicePhase{}))
      if (can_be(event.value, phase.value))
        add(under_at + index(event.value) * device_phases + index(phase.value), "under", event.name,
            phase.name);
    for (const auto& second : enum_names(CrashEvent{}))
      if (can_follow(event.value, second.value))
        add(pair_at + index(event.value) * events + index(second.value), "pair", event.name, second.name);
  }
  return states;
}

std::vector<std::string> CrashStates::not_reached(CrashMethod method) const {
  std::vector<std::string> names;
  for (State& state : listed(method))
    if (state.count == 0) names.push_back(std::move(state.name));
  return names;
}

CrashStates& CrashStates::operator+=(const CrashStates& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
  return *this;
}

}  // namespace asterism
