// What sw/apps/memory_timing measures on a whole node: latencies and bandwidths of its caches and its memory.
// The study starts `asterism run` and reads the firmware's table.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/study/node_run.h"
#include "platform/study/study_kind.h"

namespace asterism {

enum class MemoryMeasurement { latency, bandwidth, loaded_latency };
constexpr auto enum_names(MemoryMeasurement) {
  return std::to_array<EnumName<MemoryMeasurement>>(
      {{MemoryMeasurement::latency, "latency", "a pointer chase by one core"},
       {MemoryMeasurement::bandwidth, "bandwidth", "four mixes of reads and writes, by all cores"},
       {MemoryMeasurement::loaded_latency, "loaded_latency",
        "a pointer chase by one core while all others read with delays"}});
}

namespace {

struct MemoryTimingStudy {
  std::string node;
  std::string firmware = "memory_timing_many_cores";
  MemoryMeasurement measure = MemoryMeasurement::latency;
  std::optional<Bytes> size;
  std::optional<std::uint32_t> cores;
  std::uint32_t delay = 0;
  std::optional<std::uint32_t> loads;
};
static_assert(member_count<MemoryTimingStudy>() == 7);
void describe(Fields& f, MemoryTimingStudy& c) {
  f("node", c.node, "The machine: a file in configs/nodes. Its cores need caches.", required(),
    names_file("nodes"));
  f("firmware", c.firmware,
    "memory_timing_many_cores for a node with a GICv3, memory_timing for one with a GICv2 and up to 8 cores.",
    one_of(std::vector<std::string>{"memory_timing", "memory_timing_many_cores"}));
  f("measure", c.measure, "What is measured, by sw/apps/memory_timing.", one_of<MemoryMeasurement>());
  f("size", c.size,
    "The size of what is loaded from, by all cores together. Without it, a size that no cache holds; a "
    "latency needs one.",
    within(4_KiB, 64_GiB));
  f.when("measure", c.measure, {MemoryMeasurement::bandwidth, MemoryMeasurement::loaded_latency},
         [&] { f("cores", c.cores, "How many cores run. Without it, all.", within(1u, 576u)); });
  f.when("measure", c.measure, MemoryMeasurement::loaded_latency, [&] {
    f("delay", c.delay,
      "The delay behind each line that the other cores read: iterations of a loop of three instructions.",
      at_most(1'000'000u));
  });
  f.when("measure", c.measure, {MemoryMeasurement::latency, MemoryMeasurement::loaded_latency}, [&] {
    f("loads", c.loads, "How many loads of the chase are measured. More of them make a steadier mean.",
      within(1u, 1'000'000'000u));
  });
}

class MemoryTimingPoint final : public StudyPointOf<MemoryTimingStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    configs_ = library.search_path();
    if (config_.measure == MemoryMeasurement::latency && !config_.size)
      throw StudyMistake("size", "expected a size: measure=latency has a latency for each", {"measure"});
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    NodeRun node({"hello", "node.use=" + config_.node, "firmware=" + config_.firmware, "args=" + arguments()},
                 configs_);
    const auto status = node.wait(stop);
    if (!status) return {};
    if (*status != 0) throw StudyMistake("node", "the run " + node.failure(*status));
    std::ifstream console(node.out() / "console.log");
    return row(table(console));
  }

 private:
  std::string arguments() const {
    const MemoryTimingStudy& c = config_;
    std::string text(to_text(c.measure));
    const auto add = [&](const char* name, auto value) { text += fmt::format(" {}={}", name, value); };
    if (c.size && c.measure == MemoryMeasurement::latency) add("from", c.size->count());
    if (c.size) add(c.measure == MemoryMeasurement::latency ? "to" : "size", c.size->count());
    if (c.cores && c.measure != MemoryMeasurement::latency) add("cores", *c.cores);
    if (c.loads && c.measure != MemoryMeasurement::bandwidth) add("loads", *c.loads);
    if (c.measure == MemoryMeasurement::loaded_latency) add("delays", c.delay);
    return text;
  }

  // The numbers of each row, without the first column.
  using Table = std::vector<std::vector<double>>;
  static Table table(std::istream& console) {
    Table rows;
    std::string line;
    std::getline(console, line);  // the machine
    std::getline(console, line);  // the columns
    while (std::getline(console, line) && !line.ends_with("data verified")) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      auto& numbers = rows.emplace_back();
      for (double value; words >> value;) numbers.push_back(value);
    }
    return rows;
  }

  std::vector<Cell> row(const Table& table) const {
    const auto number = [&](std::size_t row, std::size_t column) {
      if (row >= table.size() || column >= table[row].size())
        throw std::runtime_error("the table of memory_timing has fewer numbers than expected");
      return Cell(table[row][column]);
    };
    const Cell none;
    switch (config_.measure) {
      case MemoryMeasurement::latency:
        return {number(0, 1), none, none, none, none};
      case MemoryMeasurement::loaded_latency:
        return {number(0, 1), number(0, 0), none, none, none};
      case MemoryMeasurement::bandwidth:
        break;
    }
    return {none, number(0, 2), number(1, 2), number(2, 2), number(3, 2)};
  }

  std::string configs_;  // search path
};

const RegisteredStudy memory_timing_study{
    {.name = "memory_timing",
     .meaning = "Latencies and bandwidths of caches and memory, measured by firmware on a whole node",
     .coordinates = {"node", "measure", "size", "delay"},
     .columns = {{"latency_ns", "latency", "ns", "The time of a load of the chase", 1},
                 {"bandwidth_gbps", "reads", "GB/s",
                  "The bandwidth of reads; under loaded_latency of all cores but the one of the chase", 1},
                 {"three_to_one_gbps", "3:1", "GB/s", "The bandwidth of three reads to a write", 1},
                 {"two_to_one_gbps", "2:1", "GB/s", "The bandwidth of two reads to a write", 1},
                 {"one_to_one_gbps", "1:1", "GB/s", "The bandwidth of as many reads as writes", 1}},
     .x = "bandwidth_gbps",
     .y = "latency_ns",
     .x_key = "delay",
     .bars = {"latency_ns"},
     .make = make_study_point<MemoryTimingPoint>}};

}  // namespace
}  // namespace asterism
