// The cost of local and global checkpoints for a machine between one petaflops and one exaflops
// (models/resilience).
#include <cmath>
#include <optional>

#include "platform/study/share.h"
#include "platform/study/study_kind.h"
#include "resilience/mpp_system.h"

namespace asterism {
namespace {

struct MppSystemStudy {
  double petaflops = 1;
  CheckpointMedia media = CheckpointMedia::dimm_dimm;
  Share memory_usage = Share(250'000);
  Share volume = Share(1'000'000);
  std::optional<double> local_share = std::nullopt;
  std::optional<double> tau_s = std::nullopt;
  MppSystemConfig machine = {};
};
static_assert(member_count<MppSystemStudy>() == 7);
void describe(Fields& f, MppSystemStudy& c) {
  f("petaflops", c.petaflops, "The speed of the machine. A faster one fails more often and has more memory.",
    within(0.001, 1e6));
  f("media", c.media, "Where local and global checkpoints are kept.", one_of<CheckpointMedia>());
  f("memory_usage", c.memory_usage,
    "The share of a socket's memory that programs use: dong2011 Table XIII has 25% for DC.B.",
    within(Share(1), Share(1'000'000)));
  f("volume", c.volume,
    "The share of that memory that a checkpoint holds. An incremental checkpoint holds less than all.",
    within(Share(1), Share(1'000'000)));
  f("local_share", c.local_share, "The share of local checkpoints. Without it, the best one.",
    within(0.0, 0.999999999));
  f("tau_s", c.tau_s, "The seconds of work between two checkpoints. Without it, the best ones.",
    within(0.001, 1e9));
  describe(f, c.machine);
}

constexpr double min_tau_s = 0.1;  // dong2011 section 5.1

class MppSystemPoint final : public StudyPointOf<MppSystemStudy> {
 public:
  std::vector<Cell> run(const std::stop_token&) override {
    const MppSystem system = mpp_system(config_.machine, config_.petaflops);
    const auto share = [](Share of) { return static_cast<double>(of.count()) / 1e6; };
    const LocalGlobalCheckpoint one = checkpoint_of(config_.machine, system, config_.media,
                                                    share(config_.memory_usage), share(config_.volume));
    const bool global_only = config_.media == CheckpointMedia::pure_hdd;
    const Seconds least(min_tau_s);
    const double local_share =
        config_.local_share.value_or(global_only ? 0 : local_global_optimum(one, least).local_share);
    const Seconds tau = config_.tau_s ? Seconds(*config_.tau_s) : best_tau(one, local_share, least);
    const LocalGlobalTime time = local_global_time(one, tau * 1e6, tau, local_share);
    const bool gets_on = time.availability() > 0;
    return {gets_on ? Cell(100 * time.overhead()) : Cell(),
            100 * time.availability(),
            tau.count(),
            100 * local_share,
            100 * closed_form_local_share(one),
            one.local.count(),
            one.global.count(),
            system.mttf.count(),
            100 * one.locally_recoverable,
            system.degradation,
            system.specification.sockets,
            system.specification.memory_gb};
  }
};

const RegisteredStudy mpp_system_study{
    {.name = "mpp_system",
     .meaning =
         "What local and global checkpoints on disks and PCRAM cost a machine, from one petaflops to one "
         "exaflops",
     .coordinates = {"petaflops", "media"},
     .columns = {{"overhead_percent", "overhead", "%",
                  "Run time over work, minus 1; empty if there is no progress"},
                 {"availability_percent", "available", "%", "Work over run time"},
                 {"best_tau_s", "tau", "s", "The work between two checkpoints"},
                 {"local_percent", "local", "%", "The share of local checkpoints", 1},
                 {"closed_form_percent", "", "%", "The same for rare failures, in closed form"},
                 {"delta_l_s", "delta_L", "s", "The time to write a local checkpoint", 4},
                 {"delta_g_s", "delta_G", "s", "The time to write a global checkpoint", 3},
                 {"mttf_s", "MTTF", "s", "The mean time to a failure of the machine", 1},
                 {"q_l_percent", "q_L", "%", "The share of failures that a local checkpoint survives"},
                 {"degradation", "", "", "MTTF of the petaflops machine over that of this one"},
                 {"sockets", "", "", "Sockets of the machine"},
                 {"memory_gb", "", "GB", "The memory of a socket"}},
     .x = "petaflops",
     .y = "overhead_percent",
     .x_key = "petaflops",
     .bars = {"overhead_percent"},
     .make = make_study_point<MppSystemPoint>}};

}  // namespace
}  // namespace asterism
