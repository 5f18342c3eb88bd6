// The time that a checkpoint takes to each medium, measured on whole nodes: to those of dong2011 Table XI on
// two nodes in one simulation, to memory, CXL devices and the DIMM-SSD on one. The study starts `asterism
// run` with the scenario of the medium and reads the times that the firmware measured.
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

enum class Medium { dimm, stack, disk, memory, cxl, cxl_ssd, dimm_ssd };
constexpr auto enum_names(Medium) {
  return std::to_array<EnumName<Medium>>(
      {{Medium::dimm, "dimm", "a PCRAM-DIMM of the node, then that of its neighbour"},
       {Medium::stack, "stack", "3D-PCRAM of the node, then that of its neighbour"},
       {Medium::disk, "disk", "a file system that the nodes share, modelled as a bandwidth"},
       {Medium::memory, "memory", "the node's own memory"},
       {Medium::cxl, "cxl", "a CXL.mem expander of the node"},
       {Medium::cxl_ssd, "cxl_ssd", "a CXL SSD of the node, which is flushed"},
       {Medium::dimm_ssd, "dimm_ssd", "the DIMM-SSD of the node, which copies by itself"}});
}
constexpr bool is_alone(Medium medium) { return medium >= Medium::memory; }

struct CheckpointMediaStudy {
  Medium medium = Medium::dimm;
  std::uint32_t pages = 1024;
  Bandwidth network = 3'500_MBps;
  Bandwidth disk = 11_MBps;
  std::string expander = "asic";
  std::uint32_t channels = 4;  // of the flash of the CXL SSD
};
static_assert(member_count<CheckpointMediaStudy>() == 6);
void describe(Fields& f, CheckpointMediaStudy& c) {
  f("medium", c.medium,
    "The medium of checkpoints. memory, cxl, cxl_ssd and dimm_ssd are those of one node, without a global "
    "copy.",
    one_of<Medium>());
  f("pages", c.pages, "The size of a checkpoint in pages of 4 KiB. With medium disk it has 8 pages.",
    within(10, 4000));
  f.when("medium", c.medium, {Medium::dimm, Medium::stack, Medium::disk}, [&] {
    f("network", c.network, "The bandwidth of the link of a node, in each direction.",
      within(1_MBps, 1000_GBps));
  });
  f.when("medium", c.medium, Medium::disk, [&] {
    f("disk", c.disk, "The share of a node in the bandwidth of the file system.", within(1_MBps, 1_GBps));
  });
  f.when("medium", c.medium, {Medium::cxl, Medium::cxl_ssd}, [&] {
    f("expander", c.expander, "The link, the ports and the controller: a file in configs/cxl.",
      names_file("cxl"));
  });
  f.when("medium", c.medium, Medium::cxl_ssd, [&] {
    f("channels", c.channels, "The channels of its flash, with two packages each. More of them write faster.",
      within(1, 64));
  });
}

class CheckpointMediaPoint final : public StudyPointOf<CheckpointMediaStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { configs_ = library.search_path(); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    NodeRun nodes(scenario(), configs_);
    const auto status = nodes.wait(stop);
    if (!status) return {};
    const char* const where = is_alone(config_.medium) ? "the run on a node " : "the run on two nodes ";
    if (*status != 0) throw StudyMistake("medium", where + nodes.failure(*status));
    if (is_alone(config_.medium)) return of_level(nodes.out());
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
      case Medium::memory:
      case Medium::dimm_ssd:
        return level({"level_dump"});
      case Medium::cxl:
        return level({"level_dump", "node.use=cxl_node", "node.devices.cxl.expander=" + c.expander});
      case Medium::cxl_ssd:
        return level({"level_dump", "node.use=cxl_ssd_node", "node.devices.cxl_ssd.expander=" + c.expander,
                      fmt::format("node.devices.cxl_ssd.flash.channels={}", c.channels)});
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

  std::vector<std::string> level(std::vector<std::string> words) const {
    words.push_back(fmt::format("args=level={} pages={}", to_text(config_.medium), config_.pages));
    return words;
  }

  // The number of steps of 100 us in which a copy of 32 KiB is written to the disk.
  static std::uint64_t steps_of(Bandwidth disk) { return 32768ull * 10'000 / disk.count(); }

  static std::vector<Cell> of_disk(const fs::path& out) {
    const NodeCosts costs(out / "stats.json");
    const auto bytes = static_cast<double>(costs.count("state_bytes", "pages"));
    const auto rate = static_cast<double>(costs.count("drain_bytes_per_second", "disk"));
    return {std::monostate(), std::monostate(), bytes / rate * 1e6, rate / 1e9,       std::monostate(),
            std::monostate(), std::monostate(), std::monostate(),   std::monostate(), std::monostate()};
  }

  // What the firmware has written to result.txt, by name.
  class Measured {
   public:
    explicit Measured(const fs::path& file) {
      std::ifstream in(file);
      double value = 0;
      for (std::string name; in >> name >> value;) found_[name] = value;
    }
    double number(const char* name) const {
      const auto at = found_.find(name);
      if (at == found_.end() || at->second <= 0)
        throw std::runtime_error(std::string("result.txt of the first node has no ") + name);
      return at->second;
    }

   private:
    std::map<std::string, double> found_;
  };

  static std::vector<Cell> of_pcram(const fs::path& out) {
    const Measured measured(out / "files/node0/result.txt");
    const double bytes = measured.number("bytes"), local = measured.number("local_ns"),
                 global = measured.number("neighbour_ns"), back = measured.number("back_ns");
    return {local / 1e3,  bytes / local,    global / 1e3,     bytes / global,   back / 1e3,
            bytes / back, std::monostate(), std::monostate(), std::monostate(), std::monostate()};
  }

  static std::vector<Cell> of_level(const fs::path& out) {
    const Measured measured(out / "files/result.txt");
    const double bytes = measured.number("bytes"), write = measured.number("write_ns"),
                 read = measured.number("read_ns");
    return {write / 1e3,
            bytes / write,
            std::monostate(),
            std::monostate(),
            std::monostate(),
            std::monostate(),
            read / 1e3,
            bytes / read,
            measured.number("checkpoint_ns") / 1e3,
            measured.number("restore_ns") / 1e3};
  }

  std::string configs_;  // search path
};

const RegisteredStudy checkpoint_media_study{
    {.name = "checkpoint_media",
     .meaning =
         "A checkpoint to a node's own memory, PCRAM, CXL devices and SSD, to its neighbour's PCRAM and to "
         "disks, measured on whole nodes",
     .coordinates = {"medium", "pages", "network"},
     .columns =
         {{"local_us", "local", "us", "The time from memory to the node's own medium, flushed to it", 1},
          {"local_gbps", "local", "GB/s", "The bandwidth from memory to the node's own medium"},
          {"global_us", "global", "us", "The time from there to the neighbour's PCRAM, or to the disks", 1},
          {"global_gbps", "global", "GB/s",
           "The bandwidth from there to the neighbour's PCRAM, or to the disks", 3},
          {"back_us", "back", "us", "The time from the neighbour's PCRAM to the node's memory", 1},
          {"back_gbps", "back", "GB/s", "The bandwidth from the neighbour's PCRAM to the node's memory"},
          {"read_us", "read", "us", "The time from the node's own medium to its memory", 1},
          {"read_gbps", "read", "GB/s", "The bandwidth from the node's own medium to its memory"},
          {"checkpoint_us", "checkpoint", "us",
           "The time of a checkpoint through the library, with its checksum by one core", 1},
          {"restore_us", "restore", "us", "The time of a restore through the library", 1}},
     .x = "network",
     .y = "global_gbps",
     .x_key = "network",
     .other_x = "pages",
     .bars = {"local_gbps", "global_gbps"},
     .make = make_study_point<CheckpointMediaPoint>}};

}  // namespace
}  // namespace asterism
