// Runs the flit engine with a traffic pattern: latency, accepted load, hops and power at a rate, or the rate
// at which it saturates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/enum_names.h"
#include "fabric/network/flit_network.h"
#include "fabric/network/power.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/saturation.h"
#include "fabric/traffic/simulation.h"
#include "fabric/traffic/trace.h"
#include "platform/study/built_fabric.h"
#include "platform/study/study_kind.h"

namespace asterism {

constexpr auto enum_names(TraceForm) {
  return std::to_array<EnumName<TraceForm>>(
      {{TraceForm::text, "text", "one line for each packet, with its outcome"},
       {TraceForm::binary, "binary", "half the size and faster to read; the packets alone"}});
}

namespace {

struct FabricStudy {
  FabricConfig fabric = flit_fabric(TopologyKind::superstar);
  TrafficConfig traffic;
  SimulationConfig simulation{.drain_saturated = false};
  TraceForm record_form = TraceForm::text;
  bool saturation = false;
  SaturationConfig search;
  bool detail = false;
};
static_assert(member_count<FabricStudy>() == 7);
void describe(Fields& f, FabricStudy& c) {
  describe_model(f, c.fabric);
  describe(f, c.simulation);
  f("record_form", c.record_form, "The form in which `record` is written; `trace` reads either.");
  f("saturation", c.saturation,
    "Whether the highest sustained rate is searched by bisection, in place of `rate`; rate=saturation is the "
    "same.");
  f.when("saturation", c.saturation, true,
         [&] { f("search", c.search, "How saturation is searched, and which rates count as sustained."); });
  f("detail", c.detail,
    "Whether --json contains the histogram of latencies, the hops, and the load of every channel and router: "
    "some 100 kB for each point.");
  describe(f, c.traffic);
}

double nanoseconds(double picoseconds) { return picoseconds / 1000; }
double nanoseconds(Picoseconds time) { return nanoseconds(static_cast<double>(time.count())); }

// The names of routers, loads as in SimulationResult, and times in ps.
std::string detail_of(const SimulationResult& result, const Topology& topology) {
  using Json = nlohmann::ordered_json;
  Json detail;
  detail["latency_histogram"] = Json::array();
  for (const LatencyHistogram::Bucket& bucket : result.latency.buckets())
    detail["latency_histogram"].push_back(
        {{"first_ps", bucket.first.count()}, {"last_ps", bucket.last.count()}, {"packets", bucket.count}});
  detail["packets_by_hops"] = result.hops;
  detail["channels"] = Json::array();
  for (ChannelId c = 0; c < topology.channels.size(); ++c)
    detail["channels"].push_back({{"from", topology.routers[topology.channels[c].from].name},
                                  {"to", topology.routers[topology.channels[c].to].name},
                                  {"load", result.channel_load[c]}});
  detail["routers"] = Json::array();
  for (RouterId r = 0; r < topology.routers.size(); ++r)
    detail["routers"].push_back(
        {{"name", topology.routers[r].name}, {"load_per_port", result.router_load[r]}});
  detail["injection_load_by_node"] = result.injection_load;
  detail["ejection_load_by_node"] = result.ejection_load;
  if (!result.blocked.empty()) detail["blocked"] = result.blocked;
  return detail.dump();
}

class FabricPoint final : public StudyPointOf<FabricStudy> {
 public:
  double share_done() const override { return share_; }
  void prepare(const ConfigLibrary& library) override {
    if (config_.fabric.fidelity != Fidelity::flit)
      throw StudyMistake("fidelity", "a study moves every flit: expected \"flit\"");
    fabric_ = build_fabric(config_.fabric, library);
    gate();
    check_record();
    const double bound = injection_bound(config_.traffic, *fabric_->topology);
    if (searches() && config_.traffic.pattern == TrafficPattern::trace)
      throw StudyMistake("saturation", "a trace has no rate to search");
    if (searches() && config_.traffic.rate != TrafficConfig{}.rate)
      throw StudyMistake("rate", "saturation=true would ignore it; rate=saturation searches");
    if (searches()) check_search(bound);
    if (!searches() && config_.traffic.rate > bound)
      throw StudyMistake("rate", fmt::format("a node injects {:.4g} packets {} at most, got {}", bound,
                                             unit(), config_.traffic.rate));
    const std::filesystem::path& trace = config_.traffic.trace;
    if (config_.traffic.pattern == TrafficPattern::trace && !std::ifstream(trace))
      throw StudyFileMissing("trace", trace.string() + ": cannot be opened");
    try {
      TrafficConfig traffic = config_.traffic;
      if (searches()) traffic.rate = 0;
      make_packet_source(traffic, *fabric_->topology, config_.simulation.seed);
    } catch (const TraceError& error) {
      throw StudyMistake("trace", error.what());
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("traffic", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    // The number of runs of a search is not known, so it reports no progress.
    SimulationControl control{.stop = stop};
    if (!searches()) control.progress = [&](double share) { share_ = share < 1 ? share : 0; };
    const FlitParameters parameters = flit_parameters(config_.fabric);
    try {
      if (!searches())
        return row(recorded(simulate(fabric_->topology, parameters, config_.traffic, simulation_, control)));
      return saturation_row(find_saturation(fabric_->topology, parameters, config_.traffic, simulation_,
                                            config_.search, control));
    } catch (const TraceError& error) {
      const std::string problem = error.what();
      const bool of_trace = config_.traffic.pattern == TrafficPattern::trace &&
                            problem.starts_with(config_.traffic.trace.string());
      throw StudyMistake(of_trace ? "trace" : "record", problem);
    }
  }

  std::string detail() const override { return detail_; }

 private:
  bool searches() const { return config_.saturation; }
  const char* unit() const {
    return config_.traffic.rate_unit == RateUnit::per_cycle ? "per cycle" : "per ns";
  }

  // Collects the names of all gated routers, and gates them once to check that the other routers can still
  // reach all nodes.
  void gate() {
    const Topology& topology = *fabric_->topology;
    simulation_ = config_.simulation;
    if (simulation_.gating.window != 0_ps) {
      if (config_.fabric.gated_global_routers != 0)
        throw StudyMistake("gated_global_routers", "goes with no policy for global routers (gating)");
      try {
        FlitNetwork network(fabric_->topology, flit_parameters(config_.fabric));
        const GlobalRouterGating policy(simulation_.gating, fabric_->topology, network);
      } catch (const std::invalid_argument& error) {
        throw StudyMistake("gating", error.what());
      }
    }
    if (simulation_.gated.empty() && config_.fabric.gated_global_routers == 0) return;
    FlitNetwork network(fabric_->topology, flit_parameters(config_.fabric));
    const auto try_gate = [&](RouterId router, const char* key) {
      try {
        network.gate(router, true);
      } catch (const std::invalid_argument& error) {
        throw StudyMistake(key, error.what());
      }
    };
    for (const std::string& name : config_.simulation.gated) {
      const auto router = std::ranges::find(topology.routers, name, &Topology::Router::name);
      if (router == topology.routers.end())
        throw StudyMistake("gated", fmt::format("there is no router \"{}\"", name));
      try_gate(static_cast<RouterId>(router - topology.routers.begin()), "gated");
    }
    for (const RouterId router : routers_to_gate(config_.fabric, topology)) {
      try_gate(router, "gated_global_routers");
      simulation_.gated.push_back(topology.routers[router].name);
    }
  }

  void check_record() const {
    namespace fs = std::filesystem;
    const fs::path& record = config_.simulation.record;
    if (record.empty() && config_.record_form == TraceForm::binary)
      throw StudyMistake("record_form", "there is no `record` to write so");
    if (record.empty()) return;
    if (searches()) throw StudyMistake("record", "a search for saturation has many runs; none is recorded");
    std::error_code none;
    if (fs::exists(record, none)) throw StudyMistake("record", record.string() + " exists already");
    if (!fs::is_directory(fs::absolute(record).parent_path(), none))
      throw StudyMistake("record", record.string() + " is in a folder that there is not");
  }

  // The engine records text; another format replaces the file when it is complete.
  SimulationResult recorded(SimulationResult result) const {
    if (config_.record_form == TraceForm::text) return result;
    const std::filesystem::path& record = config_.simulation.record;
    const std::filesystem::path other = record.string() + ".partial";
    std::ifstream in(record, std::ios::binary);
    std::ofstream out(other, std::ios::binary);
    convert_trace(in, record.string(), out, config_.record_form);
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(other, record, error);
    if (!out || error) throw TraceError(other.string() + ": cannot be written");
    return result;
  }

  void check_search(double bound) const {
    const SaturationConfig& search = config_.search;
    if (search.low >= bound)
      throw StudyMistake("search.low", fmt::format("a node injects {:.4g} packets {} at most, got {}", bound,
                                                   unit(), search.low));
    if (search.high && search.low >= *search.high)
      throw StudyMistake("search.high", fmt::format("expected more than `search.low`, {}, got {}", search.low,
                                                    *search.high));
  }

  static std::string state(const SimulationResult& result) {
    if (result.converged) return "ok";
    if (result.created == 0) return "no packets";
    return result.keeps_up ? "not converged" : "saturated";
  }

  std::vector<Cell> row(const SimulationResult& result) {
    if (result.measured == 0_ps)  // stopped before the window began
      return empty_row("fabric");
    if (config_.detail) detail_ = detail_of(result, *fabric_->topology);
    const auto time = [&](auto value) { return result.delivered ? Cell(nanoseconds(value)) : Cell(); };
    const FabricPower power =
        fabric_power(*fabric_->topology, fabric_->technology, result.load, result.measured);
    return {result.offered.per_ns,
            result.accepted.per_ns,
            time(result.latency.mean()),
            time(result.latency.percentile(9900)),
            result.delivered ? Cell(result.mean_hops) : Cell(),
            power.watts(),
            state(result),
            result.accepted.per_cycle,
            time(result.latency.min()),
            time(result.latency.percentile(5000)),
            time(result.latency.percentile(9500)),
            time(result.latency.max()),
            time(result.network_latency.mean()),
            power.static_watts,
            power.buffer_watts,
            power.switch_watts,
            power.link_watts,
            power.picojoules_per_bit ? Cell(*power.picojoules_per_bit) : Cell(),
            result.busiest_channel_load,
            busiest(result),
            result.created,
            result.delivered,
            result.powered_global_routers,
            result.reason};
  }

  std::vector<Cell> saturation_row(const SaturationResult& found) {
    const auto at = std::ranges::find(found.points, found.rate, &SaturationResult::Point::rate);
    if (found.points.empty()) return empty_row("fabric");
    std::vector<Cell> cells = row((at == found.points.end() ? found.points.front() : *at).result);
    const bool none = at == found.points.end() || !at->sustained;
    cells[state_column] = none ? "saturated" : found.unsustained ? "saturation" : "never saturates";
    return cells;
  }

  std::string busiest(const SimulationResult& result) const {
    if (!result.busiest_channel) return "";
    const Topology::Channel& channel = fabric_->topology->channels[*result.busiest_channel];
    return fabric_->topology->routers[channel.from].name + "->" + fabric_->topology->routers[channel.to].name;
  }

  static constexpr std::size_t state_column = 6;
  std::shared_ptr<const BuiltFabric> fabric_;
  std::atomic<double> share_ = 0;  // while it runs
  std::string detail_;
  SimulationConfig simulation_;  // the settings of the config, with the names of all gated routers
};

const RegisteredStudy fabric_study{
    {.name = "fabric",
     .meaning = "The flit engine under a traffic pattern: latency, accepted load, power, saturation",
     .coordinates = {"topology", "traffic", "rate"},
     .columns =
         {{"offered_packets_per_ns", "", "pkt/ns", "Packets created per ns and node, as measured", 4},
          {"accepted_packets_per_ns", "accepted", "pkt/ns", "Packets delivered per ns and node", 4},
          {"latency_ns", "latency", "ns", "The mean time from creation to the arrival of the tail", 2},
          {"latency_p99_ns", "p99", "ns", "The time that 99% of the packets do not exceed", 2},
          {"hops", "hops", "", "The mean number of routers that a packet passes", 2},
          {"power_w", "power", "W", "The power of all routers and links", 2},
          {"state", "state", "",
           "ok; saturated: accepts less than is offered; no packets, not converged: see reason; saturation: "
           "the highest sustained rate; never saturates: sustains the most that its nodes can inject"},
          {"accepted_packets_per_cycle", "", "pkt/cycle",
           "Packets delivered per cycle of the node's router, and node"},
          {"latency_min_ns", "", "ns", "The shortest latency"},
          {"latency_p50_ns", "", "ns", "The median latency"},
          {"latency_p95_ns", "", "ns", "The 95th percentile of the latencies"},
          {"latency_max_ns", "", "ns", "The longest latency"},
          {"network_latency_ns", "", "ns",
           "The mean time from the departure of the head at the source to the arrival of the tail"},
          {"static_w", "", "W", "Clocking and leakage of the routers that are powered"},
          {"buffer_w", "", "W", "The part of power_w in buffers"},
          {"switch_w", "", "W", "The part of power_w in switches"},
          {"link_w", "", "W", "The part of power_w on links"},
          {"energy_pj_per_bit", "", "pJ/bit", "The energy of all power for a delivered bit"},
          {"busiest_load", "", "flit/cycle", "The load of the busiest channel; 1 is all that it carries"},
          {"busiest_channel", "", "", "The routers of the busiest channel"},
          {"packets", "", "", "Packets created in the measuring window"},
          {"packets_delivered", "", "", "Packets of the measuring window that were delivered"},
          {"powered_global_routers", "", "", "The mean number of global routers with power"},
          {"reason", "", "", "Why a point has not converged"}},
     .x = "offered_packets_per_ns",
     .y = "latency_ns",
     .x_key = "rate",
     .state = "state",
     .x_label = "offered (packets per ns and node)",
     .bars = {"latency_ns", "accepted_packets_per_ns"},
     .word = "saturation",
     .word_of = "rate",
     .word_sets = "saturation",
     .make = make_study_point<FabricPoint>}};

}  // namespace
}  // namespace asterism
