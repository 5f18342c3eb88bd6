#include "resilience/checkpointed_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/quantity_text.h"

namespace asterism {
namespace {

double per_second(Bandwidth bandwidth) { return static_cast<double>(bandwidth.count()); }

// All ranks write to the ramdisk at the same time.
double ramdisk_per_second(const CheckpointTargets& t, std::uint32_t ranks) {
  return std::min(per_second(t.ramdisk), per_second(t.ramdisk_writer) * ranks);
}

void check(const CheckpointedProgram& p, const CheckpointTargets& t, LocationPolicy policy) {
  if (p.iterations == 0 || p.ranks == 0 || p.checkpoint == Bytes())
    throw std::invalid_argument("a program has iterations, ranks and a checkpoint of some size");
  if (!std::isfinite(p.compute.count()) || p.compute <= Seconds())
    throw std::invalid_argument("an iteration computes for more than no time");
  if (t.ramdisk_read == Bandwidth() || t.ssd == Bandwidth() || t.ramdisk == Bandwidth() ||
      t.ramdisk_writer == Bandwidth() || t.ramdisk_writes == 0)
    throw std::invalid_argument("a target of checkpoints has a bandwidth");
  const auto fits = [&](Bytes capacity, const char* target) {
    if (p.checkpoint > Bytes(capacity.count() / p.ranks))
      throw std::invalid_argument("a checkpoint of " + std::to_string(p.ranks) + " ranks, " +
                                  to_text(p.checkpoint) + " each, is larger than the " + target + " of " +
                                  to_text(capacity));
  };
  if (policy == LocationPolicy::none) return;
  if (policy != LocationPolicy::ramdisk) fits(t.ssd_capacity, "SSD");
  if (policy == LocationPolicy::ramdisk || policy == LocationPolicy::ratio)
    fits(t.ramdisk_capacity, "ramdisk");
}

// The mean loss by a failure: of one in the gap after a checkpoint half of the gap, and the time to read
// the checkpoint.
class MeanLoss {
 public:
  // A checkpoint has ended that takes so long to read.
  void checkpoint(Seconds now, Seconds read) {
    add_gap(now);
    read_ = read;
  }
  Seconds until(Seconds end) {
    add_gap(end);
    return end == Seconds() ? Seconds() : Seconds(weighted_ / end.count());
  }

 private:
  void add_gap(Seconds now) {
    const double gap = (now - newest_).count();
    weighted_ += gap * (gap / 2 + read_.count());
    newest_ = now;
  }

  Seconds newest_, read_;
  double weighted_ = 0;  // the sum of gaps times their losses
};

}  // namespace

double CheckpointedProgramRun::work_share(Rate readable, Rate lost) const {
  return std::max(0.0, 1 - readable * lost_to_newest - lost * lost_to_ssd) / slowdown;
}

CheckpointedProgramRun run_checkpointed(
    const CheckpointedProgram& program, const CheckpointTargets& targets, LocationPolicy policy,
    CheckpointLocationConfig controller, std::uint64_t ratio_of, Bytes used,
    const std::function<void(std::uint64_t, Seconds, const CheckpointDecision&)>& watch) {
  check(program, targets, policy);
  check_checkpoint_location(controller);
  if (ratio_of == 0) throw std::invalid_argument("the ratio is at least 1");
  controller.ramdisk_of_rank = Bytes(targets.ramdisk_capacity.count() / program.ranks);
  const Bytes of_node = program.checkpoint * program.ranks;
  const Seconds to_ssd(static_cast<double>(of_node.count()) / per_second(targets.ssd)),
      to_ramdisk(static_cast<double>(of_node.count()) * targets.ramdisk_writes /
                 ramdisk_per_second(targets, program.ranks));

  const Seconds from_ramdisk =
      targets.ramdisk_read ? Seconds(static_cast<double>(of_node.count()) / per_second(*targets.ramdisk_read))
                           : to_ramdisk;

  const auto decide = [&](const CheckpointQuestion& question) -> CheckpointDecision {
    using enum CheckpointLocation;
    if (policy == LocationPolicy::clc) return locate_checkpoint(controller, question);
    const bool last = question.number % ratio_of == 0;
    CheckpointDecision given;
    given.location = policy == LocationPolicy::none                                               ? nowhere
                     : policy == LocationPolicy::ssd || (policy == LocationPolicy::ratio && last) ? ssd
                                                                                                  : ramdisk;
    return given;
  };

  CheckpointedProgramRun run;
  MeanLoss to_newest, to_any_ssd;
  for (std::uint64_t i = 1; i <= program.iterations; ++i) {
    run.time += program.compute;
    const CheckpointDecision decision = decide({.number = i,
                                                .size = program.checkpoint,
                                                .elapsed = run.time,
                                                .checkpointing = run.checkpointing,
                                                .written = run.written,
                                                .used = used + run.written});
    if (watch) watch(i, run.time, decision);
    run.forced += decision.reason == LocationReason::forced;
    Seconds takes;
    switch (decision.location) {
      case CheckpointLocation::ssd:
        ++run.on_ssd;
        run.written += of_node;
        takes = to_ssd;
        run.joules += targets.ssd_watts * takes.count();
        break;
      case CheckpointLocation::ramdisk:
        ++run.in_ramdisk;
        takes = to_ramdisk;
        run.joules += targets.ramdisk_watts * takes.count();
        break;
      case CheckpointLocation::nowhere:
        ++run.left_out;
        break;
    }
    run.time += takes;
    run.checkpointing += takes;
    if (decision.location != CheckpointLocation::nowhere)
      to_newest.checkpoint(run.time, decision.location == CheckpointLocation::ramdisk ? from_ramdisk : takes);
    if (decision.location == CheckpointLocation::ssd) to_any_ssd.checkpoint(run.time, takes);
  }
  run.lost_to_newest = to_newest.until(run.time);
  run.lost_to_ssd = to_any_ssd.until(run.time);
  run.slowdown = run.time / (program.compute * static_cast<double>(program.iterations));
  run.lifetime = run.written == Bytes() ? Seconds(std::numeric_limits<double>::infinity())
                                        : run.time * (static_cast<double>(controller.rating.count()) /
                                                      static_cast<double>(run.written.count()));
  return run;
}

}  // namespace asterism
