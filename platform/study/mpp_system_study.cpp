// What local and global checkpoints cost a machine between one petaflops and one exaflops
// (models/resilience).
#include <cmath>
#include <optional>

#include "platform/study/share.h"
#include "platform/study/study_kinds.h"
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
  f("petaflops", c.petaflops, "Speed of the machine; a faster one fails more often and has more memory",
    within(0.001, 1e6));
  f("media", c.media, "Where local and global checkpoints are kept", one_of<CheckpointMedia>());
  f("memory_usage", c.memory_usage, "Of a socket's memory: dong2011 Table XIII has 25% for DC.B",
    within(Share(1), Share(1'000'000)));
  f("volume", c.volume, "Of that: what a checkpoint holds; an incremental one less than all",
    within(Share(1), Share(1'000'000)));
  f("local_share", c.local_share, "Share of local checkpoints; where not given, the best one",
    within(0.0, 0.999999999));
  f("tau_s", c.tau_s, "Seconds of work between two checkpoints; where not given, the best one",
    within(0.001, 1e9));
  describe(f, c.machine);
}

constexpr double least_tau_s = 0.1;  // dong2011 section 5.1

class Point final : public StudyPointOf<MppSystemStudy> {
 public:
  std::vector<Cell> run(const std::stop_token&) override {
    const MppSystem system = mpp_system(config_.machine, config_.petaflops);
    const auto share = [](Share of) { return static_cast<double>(of.count()) / 1e6; };
    const LocalGlobalCheckpoint one = checkpoint_of(config_.machine, system, config_.media,
                                                    share(config_.memory_usage), share(config_.volume));
    const bool global_only = config_.media == CheckpointMedia::pure_hdd;
    const Seconds least(least_tau_s);
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

}  // namespace

const StudyKind mpp_system_study{
    .name = "mpp_system",
    .meaning =
        "What local and global checkpoints on disks and PCRAM cost a machine, from a petaflops to an "
        "exaflops",
    .coordinates = {"petaflops", "media"},
    .columns = {{"overhead_percent", "overhead", "%", "Run over work, less 1; nothing where nothing gets on"},
                {"availability_percent", "available", "%", "Work over run"},
                {"best_tau_s", "tau", "s", "Work between two checkpoints"},
                {"local_percent", "local", "%", "Of checkpoints: local ones", 1},
                {"closed_form_percent", "", "%", "The same where failures are rare, in closed form"},
                {"delta_l_s", "delta_L", "s", "To write a local checkpoint", 4},
                {"delta_g_s", "delta_G", "s", "To write a global one", 3},
                {"mttf_s", "MTTF", "s", "Of the machine", 1},
                {"q_l_percent", "q_L", "%", "Of failures: those that a local checkpoint survives"},
                {"degradation", "", "", "MTTF of the petaflops machine over this one's"},
                {"sockets", "", "", "Of the machine"},
                {"memory_gb", "", "GB", "Of a socket"}},
    .x = "petaflops",
    .y = "overhead_percent",
    .x_key = "petaflops",
    .bars = {"overhead_percent"},
    .make = make_study_point<Point>};

}  // namespace asterism
