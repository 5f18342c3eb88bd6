#include "checkpoint/location.h"

#include <stdbool.h>

static const double seconds_a_year = 365.0 * 24 * 3600;

static double remaining(const LocationState* state) {
  return state->used < state->rated ? (double)(state->rated - state->used) : 0;
}

double location_expected_lifetime(const CheckpointPolicy* policy, const LocationState* state) {
  return remaining(state) * (policy->lifetime_years * seconds_a_year / (double)state->rated);
}

double location_estimated_lifetime(const LocationState* state) {
  if (state->ssd_bytes == 0 && remaining(state) > 0) return __builtin_inf();
  return remaining(state) * state->elapsed / (double)state->ssd_bytes;
}

double location_slowdown(const LocationState* state) {
  return state->elapsed > 0 ? state->checkpointing / state->elapsed : 0;
}

static bool lasts(const CheckpointPolicy* policy, const LocationState* state) {
  if (policy->lifetime_years == 0 || state->rated == 0) return true;
  if (remaining(state) == 0) return false;
  return location_estimated_lifetime(state) > location_expected_lifetime(policy, state);
}

static bool costs_too_much(const CheckpointPolicy* policy, const LocationState* state) {
  return policy->overhead_percent != 0 && location_slowdown(state) > policy->overhead_percent / 100;
}

static LocationDecision by_estimates(const CheckpointPolicy* policy, const LocationState* state) {
  LocationDecision decision = {location_ssd, state->number == 1 ? reason_first : reason_allowed};
  if (!lasts(policy, state))
    decision = (LocationDecision){location_ramdisk, reason_lifetime};
  else if (costs_too_much(policy, state))
    decision = (LocationDecision){location_ramdisk, reason_loss};
  const uint64_t size_limit = state->ramdisk_bytes / (policy->ranks != 0 ? policy->ranks : 1);
  if (decision.location == location_ramdisk && state->bytes > size_limit)
    decision = (LocationDecision){location_none, reason_size};
  return decision;
}

LocationDecision location_decide(const CheckpointPolicy* policy, const LocationState* state) {
  const LocationDecision decision = by_estimates(policy, state);
  const bool is_forced = policy->forced_every != 0 && state->number % policy->forced_every == 0;
  if (is_forced && decision.location != location_ssd) return (LocationDecision){location_ssd, reason_forced};
  return decision;
}
