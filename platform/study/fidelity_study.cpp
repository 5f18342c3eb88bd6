// How far the fast timing of a node is from its event-driven engines: a program runs twice on the same node,
// with memory and fabric contended and with memory exact and fabric flit by flit. The study starts
// `asterism run` for both and compares the simulated times.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric/fabric_config.h"
#include "platform/study/node_run.h"
#include "platform/study/study_kind.h"

namespace asterism {

enum class MemoryProgram {
  chase,
  stream_alone,
  stream,
  stream_aligned,
  mixes,
  loaded_latency,
  cg,
  stencil,
  copy,
  daxpy,
  checkpoint_interference,
  saturated
};
constexpr auto enum_names(MemoryProgram) {
  return std::to_array<EnumName<MemoryProgram>>(
      {{MemoryProgram::chase, "chase", "a pointer chase by one core, in twice the L2"},
       {MemoryProgram::stream_alone, "stream_alone", "STREAM on one core"},
       {MemoryProgram::stream, "stream", "STREAM on four cores"},
       {MemoryProgram::stream_aligned, "stream_aligned",
        "the same with arrays of 3 MiB, whose parts all begin in one bank"},
       {MemoryProgram::mixes, "mixes", "four mixes of reads and writes by two cores"},
       {MemoryProgram::loaded_latency, "loaded_latency",
        "a pointer chase by one core while three read with several delays"},
       {MemoryProgram::cg, "cg", "a conjugate-gradient solver on four cores that takes checkpoints"},
       {MemoryProgram::stencil, "stencil",
        "a lattice Boltzmann stencil on four cores that takes checkpoints"},
       {MemoryProgram::copy, "copy", "a loop of LDP and STP on two cores, beyond the caches"},
       {MemoryProgram::daxpy, "daxpy", "daxpy on four cores, beyond the caches"},
       {MemoryProgram::checkpoint_interference, "checkpoint_interference",
        "a stencil while the DIMM-SSD copies its pages, by two methods"},
       {MemoryProgram::saturated, "saturated", "reads and writes by four cores without pause"}});
}

namespace {

namespace fs = std::filesystem;

struct FidelityStudy {
  std::string node = "checkpoint_node";
  TopologyKind topology = TopologyKind::swizzle_switch;
  MemoryProgram program = MemoryProgram::chase;
  std::optional<std::string> args;
};
static_assert(member_count<FidelityStudy>() == 4);
void describe(Fields& f, FidelityStudy& c) {
  f("node", c.node, "The machine: a file in configs/nodes. Its cores need caches.", names_file("nodes"));
  f("topology", c.topology, "The node's fabric. On an ideal crossbar only the memory is compared.",
    one_of<TopologyKind>());
  f("program", c.program, "The program, from sw/apps.", one_of<MemoryProgram>());
  f("args", c.args, "The arguments of the program. Without them, those with which it uses memory for long.");
}

// The firmware of a program and its arguments. Each works on more than the caches hold, and what it does
// before is short beside it.
struct Firmware {
  const char *name, *args;
};
Firmware firmware_of(MemoryProgram program) {
  switch (program) {
    case MemoryProgram::chase:
      return {"memory_timing", "latency from=4MiB to=4MiB loads=65536"};
    case MemoryProgram::stream_alone:
      return {"memory_timing", "stream size=2MiB cores=1"};
    case MemoryProgram::stream:
      return {"memory_timing", "stream size=3104KiB cores=4"};
    case MemoryProgram::stream_aligned:
      return {"memory_timing", "stream size=3MiB cores=4"};
    case MemoryProgram::mixes:
      return {"memory_timing", "bandwidth size=4MiB cores=2"};
    case MemoryProgram::loaded_latency:
      return {"memory_timing", "loaded_latency size=8MiB cores=4 loads=2048 delays=400,200,100,50"};
    case MemoryProgram::cg:
      return {"cg", "nx=24 tolerance=1e-2"};
    case MemoryProgram::stencil:
      return {"stencil", "columns=192 rows=160 sweeps=4 interval=2"};
    case MemoryProgram::copy:
      return {"loops", "loop=copy size=2MiB millions=2 cores=2"};
    case MemoryProgram::daxpy:
      return {"loops", "loop=daxpy size=1MiB millions=4 cores=4"};
    case MemoryProgram::checkpoint_interference:
      return {"checkpoint_interference", "columns=160 rows=128 sweeps=4 interval=2"};
    case MemoryProgram::saturated:
      break;
  }
  return {"memory_timing", "bandwidth size=8MiB cores=4"};
}

class FidelityPoint final : public StudyPointOf<FidelityStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { configs_ = library.search_path(); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const auto contended = measure("contended", "contended", stop);
    if (!contended) return {};
    const auto exact = measure("exact", "flit", stop);
    if (!exact) return {};
    const double difference = contended->microseconds / exact->microseconds - 1;
    return {contended->microseconds,
            exact->microseconds,
            100 * difference,
            std::abs(difference),
            contended->bytes / contended->microseconds / 1e3,
            exact->bytes / exact->microseconds / 1e3};
  }

 private:
  struct Measured {
    double microseconds, bytes;  // simulated; read and written
  };

  std::optional<Measured> measure(const char* memory, const char* fabric, const std::stop_token& stop) const {
    const FidelityStudy& c = config_;
    const Firmware firmware = firmware_of(c.program);
    NodeRun node({"hello", "node.use=" + c.node, fmt::format("firmware={}", firmware.name),
                  "args=" + c.args.value_or(firmware.args), fmt::format("node.memory.fidelity={}", memory),
                  fmt::format("node.fabric={{\"topology\": \"{}\", \"fidelity\": \"{}\"}}",
                              to_text(c.topology), fabric)},
                 configs_);
    const auto status = node.wait(stop);
    if (!status) return std::nullopt;
    if (*status != 0)
      throw StudyMistake("program",
                         fmt::format("the run with memory.fidelity={} {}", memory, node.failure(*status)));
    return read(node.out() / "stats.json");
  }

  static Measured read(const fs::path& stats) {
    std::ifstream in(stats);
    const auto all = nlohmann::json::parse(in);
    const auto number = [&](const char* place) {
      return all.at(nlohmann::json::json_pointer(place)).get<double>();
    };
    return {number("/simulated_time_ps") / 1e6,
            number("/node/memory/read_bytes") + number("/node/memory/written_bytes")};
  }

  std::string configs_;  // search path
};

const RegisteredStudy fidelity_study{
    {.name = "fidelity",
     .meaning =
         "The execution time of programs with memory and fabric contended, and with each access an event",
     .coordinates = {"node", "topology", "program"},
     .columns = {{"contended_us", "contended", "us", "The simulated time with contended memory and fabric",
                  1},
                 {"exact_us", "exact", "us", "The simulated time with memory exact and fabric flit by flit",
                  1},
                 {"difference_percent", "difference", "%", "By how much the first is longer", 1},
                 {"error", "", "", "The difference as a share, without its sign"},
                 {"contended_gbps", "", "GB/s", "The traffic of memory, contended", 2},
                 {"exact_gbps", "traffic", "GB/s", "The traffic of memory, exact", 2}},
     .x = "program",
     .y = "difference_percent",
     .bars = {"difference_percent"},
     .make = make_study_point<FidelityPoint>}};

}  // namespace
}  // namespace asterism
