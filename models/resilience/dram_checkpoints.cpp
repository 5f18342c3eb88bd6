#include "resilience/dram_checkpoints.h"

#include <cmath>
#include <stdexcept>

namespace asterism {
namespace {

// How long an unread block has not been read when a failure comes, on average: the shorter one of the time
// since the last failure, after which all were read, and of the time since the scrubber's last visit, which
// is uniform within its interval.
Seconds unread(Rate failures, Seconds scrub) {
  const double rate = failures.per_second();
  if (scrub == Seconds()) return Seconds(rate == 0 ? 0 : 1 / rate);
  const double expected = rate * scrub.count();
  // The formula for more of them is a difference of almost equal numbers.
  if (expected < 1e-4) return scrub * (0.5 - expected / 6);
  return Seconds((1 - (1 - std::exp(-expected)) / expected) / rate);
}

void check(const DramOfMachine& m) {
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  for (const Rate rate : {m.faults.wide, m.faults.row, m.faults.stuck_row, m.faults.stuck_small, m.other})
    if (!(rate >= Rate())) throw std::invalid_argument("a rate of failures is 0 or more");
  if (!(m.scrub >= Seconds()) || !(m.small_stays >= Seconds()) || !(m.devices >= 0) ||
      !(m.devices_of_medium.value_or(0) >= 0))
    throw std::invalid_argument("devices and times are 0 or more");
  if (!is_share(m.checkpoint_share) || !is_share(m.ends_memory))
    throw std::invalid_argument("a share is from 0 to 1");
  if (m.devices_of_rank == 0) throw std::invalid_argument("a rank has a device");
}

// The failures of which a share is lost at once, and the others if a checkpoint has failed before.
DramCheckpointFailures split(Rate all, Rate at_once, double has_failed) {
  const Rate lost = at_once + Rate(all.per_second() - at_once.per_second()) * has_failed;
  return {Rate(all.per_second() - lost.per_second()), lost};
}

DramCheckpointFailures with_a_medium(const DramOfMachine& m, double devices) {
  const Rate all = m.other + m.devices * m.faults.wide + m.devices * m.faults.row;
  double has_failed = 0;
  if (m.code == CheckpointCode::normal) {
    const Rate unnoticed = devices * m.faults.wide + devices * m.faults.stuck_row;
    has_failed = 1 - std::exp(-(unnoticed * unread(all, m.scrub)));
  }
  return split(all, m.medium_keeps ? Rate() : m.other * m.ends_memory, has_failed);
}

}  // namespace

DramCheckpointFailures dram_checkpoint_failures(const DramOfMachine& m) {
  check(m);
  if (m.devices_of_medium) return with_a_medium(m, *m.devices_of_medium);
  const Rate by_wide = m.devices * m.faults.wide,
             by_row = m.devices * m.faults.row * (1 - m.checkpoint_share);
  const Rate all = m.other + by_wide + by_row;

  // A checkpoint in strong mode is lost with a wide fault if another device of the rank has a small one.
  double lost_with_wide = 1, has_lost_a_row = 0;
  if (m.code == CheckpointCode::strong) {
    const double small =
        (m.devices_of_rank - 1) * m.checkpoint_share * (m.faults.stuck_small * m.small_stays);
    lost_with_wide = 1 - std::exp(-small);
  } else {
    const Rate rows = m.devices * m.faults.stuck_row * m.checkpoint_share;
    has_lost_a_row = 1 - std::exp(-(rows * unread(all, m.scrub)));
  }
  const Rate at_once = m.other * m.ends_memory + by_wide * lost_with_wide;
  return split(all, at_once, has_lost_a_row);
}

}  // namespace asterism
