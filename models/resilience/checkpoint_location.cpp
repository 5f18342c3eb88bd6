#include "resilience/checkpoint_location.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace asterism {
namespace {

double bytes(Bytes size) { return static_cast<double>(size.count()); }

}  // namespace

void check_checkpoint_location(const CheckpointLocationConfig& c) {
  if (!(c.bound >= 0 && c.bound <= 1))
    throw std::invalid_argument("a bound of the time that checkpoints take is within 0 and 1");
  if (c.rating == Bytes() || !std::isfinite(c.rated_life.count()) || c.rated_life <= Seconds())
    throw std::invalid_argument("an SSD's rating and its rated life are above 0");
}

CheckpointDecision locate_checkpoint(const CheckpointLocationConfig& c, const CheckpointQuestion& q) {
  using enum CheckpointLocation;
  CheckpointDecision d;
  const double left = q.used < c.rating ? bytes(c.rating - q.used) : 0;
  d.expected = c.rated_life * (left / bytes(c.rating));
  const bool unused = q.written == Bytes() && left > 0;
  d.estimated = unused ? Seconds(std::numeric_limits<double>::infinity())
                       : q.elapsed * (left / bytes(q.written == Bytes() ? Bytes(1) : q.written));
  d.slowdown = q.elapsed > Seconds() ? q.checkpointing / q.elapsed : 0;

  const auto at = [&](CheckpointLocation location, LocationReason reason) {
    d.location = location;
    d.reason = reason;
    return d;
  };
  const bool wears_out = c.lifetime_estimation && !(d.estimated > d.expected);
  const bool late = c.performance_estimation && d.slowdown > c.bound;
  if (!wears_out && !late) return at(ssd, q.number == 1 ? LocationReason::first : LocationReason::allowed);
  if (c.forced_every != 0 && q.number % c.forced_every == 0) return at(ssd, LocationReason::forced);
  if (q.size > c.ramdisk_of_rank) return at(nowhere, LocationReason::size);
  return at(ramdisk, wears_out ? LocationReason::lifetime : LocationReason::performance);
}

}  // namespace asterism
