// The time that a checkpoint takes to each of the media of dong2011 Table XI, measured on two whole nodes in
// one simulation. The study starts `asterism run` with the scenario of the medium and reads the times that
// the firmware measured.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "platform/study/node_costs.h"
#include "platform/study/node_run.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

enum class Medium { dimm, stack, disk };
constexpr auto enum_names(Medium) {
  return std::to_array<EnumName<Medium>>(
      {{Medium::dimm, "dimm", "a PCRAM-DIMM of the node, then that of its neighbour"},
       {Medium::stack, "stack", "3D-PCRAM of the node, then that of its neighbour"},
       {Medium::disk, "disk", "a file system that the nodes share, modelled as a bandwidth"}});
}

struct CheckpointMediaStudy {
  Medium medium = Medium::dimm;
  std::uint32_t pages = 1024;
  Bandwidth network = 3'500_MBps;
  Bandwidth disk = 11_MBps;
};
static_assert(member_count<CheckpointMediaStudy>() == 4);
void describe(Fields& f, CheckpointMediaStudy& c) {
  f("medium", c.medium, "The medium of local and global checkpoints.", one_of<Medium>());
  f("pages", c.pages, "The size of a checkpoint in pages of 4 KiB. With medium disk it has 8 pages.",
    within(10, 4000));
  f("network", c.network, "The bandwidth of the link of a node, in each direction.",
    within(1_MBps, 1000_GBps));
  f("disk", c.disk, "With medium disk: the share of a node in the bandwidth of the file system.",
    within(1_MBps, 1_GBps));
}

class CheckpointMediaPoint final : public StudyPointOf<CheckpointMediaStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { configs_ = library.search_path(); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    NodeRun nodes(scenario(), configs_);
    const auto status = nodes.wait(stop);
    if (!status) return {};
    if (*status != 0) throw StudyMistake("medium", "the run on two nodes " + nodes.failure(*status));
    return config_.medium == Medium::disk ? of_disk(nodes.out()) : of_pcram(nodes.out());
  }

 private:
  static std::string text_of(Bandwidth bandwidth) { return fmt::format("{}B/s", bandwidth.count()); }

  std::vector<std::string> scenario() const {
    const CheckpointMediaStudy& c = config_;
    const std::string network = "cluster.network.bandwidth=" + text_of(c.network);
    switch (c.medium) {
      case Medium::dimm:
        return {"pcram_neighbour", network, fmt::format("args=pages={} to=neighbour", c.pages)};
      case Medium::stack:
        return {"pcram_neighbour",
                network,
                fmt::format("args=pages={} to=neighbour", c.pages),
                "node.pcram.kind=stack",
                "node.pcram.part=dong2011_3d",
                "node.pcram.layers=2",
                "node.pcram.suppress=false"};
      case Medium::disk:
        break;
    }
    // Both nodes write at once, so that each has half of the link. The number of steps suffices for both
    // writes to end, with cores whose instructions take a cycle each.
    return {"buddy_cluster",
            network,
            "node.cores.caches.model=none",
            "node.cores.timing=null",
            "faults=[]",
            "expect={}",
            "cluster.nodes=2",
            "cluster.spares=0",
            "cluster.firmware_spares=0",
            "cluster.checkpoint.interval=30",
            "cluster.checkpoint.global_every=1",
            fmt::format("cluster.program.steps={}", 60 + 2 * steps_of(c.disk)),
            fmt::format("cluster.storage.bandwidth={}B/s", 2 * c.disk.count())};
  }

  // The number of steps of 100 us in which a copy of 32 KiB is written to the disk.
  static std::uint64_t steps_of(Bandwidth disk) { return 32768ull * 10'000 / disk.count(); }

  static std::vector<Cell> of_disk(const fs::path& out) {
    const NodeCosts costs(out / "stats.json");
    const auto bytes = static_cast<double>(costs.count("state_bytes", "pages"));
    const auto rate = static_cast<double>(costs.count("drain_bytes_per_second", "disk"));
    return {std::monostate(), std::monostate(), bytes / rate * 1e6,
            rate / 1e9,       std::monostate(), std::monostate()};
  }

  static std::vector<Cell> of_pcram(const fs::path& out) {
    std::map<std::string, double> found;
    std::ifstream in(out / "files/node0/result.txt");
    double value = 0;
    for (std::string name; in >> name >> value;) found[name] = value;
    const auto number = [&](const char* name) {
      const auto at = found.find(name);
      if (at == found.end() || at->second <= 0)
        throw std::runtime_error(std::string("result.txt of the first node has no ") + name);
      return at->second;
    };
    const double bytes = number("bytes"), local = number("local_ns"), global = number("neighbour_ns"),
                 back = number("back_ns");
    return {local / 1e3, bytes / local, global / 1e3, bytes / global, back / 1e3, bytes / back};
  }

  std::string configs_;  // search path
};

const RegisteredStudy checkpoint_media_study{
    {.name = "checkpoint_media",
     .meaning =
         "A checkpoint to a node's own PCRAM, to that of its neighbour and to disks, measured on whole nodes",
     .coordinates = {"medium", "pages", "network"},
     .columns = {{"local_us", "local", "us", "The time from memory to the node's own PCRAM", 1},
                 {"local_gbps", "local", "GB/s", "The bandwidth from memory to the node's own PCRAM"},
                 {"global_us", "global", "us",
                  "The time from there to the neighbour's PCRAM, or to the disks", 1},
                 {"global_gbps", "global", "GB/s",
                  "The bandwidth from there to the neighbour's PCRAM, or to the disks", 3},
                 {"back_us", "back", "us", "The time from the neighbour's PCRAM to the node's memory", 1},
                 {"back_gbps", "back", "GB/s",
                  "The bandwidth from the neighbour's PCRAM to the node's memory"}},
     .x = "network",
     .y = "global_gbps",
     .x_key = "network",
     .other_x = "pages",
     .bars = {"local_gbps", "global_gbps"},
     .make = make_study_point<CheckpointMediaPoint>}};

}  // namespace
}  // namespace asterism
