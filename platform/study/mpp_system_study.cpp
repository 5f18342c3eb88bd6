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
  double dirty_time_s = 0;
  bool background = false;
  Share slowdown = Share(0);
  std::optional<double> local_share = std::nullopt;
  std::optional<double> tau_s = std::nullopt;
  MppSystemConfig machine = {};
};
static_assert(member_count<MppSystemStudy>() == 10);
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
  f("dirty_time_s", c.dirty_time_s,
    "The seconds in which a program writes 63% of that memory. Checkpoints hold what has been written since "
    "the last one of their kind, and a recovery reads everything; with 0 they hold everything.",
    within(0.0, 1e9));
  f("background", c.background,
    "Whether global checkpoints are stored from local ones while the program goes on. Otherwise it waits, "
    "and always where there are disks only.");
  f.when("background", c.background, true, [&] {
    f("slowdown", c.slowdown, "The share of its speed that the program loses meanwhile.",
      within(Share(0), Share(1'000'000)));
  });
  f("local_share", c.local_share, "The share of local checkpoints. Without it, the best one.",
    within(0.0, 0.999999999));
  f("tau_s", c.tau_s, "The seconds of work between two checkpoints. Without it, the best ones.",
    within(0.001, 1e9));
  describe(f, c.machine);
}

constexpr double min_tau_s = 0.1;  // dong2011 section 5.1

double share_of(Share share) { return static_cast<double>(share.count()) / 1e6; }

class MppSystemPoint final : public StudyPointOf<MppSystemStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    try {
      system();
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("petaflops", error.what());
    }
    try {
      const LocalGlobalCheckpoint one = checkpoint(system());
      const auto [tau, local_share] = choose(one);
      local_global_time(one, tau * 1e6, tau, local_share);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("tau_s", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token&) override {
    const MppSystem system = this->system();
    const LocalGlobalCheckpoint full = checkpoint(system);
    const auto [tau, local_share] = choose(full);
    const LocalGlobalCheckpoint one = with_increments(full, tau, local_share);
    const LocalGlobalTime time = local_global_time(full, tau * 1e6, tau, local_share);
    const bool gets_on = time.availability() > 0;
    return {gets_on ? Cell(100 * time.overhead()) : Cell(),
            100 * time.availability(),
            tau.count(),
            100 * local_share,
            100 * closed_form_local_share(full),
            one.local.count(),
            one.global.count(),
            system.mttf.count(),
            100 * one.locally_recoverable,
            system.degradation,
            system.specification.sockets,
            system.specification.memory_gb,
            100 * increment(full, tau),
            100 * increment(full, tau / (1 - local_share)),
            100 * (time.dump / time.work)};
  }

 private:
  MppSystem system() const { return mpp_system(config_.machine, config_.petaflops); }
  bool global_only() const { return config_.media == CheckpointMedia::pure_hdd; }

  LocalGlobalCheckpoint checkpoint(const MppSystem& system) const {
    LocalGlobalCheckpoint one = checkpoint_of(config_.machine, system, config_.media,
                                              share_of(config_.memory_usage), share_of(config_.volume));
    one.dirty_time = Seconds(config_.dirty_time_s);
    one.background = config_.background && !global_only();
    one.background_slowdown = share_of(config_.slowdown);
    return one;
  }
  struct Chosen {
    Seconds tau;
    double local_share;
  };
  Chosen choose(const LocalGlobalCheckpoint& one) const {
    const Seconds least(min_tau_s);
    const double share = config_.local_share ? *config_.local_share
                         : global_only()     ? 0
                                             : local_global_optimum(one, least).local_share;
    return {config_.tau_s ? Seconds(*config_.tau_s) : best_tau(one, share, least), share};
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
                 {"memory_gb", "", "GB", "The memory of a socket"},
                 {"local_increment_percent", "", "%", "What a local checkpoint holds, of all that it could"},
                 {"global_increment_percent", "", "%",
                  "What a global checkpoint holds, of all that it could"},
                 {"dump_percent", "", "%", "The time of Eq. 2, in which the program waits, over the work"}},
     .x = "petaflops",
     .y = "overhead_percent",
     .x_key = "petaflops",
     .bars = {"overhead_percent"},
     .make = make_study_point<MppSystemPoint>}};

}  // namespace
}  // namespace asterism
