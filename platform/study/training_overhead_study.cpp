// What a checkpoint in the memory of other GPUs costs a step of training, measured on a whole node: the study
// starts `asterism run` with the scenario training_gpu_loss, with checkpoints and without, and reads the
// times that the firmware measured.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "platform/study/node_run.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

enum class GuardProtocol { gemini, reft };
constexpr auto enum_names(GuardProtocol) {
  return std::to_array<EnumName<GuardProtocol>>(
      {{GuardProtocol::gemini, "gemini", "each GPU's part is copied to another one's memory"},
       {GuardProtocol::reft, "reft", "each GPU's part is divided among the others, with a parity"}});
}

struct TrainingOverheadStudy {
  GuardProtocol protocol = GuardProtocol::reft;
  bool overlap = true;
  std::uint32_t interval = 1;
  std::uint32_t ssd_every = 8;
  std::uint32_t steps = 40;
};
static_assert(member_count<TrainingOverheadStudy>() == 5);
void describe(Fields& f, TrainingOverheadStudy& c) {
  f("protocol", c.protocol, "How the group of GPUs guards its state.", one_of<GuardProtocol>());
  f("overlap", c.overlap,
    "Whether the guards are written while the kernels of the step run. Otherwise the step waits for them.");
  f("interval", c.interval, "The number of steps from one checkpoint to the next.", within(1, 1000));
  f("ssd_every", c.ssd_every,
    "The checkpoint of each step that is a multiple of this also goes to the DIMM-SSD in the background. As "
    "many as there are steps leave only what memory costs.",
    within(1, 1000));
  f("steps", c.steps, "The number of steps. More of them take longer, and make the first ones count less.",
    within(4, 1000));
  f.check([&] { return c.interval <= c.steps; }, "interval", "is at most steps");
}

class TrainingOverheadPoint final : public StudyPointOf<TrainingOverheadStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { configs_ = library.search_path(); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const auto with = measure(config_.interval, stop);
    if (!with) return {};
    const auto without = measure(config_.steps, stop);
    if (!without) return {};
    return {with->step_us, without->step_us, (with->step_us / without->step_us - 1) * 100,
            with->checkpoint_us};
  }

 private:
  struct Times {
    double step_us, checkpoint_us;  // means over the steps
  };

  // Nothing if a stop was requested.
  std::optional<Times> measure(std::uint32_t interval, const std::stop_token& stop) const {
    NodeRun node(
        {"training_gpu_loss", "faults=[]", "expect={}", "node.gpu.copy_in_beside_kernels=true",
         fmt::format("args=protocol={} steps={} interval={} ssd_every={}{}", to_text(config_.protocol),
                     config_.steps, interval, config_.ssd_every, config_.overlap ? " overlap=on" : "")},
        configs_);
    const auto status = node.wait(stop);
    if (!status) return std::nullopt;
    if (*status != 0) throw StudyMistake("protocol", "the run " + node.failure(*status));
    std::ifstream console(node.out() / "console.log");
    return times_of(console);
  }

  // "training:   21580 in steps, 1386 of them for checkpoints;"
  Times times_of(std::istream& console) const {
    for (std::string line; std::getline(console, line);) {
      if (line.find(" of them for checkpoints") == std::string::npos) continue;
      const double steps = config_.steps;
      return {number_before(line, " in steps") / steps,
              number_before(line, " of them for checkpoints") / steps};
    }
    throw std::runtime_error("the firmware has printed no times");
  }

  static double number_before(std::string_view line, std::string_view words) {
    const std::string_view before = line.substr(0, line.find(words));
    const std::string_view digits = before.substr(before.rfind(' ') + 1);
    unsigned number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      throw std::runtime_error(fmt::format("there is no number before \"{}\" in \"{}\"", words, line));
    return number;
  }

  std::string configs_;  // search path
};

const RegisteredStudy training_overhead_study{
    {.name = "training_overhead",
     .meaning =
         "What checkpoints in the memory of other GPUs cost a step of training, measured on a whole node",
     .coordinates = {"protocol", "overlap", "interval"},
     .columns = {{"step_us", "a step", "us", "The mean time of a step with its checkpoints", 1},
                 {"without_us", "without", "us", "The same with no checkpoint but the first", 1},
                 {"overhead_percent", "more", "%", "By how much the first is longer", 2},
                 {"checkpoint_us", "checkpoint", "us",
                  "The part of step_us in which cores are busy with checkpoints or wait for them", 1}},
     .x = "interval",
     .y = "overhead_percent",
     .x_key = "interval",
     .bars = {"overhead_percent"},
     .make = make_study_point<TrainingOverheadPoint>}};

}  // namespace
}  // namespace asterism
