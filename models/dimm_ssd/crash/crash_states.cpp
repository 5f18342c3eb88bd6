#include "dimm_ssd/crash/crash_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace asterism {
namespace {

template <NamedEnum E>
constexpr std::size_t count_of = enum_names(E{}).size();

constexpr std::size_t methods = count_of<CheckpointMethod>, fates = count_of<BaseFate>,
                      afters = count_of<BaseAfter>, phases_of_cut = count_of<CutPhase>,
                      events = count_of<CrashEvent>, outcomes = count_of<CrashOutcome>;

// Where each table begins in the counts.
constexpr std::size_t copied_at = 0, early_at = copied_at + methods * fates,
                      change_at = early_at + methods * fates * afters,
                      outcome_at = change_at + methods * methods, cut_at = outcome_at + methods * outcomes,
                      under_at = cut_at + methods * phases_of_cut,
                      pair_at = under_at + events * phases_of_cut, end_at = pair_at + events * events;

template <NamedEnum E>
constexpr std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}
constexpr std::size_t index(CheckpointMethod method) { return static_cast<std::size_t>(method) - 1; }
// Only what is durable can be discarded behind an early copy. Nothing is copied early in an interval in which
// versions were given up, and the checkpoint behind the next one has a base again.
bool can_be(CheckpointMethod method, BaseFate fate, BaseAfter after) {
  return copies_early(method) && fate != BaseFate::failed &&
         (after == BaseAfter::stays || fate == BaseFate::durable);
}

bool can_be(CheckpointMethod method, CutPhase phase) {
  return copies_early(method) || phase != CutPhase::early_copy;
}

// These need wear or bit errors beyond the page code besides: they are counted as outcomes alone.
bool is_rare(CrashEvent event) { return event == CrashEvent::worn_out || event == CrashEvent::uncorrectable; }

bool can_be(CrashEvent event, CutPhase phase) {
  using enum CutPhase;
  if (is_rare(event)) return false;
  // The program waits for both, but for the power.
  if (phase == recovery || phase == restore) return event == CrashEvent::power_cut;
  // A copy ends when a version is given up, before that is told.
  const bool copies = phase == early_copy || phase == late_copy;
  if (event == CrashEvent::memory_error) return !copies;
  // Nothing fails for space while something is under way that may give some back.
  if (event == CrashEvent::no_space) return phase == idle || phase == data || phase == collection;
  return true;
}

// The first checkpoint behind these is full.
bool can_follow(CrashEvent first, CrashEvent second) {
  using enum CrashEvent;
  if (is_rare(first) || is_rare(second)) return false;
  const bool tracks_anew = first == abort || first == other_name || first == other_pages ||
                           first == restore || first == warm_reset || first == power_cut;
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
void CrashStates::cut(CheckpointMethod method, CutPhase phase) {
  ++counts_[cut_at + index(method) * phases_of_cut + index(phase)];
}
void CrashStates::under(CrashEvent event, std::uint32_t phases) {
  for (std::size_t phase = 0; phase < phases_of_cut; ++phase)
    if (phases >> phase & 1) ++counts_[under_at + index(event) * phases_of_cut + phase];
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
    for (const auto& phase : enum_names(CutPhase{}))
      if (can_be(m.value, phase.value))
        add(cut_at + index(m.value) * phases_of_cut + index(phase.value), "cut", m.name, phase.name);
  }
  for (const auto& event : enum_names(CrashEvent{})) {
    for (const auto& phase : enum_names(CutPhase{}))
      if (can_be(event.value, phase.value))
        add(under_at + index(event.value) * phases_of_cut + index(phase.value), "under", event.name,
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
