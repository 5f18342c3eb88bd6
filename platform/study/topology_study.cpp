// The components of a fabric, without traffic: routers, radix, clocks, area, lengths of links, wires at the
// bisection.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "fabric/network/power.h"
#include "platform/study/built_fabric.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct TopologyStudy {
  FabricConfig fabric = flit_fabric(TopologyKind::superstar);
};
static_assert(member_count<TopologyStudy>() == 1);
void describe(Fields& f, TopologyStudy& c) { describe_model(f, c.fabric); }

// The mean of the added lengths; an empty cell if there are none.
class MeanLength {
 public:
  void add(Micrometres length) {
    sum_ += static_cast<double>(length.count()) / 1e3;
    ++count_;
  }
  Cell cell() const { return count_ == 0 ? Cell() : Cell(sum_ / static_cast<double>(count_)); }

 private:
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

class TopologyPoint final : public StudyPointOf<TopologyStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { fabric_ = build_fabric(config_.fabric, library); }

  std::vector<Cell> run(const std::stop_token&) override {
    const Topology& t = *fabric_->topology;
    std::vector<Cell> cells;
    for (const bool global : {false, true}) {
      const auto of_kind = [&](const Topology::Router& router) { return router.global == global; };
      const auto first = std::ranges::find_if(t.routers, of_kind);
      const bool any = first != t.routers.end();
      cells.emplace_back(static_cast<std::uint64_t>(std::ranges::count_if(t.routers, of_kind)));
      if (any) {
        cells.emplace_back(std::uint64_t{first->radix});
        cells.emplace_back(1000 / static_cast<double>(first->period.count()));
      } else {
        cells.resize(cells.size() + 2);
      }
    }
    MeanLength local, global, all;
    Micrometres longest;
    Cycles slowest;
    for (const Topology::Channel& channel : t.channels) {
      all.add(channel.length);
      longest = std::max(longest, channel.length);
      slowest = std::max(slowest, channel.latency);
    }
    for (const Topology::Node& node : t.nodes) local.add(node.length);
    for (const Topology::Channel& channel : t.channels)
      (t.routers[channel.from].global || t.routers[channel.to].global ? global : local).add(channel.length);
    const std::uint64_t crossing = bisection(t);
    const SquareMicrometres area = fabric_area(t, fabric_->technology);
    cells.insert(
        cells.end(),
        {static_cast<double>(area.count()) / 1e6, local.cell(), global.cell(), crossing,
         crossing * t.channel_bits, std::uint64_t{t.channels.size()}, fabric_->technology.static_watts(area),
         all.cell(), static_cast<double>(longest.count()) / 1e3, slowest.count(), diameter(t), chip_mm2()});
    return cells;
  }

 private:
  // The most channels on a shortest way from one node to another.
  static std::uint64_t diameter(const Topology& t) {
    std::vector<std::vector<RouterId>> next(t.routers.size());
    for (const Topology::Channel& channel : t.channels) next[channel.from].push_back(channel.to);
    std::set<RouterId> with_nodes;
    for (const Topology::Node& node : t.nodes) with_nodes.insert(node.router);
    std::uint64_t most = 0;
    for (const RouterId from : with_nodes) {
      std::vector<std::uint64_t> hops(t.routers.size(), t.routers.size());
      std::vector<RouterId> reached{from};
      hops[from] = 0;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const RouterId to : next[reached[i]]) {
          if (hops[to] != t.routers.size()) continue;
          hops[to] = hops[reached[i]] + 1;
          reached.push_back(to);
        }
      for (const RouterId to : with_nodes) most = std::max(most, hops[to]);
    }
    return most;
  }

  // Of the tiles; empty for a graph, which has none.
  Cell chip_mm2() const {
    if (config_.fabric.topology == TopologyKind::graph) return {};
    const double tile_mm = static_cast<double>(config_.fabric.tile.count()) / 1e3;
    return static_cast<double>(fabric_->topology->nodes.size()) * tile_mm * tile_mm;
  }

  // The number of channels from one half of the routers' columns to the other. Routers on the middle line are
  // assigned alternately to the left and the right, which keeps the halves equal.
  static std::uint64_t bisection(const Topology& t) {
    const auto [low, high] = std::ranges::minmax_element(t.routers, {}, [](const auto& r) { return r.at.x; });
    const std::uint64_t twice_middle = (low->at.x + high->at.x).count();
    std::vector<bool> right(t.routers.size());
    bool next_right = false;
    for (RouterId r = 0; r < t.routers.size(); ++r) {
      const std::uint64_t twice = 2 * t.routers[r].at.x.count();
      right[r] = twice == twice_middle ? std::exchange(next_right, !next_right) : twice > twice_middle;
    }
    return static_cast<std::uint64_t>(std::ranges::count_if(
        t.channels,
        [&](const Topology::Channel& channel) { return right[channel.from] != right[channel.to]; }));
  }

  std::shared_ptr<const BuiltFabric> fabric_;
};

const RegisteredStudy topology_study{
    {.name = "topology",
     .meaning = "What a fabric consists of: routers, clocks, area, link lengths, wires at the bisection",
     .coordinates = {"topology"},
     .columns = {{"local_routers", "LR", "", "Routers that are not global"},
                 {"local_radix", "radix", "", "Ports of the first local router"},
                 {"local_ghz", "clock", "GHz", "The clock of the first local router", 2},
                 {"global_routers", "GR", "", "Global routers"},
                 {"global_radix", "radix", "", "Ports of the first global router"},
                 {"global_ghz", "clock", "GHz", "The clock of the first global router", 2},
                 {"area_mm2", "area", "mm2", "The area of all routers and the repeaters between them", 2},
                 {"local_link_mm", "local", "mm",
                  "Mean length of the nodes' links and of channels between local routers", 2},
                 {"global_link_mm", "global", "mm", "Mean length of channels at global routers", 2},
                 {"bisection_channels", "", "", "Channels between the left and the right half of the chip"},
                 {"bisection_wires", "wires", "", "The wires of these channels"},
                 {"channels", "", "", "All channels, one for each direction"},
                 {"static_w", "", "W", "Clocking and leakage of the whole fabric"},
                 {"channel_mm", "channel", "mm", "Mean length of all channels between routers", 2},
                 {"longest_mm", "longest", "mm", "Length of the longest of them", 2},
                 {"longest_cycles", "", "cycles", "The time of the slowest of them"},
                 {"diameter", "", "hops", "The most channels on a shortest way between two nodes"},
                 {"chip_mm2", "chip", "mm2", "The area of all tiles", 2}},
     .x = "",
     .y = "",
     .bars = {"area_mm2", "bisection_wires"},
     .make = make_study_point<TopologyPoint>}};

}  // namespace
}  // namespace asterism
