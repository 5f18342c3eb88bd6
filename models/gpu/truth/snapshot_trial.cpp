#include "gpu/truth/snapshot_trial.h"

#include <deque>

#include "base/fields.h"
#include "gpu/truth/trial_gpu.h"

namespace asterism {

static_assert(member_count<SnapshotTrialConfig>() == 4);
void describe(Fields& f, SnapshotTrialConfig& c) {
  f("config", c.config, "How snapshots are taken.", one_of<SnapshotChoice>());
  f("gpus", c.gpus, "The number of GPUs on one link, each with a program and a driver; 0: by the seed.",
    within(0, 8));
  f("trial_snapshots", c.snapshots,
    "The number of snapshots of each GPU in a trial. The later ones build on longer chains.",
    within(1, 10'000));
  f("mutant", c.mutant, "A fault of the trial itself, which the trials must find.", one_of<SnapshotMutant>());
}

SnapshotTrialCounts& SnapshotTrialCounts::operator+=(const SnapshotTrialCounts& o) {
  using Counts = SnapshotTrialCounts;
  for (const auto member : {&Counts::snapshots,
                            &Counts::taken_full,
                            &Counts::taken_increments,
                            &Counts::aborted,
                            &Counts::timed_out,
                            &Counts::host_refused,
                            &Counts::in_place_of_increments,
                            &Counts::no_space,
                            &Counts::with_kernels,
                            &Counts::losses,
                            &Counts::lost_in_snapshot,
                            &Counts::lost_in_restore,
                            &Counts::restored,
                            &Counts::restored_increments,
                            &Counts::silent_drivers,
                            &Counts::timed_out_silent,
                            &Counts::kernels,
                            &Counts::stalled_writes,
                            &Counts::stopped_pipelines,
                            &Counts::duplicates,
                            &Counts::hints,
                            &Counts::preferred_zones,
                            &Counts::table_writebacks,
                            &Counts::images})
    this->*member += o.*member;
  return *this;
}

namespace {

constexpr std::uint64_t max_events = 20'000'000;

class Trial {
 public:
  Trial(const SnapshotTrialConfig& config, std::uint64_t seed, SnapshotStates& states, bool is_aimed)
      : random_(seed),
        is_aimed_(is_aimed),
        gpu_count_(config.gpus != 0 ? config.gpus : any_gpus(random_)),
        link_(any_link(random_), gpu_count_) {
    link_.set_others(one_in(random_, 4) ? between(random_, 1, 3) : 0);
    disturbed_once_in_ = std::uint64_t{50} << random_.below(8);
    for (std::uint32_t number = 0; number < gpu_count_; ++number) {
      const TrialSetup setup = is_aimed ? aimed_setup(random_) : any_setup(config, random_);
      gpus_.emplace_back(setup, config.mutant, number, link_, config.snapshots, random_.next(), states);
    }
  }

  SnapshotTrialCounts run() {
    for (std::uint64_t events = 0; !is_at_rest(); ++events) {
      if (events == max_events) throw SnapshotTrialFailure("the trial does not become idle");
      step();
    }
    SnapshotTrialCounts all;
    for (const TrialGpu& gpu : gpus_) all += gpu.counts();
    return all;
  }

 private:
  static std::uint32_t any_gpus(Random& random) { return one_in(random, 2) ? 1 : between(random, 2, 3); }

  bool is_at_rest() const {
    return std::ranges::all_of(gpus_, [](const TrialGpu& gpu) { return gpu.is_at_rest(); });
  }

  void step() {
    auto next = link_.next_event();
    for (const TrialGpu& gpu : gpus_) next = earlier(next, gpu.next_event());
    if (!next) throw SnapshotTrialFailure("something waits for ever: there is no further event");
    for (const std::uint32_t number : link_.advance_to(*next)) gpus_[number].transferred(*next);
    for (TrialGpu& gpu : gpus_) gpu.advance_to(*next);
    if (random_.below(disturbed_once_in_) == 0) gpus_[random_.below(gpus_.size())].disturb(*next);
    for (TrialGpu& gpu : gpus_)
      if (is_aimed_ && is_gathered(gpu.copy()) && one_in(random_, 128)) gpu.disturb(*next);
  }

  Random random_;
  bool is_aimed_;
  std::uint32_t gpu_count_;
  HostLink link_;
  std::uint64_t disturbed_once_in_;
  std::deque<TrialGpu> gpus_;
};

SnapshotTrialCounts run(const SnapshotTrialConfig& config, std::uint64_t seed, SnapshotStates& states,
                        bool is_aimed) {
  try {
    return Trial(config, seed, states, is_aimed).run();
  } catch (const std::logic_error& error) {
    throw SnapshotTrialFailure(fmt::format("a model refuses an operation: {}", error.what()));
  }
}

}  // namespace

SnapshotTrialCounts run_snapshot_trial(const SnapshotTrialConfig& config, std::uint64_t seed) {
  SnapshotStates unheard;
  return run(config, seed, unheard, false);
}

SnapshotTrialCounts run_aimed_snapshot_trial(SnapshotMutant mutant, std::uint64_t seed,
                                             SnapshotStates& states) {
  return run({.mutant = mutant}, seed, states, true);
}

}  // namespace asterism
