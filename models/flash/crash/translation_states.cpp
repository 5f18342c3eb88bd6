#include "flash/crash/translation_states.h"

#include <fmt/format.h>

#include <algorithm>

namespace asterism {
namespace {

template <NamedEnum E>
constexpr std::size_t count_of = enum_names(E{}).size();

constexpr std::size_t works = count_of<FlashWork>, jobs = count_of<FlashJob>,
                      requests = count_of<FlashRequest>, phases = count_of<FlashPhase>;

// The first index of each table in the counts.
constexpr std::size_t power_failure_at = 0, fail_at = power_failure_at + works * jobs,
                      request_at = fail_at + works * jobs, moved_at = request_at + requests * phases,
                      found_at = moved_at + count_of<MovedPage>, pair_at = found_at + count_of<FoundInFlash>,
                      list_at = pair_at + works * works, row_at = list_at + count_of<ListPlace>,
                      outcome_at = row_at + TranslationStates::max_row,
                      end_at = outcome_at + count_of<FlashOutcome>;

template <NamedEnum E>
constexpr std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}

bool can_fail_power(FlashWork work, FlashJob job) {
  using enum FlashWork;
  switch (work) {
    case idle:
    case recovery:
      return job == FlashJob::none;
    case copy_program:
      return job != FlashJob::none;
    case lost_mark:  // trials only lose pages of blocks that have a list, and a failed block has none
    case erase:      // a block that is retired is not erased any more
      return job == FlashJob::collect || job == FlashJob::level;
    default:
      return true;
  }
}

bool can_fail(FlashWork work, FlashJob job) {
  using enum FlashWork;
  return work != idle && work != reads && work != recovery && can_fail_power(work, job);
}

// While a write is under way the layer is not idle, and a read-only layer ends writes without using the
// flash.
bool can_come(FlashRequest request, FlashPhase phase) {
  using enum FlashRequest;
  const bool is_under_write =
      request == write_again || request == trim_under_write || request == read_under_write;
  return !is_under_write || phase != FlashPhase::idle;
}

// The caller requests nothing between the two failures, so that none of its writes is under way at the
// second.
bool can_follow(FlashWork, FlashWork second) { return second != FlashWork::user_program; }

}  // namespace

TranslationStates::TranslationStates() : counts_(end_at) {}

void TranslationStates::power_failure(FlashWork work, FlashJob job) {
  ++counts_[power_failure_at + index(work) * jobs + index(job)];
}
void TranslationStates::fail(FlashWork work, FlashJob job) {
  ++counts_[fail_at + index(work) * jobs + index(job)];
}
void TranslationStates::request(FlashRequest request, FlashPhase phase) {
  ++counts_[request_at + index(request) * phases + index(phase)];
}
void TranslationStates::moved(MovedPage page) { ++counts_[moved_at + index(page)]; }
void TranslationStates::found(FoundInFlash what) { ++counts_[found_at + index(what)]; }
void TranslationStates::pair(FlashWork first, FlashWork second) {
  ++counts_[pair_at + index(first) * works + index(second)];
}
void TranslationStates::list(ListPlace place) { ++counts_[list_at + index(place)]; }
void TranslationStates::row(std::uint32_t failures) { ++counts_[row_at + std::min(failures, max_row) - 1]; }
void TranslationStates::outcome(FlashOutcome what) { ++counts_[outcome_at + index(what)]; }

std::vector<TranslationStates::State> TranslationStates::listed() const {
  std::vector<State> states;
  const auto add = [&](std::size_t at, auto... words) {
    std::string name;
    ((name += (name.empty() ? "" : " "), name += words), ...);
    states.push_back({std::move(name), counts_[at]});
  };
  const auto add_all = [&]<NamedEnum E>(std::size_t at, std::string_view table, E) {
    for (const auto& e : enum_names(E{})) add(at + index(e.value), table, e.name);
  };
  for (const auto& work : enum_names(FlashWork{}))
    for (const auto& job : enum_names(FlashJob{})) {
      const std::size_t at = index(work.value) * jobs + index(job.value);
      if (can_fail_power(work.value, job.value))
        add(power_failure_at + at, "power_failure", work.name, job.name);
      if (can_fail(work.value, job.value)) add(fail_at + at, "fail", work.name, job.name);
    }
  for (const auto& request : enum_names(FlashRequest{}))
    for (const auto& phase : enum_names(FlashPhase{}))
      if (can_come(request.value, phase.value))
        add(request_at + index(request.value) * phases + index(phase.value), "request", request.name,
            phase.name);
  for (const auto& first : enum_names(FlashWork{}))
    for (const auto& second : enum_names(FlashWork{}))
      if (can_follow(first.value, second.value))
        add(pair_at + index(first.value) * works + index(second.value), "pair", first.name, second.name);
  add_all(moved_at, "moved", MovedPage{});
  add_all(found_at, "found", FoundInFlash{});
  add_all(list_at, "list", ListPlace{});
  add_all(outcome_at, "outcome", FlashOutcome{});
  for (std::uint32_t failures = 1; failures <= max_row; ++failures)
    add(row_at + failures - 1, "row", fmt::format("{}", failures));
  return states;
}

std::vector<std::string> TranslationStates::not_reached() const {
  std::vector<std::string> names;
  for (State& state : listed())
    if (state.count == 0) names.push_back(std::move(state.name));
  return names;
}

}  // namespace asterism
