// Models of resilience (models/resilience). Times are seconds of a whole machine.
#include <pybind11/numpy.h>

#include <array>

#include "bindings.h"
#include "resilience/first_order.h"
#include "resilience/local_global_monte_carlo.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"
#include "resilience/mpp_system.h"
#include "resilience/semi_blocking_monte_carlo.h"
#include "resilience/young_daly.h"

namespace asterism::python {
namespace {

CheckpointLevel level(double mttf_s, double checkpoint_s, double restart_s) {
  if (!(mttf_s > 0)) throw std::invalid_argument("mttf_s: expected a time above 0");
  return {Rate(1 / mttf_s), Seconds(checkpoint_s), Seconds(restart_s)};
}

using Levels = std::vector<std::array<double, 3>>;
std::vector<CheckpointLevel> levels_of(const Levels& given) {
  std::vector<CheckpointLevel> levels;
  levels.reserve(given.size());
  for (const auto& [mttf, checkpoint, restart] : given) levels.push_back(level(mttf, checkpoint, restart));
  return levels;
}

HigherLevels higher(bool background) {
  return background ? HigherLevels::background : HigherLevels::blocking;
}

// A formula of one level for numbers or arrays.
template <Seconds (*formula)(const CheckpointLevel&)>
auto interval_of() {
  return py::vectorize([](double mttf_s, double checkpoint_s, double restart_s) {
    return formula(level(mttf_s, checkpoint_s, restart_s)).count();
  });
}

template <class Work>
auto without_lock(const Work& work) {
  const py::gil_scoped_release released;
  return work();
}

py::dict dictionary_of(const LocalGlobalTime& time) {
  py::dict all;
  all["total_s"] = time.total().count();
  all["dump_s"] = time.dump.count();
  all["rollback_recovery_s"] = time.rollback_recovery.count();
  all["extra_rollback_s"] = time.extra_rollback.count();
  all["overhead"] = time.overhead();
  all["availability"] = time.availability();
  return all;
}

void bind_one_level(py::module_& module) {
  const auto define = [&](const char* name, auto formula, const char* meaning) {
    module.def(name, formula, py::arg("mttf_s"), py::arg("checkpoint_s"), py::arg("restart_s") = 0.0,
               meaning);
  };
  define("young_interval", interval_of<young_interval>(),
         "The seconds of work between two checkpoints by Young's first order (CACM 1974): sqrt(2 C M).\n"
         "Numbers or arrays.");
  define("daly_interval", interval_of<daly_interval>(),
         "The same by Daly's higher order (Future Generation Computer Systems 2006).");
  define("best_interval", interval_of<best_interval>(),
         "The optimum of Daly's cost function, which the others approximate.");
  module.def(
      "efficiency",
      py::vectorize([](double mttf_s, double checkpoint_s, double restart_s, double interval_s) {
        return single_level_efficiency(level(mttf_s, checkpoint_s, restart_s), Seconds(interval_s));
      }),
      py::arg("mttf_s"), py::arg("checkpoint_s"), py::arg("restart_s"), py::arg("interval_s"),
      "Work over expected time of an endless run with checkpoints of one level, by Daly's cost function.");
  module.def(
      "expected_run_time",
      py::vectorize([](double mttf_s, double checkpoint_s, double restart_s, double interval_s,
                       double work_s) {
        return expected_run_time(level(mttf_s, checkpoint_s, restart_s), Seconds(interval_s), Seconds(work_s))
            .count();
      }),
      py::arg("mttf_s"), py::arg("checkpoint_s"), py::arg("restart_s"), py::arg("interval_s"),
      py::arg("work_s"), "The mean seconds of a run of `work_s`; infinite if it hardly makes progress.");
}

void bind_levels(py::module_& module) {
  module.def(
      "first_order_efficiency",
      [](const Levels& levels, bool background) {
        return first_order_efficiency(levels_of(levels), higher(background));
      },
      py::arg("levels"), py::arg("background") = false,
      "The efficiency of several levels of checkpoints, each at its best interval, to first order\n"
      "(lee2019). Levels are (MTTF of its failures, time to write, time to read) in seconds, the cheapest\n"
      "first. With `background` the higher ones are written while the program works.");
  module.def(
      "multilevel_efficiency",
      [](const Levels& levels, double interval_s, std::vector<std::uint64_t> counts, bool background) {
        return markov_efficiency(levels_of(levels), {Seconds(interval_s), std::move(counts)},
                                 higher(background));
      },
      py::arg("levels"), py::arg("interval_s"), py::arg("counts"), py::arg("background") = false,
      "The same by the Markov model of Moody et al. (SC 2010) for a schedule: the work between two\n"
      "checkpoints, and for each level but the last how many of its checkpoints come before one of the\n"
      "next.");
  module.def(
      "multilevel_optimum",
      [](const Levels& levels, double min_interval_s, bool background) {
        const auto optimum = without_lock(
            [&] { return markov_optimum(levels_of(levels), Seconds(min_interval_s), higher(background)); });
        py::dict all;
        all["interval_s"] = optimum.schedule.interval.count();
        all["counts"] = optimum.schedule.counts;
        all["efficiency"] = optimum.efficiency;
        return all;
      },
      py::arg("levels"), py::arg("min_interval_s") = 1.0, py::arg("background") = false,
      "The schedule with the highest efficiency: `interval_s`, `counts`, `efficiency`.");
  module.def(
      "simulate_multilevel",
      [](const Levels& levels, double interval_s, std::vector<std::uint64_t> counts, std::uint64_t cycles,
         std::uint64_t seed, double shape, bool background) {
        const auto result = interruptible([&](const std::stop_token& stop) {
          const MonteCarloSettings settings{
              .seed = seed, .cycles = cycles, .higher = higher(background), .shape = shape, .stop = stop};
          return simulate_checkpoints(levels_of(levels), {Seconds(interval_s), std::move(counts)}, settings);
        });
        py::dict all;
        all["efficiency"] = result.efficiency;
        all["half_width_99"] = result.half_width_99;
        all["failures"] = result.failures;
        all["cycles"] = result.cycles;
        return all;
      },
      py::arg("levels"), py::arg("interval_s"), py::arg("counts"), py::arg("cycles") = 1000,
      py::arg("seed") = 1, py::arg("shape") = 1.0, py::arg("background") = false,
      "The same by Monte Carlo over cycles of the schedule, with the half width of its 99% interval.\n"
      "`shape` is that of the Weibull distribution of the times between failures.");
}

LocalGlobalCheckpoint local_global(double local_s, double global_s, double local_restart_s,
                                   double global_restart_s, double locally_recoverable, double mttf_s,
                                   double coordination_s, double dirty_time_s, bool background,
                                   double background_slowdown) {
  const LocalGlobalCheckpoint made{.local = Seconds(local_s),
                                   .global = Seconds(global_s),
                                   .local_restart = Seconds(local_restart_s),
                                   .global_restart = Seconds(global_restart_s),
                                   .locally_recoverable = locally_recoverable,
                                   .mttf = Seconds(mttf_s),
                                   .coordination = Seconds(coordination_s),
                                   .dirty_time = Seconds(dirty_time_s),
                                   .background = background,
                                   .background_slowdown = background_slowdown};
  check_local_global(made);
  return made;
}

py::dict optimum_of(const LocalGlobalCheckpoint& c, double min_interval_s) {
  const auto best = without_lock([&] { return local_global_optimum(c, Seconds(min_interval_s)); });
  py::dict all;
  all["interval_s"] = best.tau.count();
  all["local_share"] = best.local_share;
  all["overhead"] = best.overhead;
  return all;
}

py::dict simulate(const LocalGlobalCheckpoint& c, double interval_s, double local_share, std::uint32_t nodes,
                  double shape, std::uint64_t failures, std::uint64_t seed) {
  const auto result = interruptible([&](const std::stop_token& stop) {
    return simulate_local_global(
        c, Seconds(interval_s), local_share,
        {.nodes = nodes, .shape = shape, .failures = failures, .seed = seed, .stop = stop});
  });
  py::dict all;
  all["availability"] = result.availability;
  all["half_width_99"] = result.half_width_99;
  all["failures"] = result.failures;
  all["checkpoints"] = result.checkpoints;
  return all;
}

void bind_local_global(py::module_& module) {
  using Checkpoint = LocalGlobalCheckpoint;
  py::class_<Checkpoint> type(module, "LocalGlobal",
                              "Hybrid local and global checkpoints (dong2011 section 4.4). A share\n"
                              "`locally_recoverable` of the failures leaves the local checkpoints of a\n"
                              "node; the others need the last global one.");
  type.def(py::init(&local_global), py::arg("local_s"), py::arg("global_s"), py::arg("local_restart_s"),
           py::arg("global_restart_s"), py::arg("locally_recoverable"), py::arg("mttf_s"),
           py::arg("coordination_s") = 0.0, py::arg("dirty_time_s") = 0.0, py::arg("background") = false,
           py::arg("background_slowdown") = 0.0,
           "Times to write and to read a checkpoint. dirty_time_s: checkpoints hold only the pages written\n"
           "since the last one, of which there are 1 - exp(-t / dirty_time_s) after a time t. background:\n"
           "global ones are written while the program works, which is slower by background_slowdown\n"
           "meanwhile.")
      .def(
          "time",
          [](const Checkpoint& c, double work_s, double interval_s, double local_share) {
            return dictionary_of(local_global_time(c, Seconds(work_s), Seconds(interval_s), local_share));
          },
          py::arg("work_s"), py::arg("interval_s"), py::arg("local_share"),
          "The parts of a run's time by Eqs 1 to 7, its overhead and its availability.")
      .def("optimum", &optimum_of, py::arg("min_interval_s") = 0.1,
           "The interval and the share of local checkpoints of the shortest run.")
      .def("simulate", &simulate, py::arg("interval_s"), py::arg("local_share"), py::arg("nodes") = 1,
           py::arg("shape") = 1.0, py::arg("failures") = 100'000, py::arg("seed") = 1,
           "The availability by Monte Carlo, failure by failure, with the half width of its 99% interval.")
      .def_property_readonly("mttf_s", [](const Checkpoint& c) { return c.mttf.count(); })
      .def_property_readonly("local_s", [](const Checkpoint& c) { return c.local.count(); })
      .def_property_readonly("global_s", [](const Checkpoint& c) { return c.global.count(); })
      .def_property_readonly("locally_recoverable",
                             [](const Checkpoint& c) { return c.locally_recoverable; });
}

void bind_machines(py::module_& module) {
  module.def(
      "mpp_checkpoint",
      [](double petaflops, const std::string& media, double memory_usage, double volume,
         const py::dict& keys) {
        if (!(petaflops > 0)) throw std::invalid_argument("petaflops: expected a speed above 0");
        const auto config = read_keys<MppSystemConfig>(keys);
        return checkpoint_of(config, mpp_system(config, petaflops),
                             one_of_names<CheckpointMedia>("media", media), memory_usage, volume);
      },
      py::arg("petaflops"), py::arg("media"), py::arg("memory_usage") = 1.0, py::arg("volume") = 1.0,
      py::arg("keys") = py::dict(),
      "The LocalGlobal of a machine of dong2011 (sections 6.1, 6.2) between 1 and 1000 petaflops: on disks\n"
      "(\"pure_hdd\"), or with PCRAM (\"dimm_hdd\", \"dimm_dimm\", \"pcram_3d\"). Programs use a share of\n"
      "the memory, and a checkpoint holds a share of that. Keys: mpp_keys().");
  module.def("mpp_keys", documentation<MppSystemConfig>, "All keys of mpp_checkpoint(), as text.");
  module.def(
      "mpp_schema", [] { return schema_of<MppSystemConfig>("Asterism machine"); }, "Their JSON Schema.");
}

void bind_buddies(py::module_& module) {
  const auto optimum_of = [](const BuddyOptimum& optimum) {
    py::dict all;
    all["interval_s"] = optimum.tau.count();
    all["total_s"] = optimum.total.count();
    all["at_bound"] = optimum.at_bound;
    return all;
  };
  py::class_<BuddyCheckpoint>(
      module, "Buddies",
      "Checkpoints of a node in its own memory and in that of a buddy, which the program waits for or\n"
      "which are sent while it works (ni2012 chapter 3).")
      .def(py::init([](double overlap_s, double overhead_s, double local_s, double blocking_s,
                       double restart_s, double mttf_s) {
             const BuddyCheckpoint made{Seconds(overlap_s),  Seconds(overhead_s), Seconds(local_s),
                                        Seconds(blocking_s), Seconds(restart_s),  Seconds(mttf_s)};
             check_buddy_checkpoint(made);
             return made;
           }),
           py::arg("overlap_s"), py::arg("overhead_s"), py::arg("local_s"), py::arg("blocking_s"),
           py::arg("restart_s"), py::arg("mttf_s"),
           "A copy to the buddy takes overlap_s beside the program, which it delays by overhead_s; the\n"
           "local one stops it for local_s, and a blocking checkpoint for blocking_s.")
      .def(
          "optimum",
          [optimum_of](const BuddyCheckpoint& c, double work_s) {
            const auto [semi_blocking, blocking] = without_lock([&] {
              return std::pair(semi_blocking_optimum(c, Seconds(work_s)),
                               blocking_optimum(c, Seconds(work_s)));
            });
            py::dict all;
            all["semi_blocking"] = optimum_of(semi_blocking);
            all["blocking"] = optimum_of(blocking);
            all["benefit"] = semi_blocking_benefit(semi_blocking, blocking);
            return all;
          },
          py::arg("work_s"),
          "The best intervals of both, and the share by which semi-blocking is shorter (Eq. 3.9).")
      .def(
          "simulate",
          [](const BuddyCheckpoint& c, double interval_s, std::uint64_t failures, std::uint64_t seed) {
            const auto result = interruptible([&](const std::stop_token& stop) {
              return simulate_semi_blocking(c, Seconds(interval_s), failures, seed, stop);
            });
            py::dict all;
            all["stretch"] = result.stretch;
            all["half_width_99"] = result.half_width_99;
            all["failures"] = result.failures;
            return all;
          },
          py::arg("interval_s"), py::arg("failures") = 10'000, py::arg("seed") = 1,
          "Time over work of semi-blocking checkpoints by Monte Carlo.");
}

}  // namespace

void bind_resilience(py::module_& module) {
  bind_one_level(module);
  bind_levels(module);
  bind_local_global(module);
  bind_machines(module);
  bind_buddies(module);
}

}  // namespace asterism::python
