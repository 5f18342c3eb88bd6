// Training runs on machines of GPUs and the placement of their copies (models/resilience).
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "bindings.h"
#include "resilience/failure_profile.h"
#include "resilience/new_machine.h"
#include "resilience/training_mistake.h"
#include "resilience/training_run.h"

namespace asterism::python {
namespace {

// The result of work(); a mistake has the name of its argument, which may differ from that of a member.
template <class Work>
auto with_arguments(const Work& work) try {
  return work();
} catch (const TrainingMistake& mistake) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> arguments{
      {{"size", "group"},
       {"tolerated", "parity"},
       {"nodes", "group"},
       {"gpus_per_node", "failures"},
       {"iteration", "iteration_s"},
       {"state", "state_bytes"},
       {"memory_interval", "memory_interval_s"},
       {"file_interval", "interval_s"},
       {"gpu_link", "gpu_link_gbps"},
       {"node_link", "node_link_gbps"},
       {"copies_on", "copies_on_gbps"},
       {"file_system", "file_system_gbps"},
       {"detection", "detection_s"},
       {"restart", "restart_s"},
       {"replacement", "replacement_s"},
       {"repair", "repair_s"}}};
  std::string name = mistake.member();
  for (const auto& [member, argument] : arguments)
    if (name == member) {
      name = argument;
      break;
    }
  throw std::invalid_argument(name + ": " + mistake.what());
}

Bandwidth bandwidth(const char* argument, double gbps) {
  if (!(gbps * 1e9 >= 1 && gbps <= 1e9))
    throw std::invalid_argument(std::string(argument) + ": expected GB/s above 0 and up to 1e9");
  return Bandwidth(static_cast<std::uint64_t>(gbps * 1e9));
}

std::optional<Seconds> seconds_if(std::optional<double> given) {
  return given ? std::optional(Seconds(*given)) : std::nullopt;
}

class TrainingRun {
 public:
  Calls calls;

  TrainingRun(const std::string& failures, TrainingJob job)
      : profile_(load_config<FailureProfile>(config_library(), "failures", failures)), job_(job) {
    job_.gpus_per_node = profile_.gpus_per_node;
    predict();  // refuses what does not fit together
  }

  py::dict predict() {
    const auto p = [this] {
      const Working working(calls);
      return with_arguments([this] { return predict_training(job_, profile_); });
    }();
    py::dict all;
    all["goodput"] = p.goodput;
    all["stalls"] = p.stalls;
    all["waiting"] = p.waiting;
    all["interval_s"] = p.costs.file_interval.count();
    all["memory_interval_s"] = p.costs.memory_interval > Seconds()
                                   ? py::object(py::float_(p.costs.memory_interval.count()))
                                   : py::object(py::none());
    all["mttf_s"] = 1 / p.failures.per_second();
    all["under_repair"] = p.under_repair;
    all["spares_needed"] = p.spares_needed;
    py::list classes;
    for (std::size_t i = 0; i < p.classes.size(); ++i) {
      py::dict one;
      one["name"] = profile_.classes[i].name;
      one["mttf_s"] = 1 / p.classes[i].rate.per_second();
      one["from_memory"] = p.classes[i].from_memory;
      one["share"] = p.classes[i].share;
      classes.append(one);
    }
    all["classes"] = classes;
    return all;
  }

  py::dict simulate(double work_s, std::uint64_t seed, bool new_machine) {
    if (!(work_s > 0 && work_s <= 1e9)) throw std::invalid_argument("work_s: expected 0 to 1e9 s, and not 0");
    const Seconds work(work_s);
    const auto prediction = [&] {
      const Working working(calls);
      return with_arguments([&] {
        return new_machine && profile_.shape != 1 ? predict_new_machine(job_, profile_, work)
                                                  : predict_training(job_, profile_);
      });
    }();
    const auto run = interruptible(calls, [&](const std::stop_token& stop) {
      return simulate_training(job_, profile_,
                               {.work = work,
                                .seed = seed,
                                .new_machine = new_machine,
                                .give_up = time_until_given_up(work, prediction),
                                .stop = stop});
    });
    py::dict all;
    all["finished"] = run.finished;
    all["goodput"] = run.goodput();
    all["time_s"] = run.time.count();
    all["work_s"] = run.work.count();
    all["checkpoints_s"] = run.checkpoints.count();
    all["slow_s"] = run.slow.count();
    all["detection_s"] = run.detection.count();
    all["spare_wait_s"] = run.spare_wait.count();
    all["restart_s"] = run.restart.count();
    all["rework_s"] = run.rework.count();
    all["failures"] = run.failures;
    all["interruptions"] = run.interruptions;
    return all;
  }

 private:
  FailureProfile profile_;
  TrainingJob job_;
};

std::unique_ptr<TrainingRun> training_run(const std::string& failures, std::uint32_t gpus,
                                          std::uint32_t spares, double iteration_s, std::uint64_t state_bytes,
                                          std::uint32_t data_parallel, const std::string& protocol,
                                          const std::string& placement, std::uint32_t group,
                                          std::uint32_t parity, std::optional<double> memory_interval_s,
                                          std::optional<double> interval_s, bool background,
                                          double gpu_link_gbps, double node_link_gbps, double copies_on_gbps,
                                          double file_system_gbps, double idle, double detection_s,
                                          double restart_s, double replacement_s, double repair_s) {
  TrainingJob job;
  job.gpus = gpus, job.spares = spares, job.data_parallel = data_parallel;
  job.iteration = Seconds(iteration_s), job.state = Bytes(state_bytes);
  job.protocol = one_of_names<TrainingProtocol>("protocol", protocol);
  const auto given = one_of_names<ReplicaPlacement>("placement", placement);
  job.placement = job.protocol == TrainingProtocol::replicas ? given : ReplicaPlacement::group;
  job.group = group, job.parity = parity, job.background = background, job.idle = idle;
  job.memory_interval = seconds_if(memory_interval_s), job.file_interval = seconds_if(interval_s);
  job.gpu_link = bandwidth("gpu_link_gbps", gpu_link_gbps);
  job.node_link = bandwidth("node_link_gbps", node_link_gbps);
  job.copies_on = bandwidth("copies_on_gbps", copies_on_gbps);
  job.file_system = bandwidth("file_system_gbps", file_system_gbps);
  job.detection = Seconds(detection_s), job.restart = Seconds(restart_s);
  job.replacement = Seconds(replacement_s), job.repair = Seconds(repair_s);
  return std::make_unique<TrainingRun>(failures, job);
}

}  // namespace

void bind_training(py::module_& module) {
  const TrainingJob usual;
  const auto in_gbps = [](Bandwidth rate) { return static_cast<double>(rate.count()) / 1e9; };
  py::class_<TrainingRun>(
      module, "TrainingRun",
      "A training run on a machine of GPUs with its failures and its checkpoints, as `study\n"
      "training_goodput` has it (docs/training.md).")
      .def(py::init(&training_run), py::arg("failures") = "llama3_405b", py::arg("gpus") = usual.gpus,
           py::arg("spares") = usual.spares, py::arg("iteration_s") = usual.iteration.count(),
           py::arg("state_bytes") = usual.state.count(), py::arg("data_parallel") = usual.data_parallel,
           py::arg("protocol") = "replicas", py::arg("placement") = "mixed", py::arg("group") = usual.group,
           py::arg("parity") = usual.parity, py::arg("memory_interval_s") = py::none(),
           py::arg("interval_s") = py::none(), py::arg("background") = usual.background,
           py::arg("gpu_link_gbps") = in_gbps(usual.gpu_link),
           py::arg("node_link_gbps") = in_gbps(usual.node_link),
           py::arg("copies_on_gbps") = in_gbps(usual.copies_on),
           py::arg("file_system_gbps") = in_gbps(usual.file_system), py::arg("idle") = usual.idle,
           py::arg("detection_s") = usual.detection.count(), py::arg("restart_s") = usual.restart.count(),
           py::arg("replacement_s") = usual.replacement.count(), py::arg("repair_s") = usual.repair.count(),
           "failures: a file in configs/failures. protocol: \"file_system\", \"replicas\", \"sharded\" or\n"
           "\"just_in_time\"; placement (of replicas): \"group\", \"ring\" or \"mixed\". Intervals that\n"
           "are not given are the best. GB/s are 10^9 bytes a second. The arguments are the keys of\n"
           "the study, which has more: codes of the GPUs' memory, media and purchases.")
      .def(
          "predict", &TrainingRun::predict,
          "The closed form: shares of all time (`goodput`; `stalls` for checkpoints, `waiting` for spares),\n"
          "the intervals, the mean time between failures, nodes `under_repair`, the spares that are enough\n"
          "in 99% of the time, and for each class of failures the mean time between two, the share that is\n"
          "undone from memory, and the share of all time that they cost.")
      .def(
          "simulate", &TrainingRun::simulate, py::arg("work_s") = 30 * 86'400.0, py::arg("seed") = 1,
          py::arg("new_machine") = false,
          "The same failure by failure: where the time of a run went, which ends when `work_s` are done. It\n"
          "is given up (not `finished`) after 50 times as long, or five times if the closed form has a\n"
          "goodput below 2%, and after a million failures in which it comes no further. new_machine: all\n"
          "nodes are new.");
  module.def(
      "survival_probability",
      [](std::uint32_t nodes, std::uint32_t lost, std::uint32_t group, const std::string& placement,
         std::optional<std::uint32_t> parity) {
        return with_arguments([&] {
          return survival_probability({.placement = one_of_names<ReplicaPlacement>("placement", placement),
                                       .nodes = nodes,
                                       .size = group,
                                       .tolerated = parity.value_or(group - 1)},
                                      lost);
        });
      },
      py::arg("nodes"), py::arg("lost"), py::arg("group") = 2, py::arg("placement") = "mixed",
      py::arg("parity") = py::none(),
      "The exact probability that the state of every node is left when `lost` nodes are lost at once. Its\n"
      "copies are on `group` nodes: in a \"group\", in a \"ring\", or \"mixed\" (Gemini). With `parity`\n"
      "a group has an erasure code that restores as many losses.");
}

}  // namespace asterism::python
