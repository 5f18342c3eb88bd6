// The engines with simulated time: DRAM (models/memory), fabrics (models/fabric), flash translation
// (models/flash).
#include <algorithm>
#include <memory>

#include "bindings.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/saturation.h"
#include "fabric/traffic/simulation.h"
#include "flash/translation_layer.h"
#include "memory/dram_traffic.h"
#include "memory/memory_config.h"

namespace asterism::python {
namespace {

// What an engine refuses when it is built is a mistake in a key.
template <class Make>
auto made(const char* key, const Make& make) try {
  return make();
} catch (const std::invalid_argument& error) {
  throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = key, .problem = error.what()});
}

// Later ones leave too little of 64 bits for what follows.
void check_times(const char* argument, std::span<const std::uint64_t> times) {
  if (!std::ranges::is_sorted(times))
    throw std::invalid_argument(std::string(argument) + ": expected times that never decrease");
  if (!times.empty() && times.back() >> 62 != 0)
    throw std::invalid_argument(std::string(argument) + ": expected times below 2^62 ps");
}

template <class T>
Array<T> array_of(std::size_t size) {
  return Array<T>(static_cast<py::ssize_t>(size));
}

// ---- DRAM ----

struct DramKeys {
  DramConfig dram;
  std::optional<Bytes> size;
  std::uint32_t outstanding = 32;
  Cycles turnaround = 1_cycles;
};
static_assert(member_count<DramKeys>() == 4);
void describe(Fields& f, DramKeys& c) {
  describe(f, c.dram);
  f("size", c.size, "The size of the memory. Without it, all rows of all ranks.", at_least(1_MiB));
  f("outstanding", c.outstanding,
    "The number of requests under way. More of them hide latency and find row hits.", within(1, 4096));
  f("turnaround", c.turnaround,
    "The time from an answer to the next request in its place, in cycles of the part's clock.",
    at_most(1'000'000_cycles));
}

class Dram {
 public:
  Calls calls;

  explicit Dram(const py::dict& keys) : Dram(read_keys<DramKeys>(keys), config_library()) {}

  Array<std::uint64_t> run(const Values<std::uint64_t>& addresses, const std::optional<Values<bool>>& writes,
                           const std::optional<Values<std::uint64_t>>& at_ps) {
    Requests requests{values(addresses), writes ? values(*writes) : std::span<const bool>(),
                      at_ps ? values(*at_ps) : std::span<const std::uint64_t>()};
    requests.check(system_->mapping().geometry().size());
    auto latencies = array_of<std::uint64_t>(requests.addresses.size());
    std::uint64_t* const to = latencies.mutable_data();
    interruptible(calls, [&](const std::stop_token& stop) {
      traffic_->on_read = traffic_->on_write = [to](std::uint64_t access, Picoseconds latency) {
        to[access] = latency.count();
      };
      traffic_->stop = [stop] { return stop.stop_requested(); };
      now_ = std::max(now_, traffic_->run(requests).elapsed);
    });
    return latencies;
  }

  std::uint64_t now() const { return now_.count(); }
  std::uint64_t size() const { return system_->mapping().geometry().size().count(); }
  void report(Statistics& statistics) const { system_->report(statistics); }

 private:
  class Requests final : public DramAccessSource {
   public:
    std::span<const std::uint64_t> addresses;
    std::span<const bool> writes;
    std::span<const std::uint64_t> at;

    Requests(std::span<const std::uint64_t> a, std::span<const bool> w, std::span<const std::uint64_t> t)
        : addresses(a), writes(w), at(t) {}
    void check(Bytes size) const {
      if (!writes.empty() && writes.size() != addresses.size())
        throw std::invalid_argument("writes: expected one value for each address");
      if (!at.empty() && at.size() != addresses.size())
        throw std::invalid_argument("at_ps: expected one time for each address");
      check_times("at_ps", at);
      if (std::ranges::any_of(addresses, [&](std::uint64_t a) { return a >= size.count(); }))
        throw std::invalid_argument("addresses: the memory has " + to_text(size));
    }
    std::optional<DramAccess> next() override {
      if (made_ == addresses.size()) return std::nullopt;
      const std::size_t i = made_++;
      return DramAccess{addresses[i] / 64, !writes.empty() && writes[i], Picoseconds(at.empty() ? 0 : at[i])};
    }

   private:
    std::size_t made_ = 0;
  };

  Dram(const DramKeys& keys, const ConfigLibrary& library) {
    const auto part = load_config<DramPart>(library, "dram", keys.dram.part);
    if (const auto problem = part_problem(keys.dram, part))
      throw ConfigError(Diagnostic{
          .origin = Origin::command_line(), .path = std::string(problem->key), .problem = problem->words});
    const std::uint64_t ranks =
        std::uint64_t{keys.dram.controllers} * keys.dram.channels * keys.dram.ranks * part.pseudo_channels;
    const Bytes size = keys.size.value_or(part.row() * part.banks * ranks * part.rows());
    system_ = made("size", [&] { return std::make_unique<DramSystem>(keys.dram, part, size); });
    traffic_ =
        std::make_unique<DramTraffic>(*system_, keys.outstanding, part.timing.tck * keys.turnaround.count());
  }

  std::unique_ptr<DramSystem> system_;
  std::unique_ptr<DramTraffic> traffic_;
  Picoseconds now_;
};

// ---- fabrics ----

struct FabricKeys {
  FabricConfig fabric{.topology = TopologyKind::superstar, .fidelity = Fidelity::flit};
};
static_assert(member_count<FabricKeys>() == 1);
void describe(Fields& f, FabricKeys& c) { describe_model(f, c.fabric); }

struct FabricTraffic {
  TrafficConfig traffic;
  SimulationConfig simulation{.drain_saturated = false};
  SaturationConfig search;
};
static_assert(member_count<FabricTraffic>() == 3);
void describe(Fields& f, FabricTraffic& c) {
  describe(f, c.traffic);
  describe(f, c.simulation);
  f("search", c.search, "How saturation() searches, and which rates count as sustained.");
}

Array<double> doubles(const std::vector<double>& from) {
  return Array<double>(static_cast<py::ssize_t>(from.size()), from.data());
}

// With the names of the columns of a study.
py::dict dictionary_of(const SimulationResult& result) {
  const auto nanoseconds = [](double picoseconds) { return picoseconds / 1000; };
  const auto percentile = [&](unsigned per_10000) {
    return nanoseconds(static_cast<double>(result.latency.percentile(per_10000).count()));
  };
  py::dict all;
  all["rate"] = result.rate;
  all["converged"] = result.converged;
  all["reason"] = result.reason;
  all["keeps_up"] = result.keeps_up;
  all["offered_packets_per_ns"] = result.offered.per_ns;
  all["accepted_packets_per_ns"] = result.accepted.per_ns;
  all["accepted_packets_per_cycle"] = result.accepted.per_cycle;
  all["packets"] = result.created;
  all["packets_delivered"] = result.delivered;
  all["latency_ns"] = nanoseconds(result.latency.mean());
  all["latency_p50_ns"] = percentile(5000);
  all["latency_p99_ns"] = percentile(9900);
  all["latency_max_ns"] = percentile(10000);
  all["network_latency_ns"] = nanoseconds(result.network_latency.mean());
  all["hops"] = result.mean_hops;
  all["channel_load"] = doubles(result.channel_load);
  all["router_load"] = doubles(result.router_load);
  all["injection_load"] = doubles(result.injection_load);
  all["ejection_load"] = doubles(result.ejection_load);
  return all;
}

// Its calls share only the topology, so that several may work at the same time.
class Fabric {
 public:
  explicit Fabric(const py::dict& keys) {
    const ConfigLibrary library = config_library();
    const FabricConfig config = read_keys<FabricKeys>(keys).fabric;
    const auto technology = load_config<SwitchTechnology>(library, "technologies", config.technology);
    std::optional<GraphConfig> graph;
    if (config.topology == TopologyKind::graph)
      graph = load_config<GraphConfig>(library, "graphs", config.graph);
    parameters_ = flit_parameters(config);
    topology_ = made(graph ? "graph" : "topology",
                     [&] { return build_topology(config, technology, graph ? &*graph : nullptr); });
    made("virtual_channels", [&] { return FlitNetwork(topology_, parameters_).memory(); });
    gated_ = made("gated_global_routers", [&] {
      FlitNetwork network(topology_, parameters_);
      return gate(network, gated_routers(config, *topology_));
    });
  }

  py::dict run(const py::dict& keys) {
    const FabricTraffic traffic = read_traffic(keys);
    return dictionary_of(interruptible([&](const std::stop_token& stop) {
      return simulate(topology_, parameters_, traffic.traffic, traffic.simulation, {.stop = stop});
    }));
  }

  py::dict saturation(const py::dict& keys) {
    const FabricTraffic traffic = read_traffic(keys);
    const auto found = interruptible([&](const std::stop_token& stop) {
      return find_saturation(topology_, parameters_, traffic.traffic, traffic.simulation, traffic.search,
                             {.stop = stop});
    });
    py::dict all;
    all["rate"] = found.rate;
    all["unsustained_rate"] = found.unsustained;
    all["zero_load_latency_ns"] = found.zero_load_latency / 1000;
    all["throughput_packets_per_ns"] = found.throughput.per_ns;
    py::list points;
    for (const SaturationResult::Point& point : found.points) points.append(dictionary_of(point.result));
    all["points"] = points;
    return all;
  }

  py::dict send(const Values<std::uint32_t>& sources, const Values<std::uint32_t>& destinations,
                const Values<std::uint64_t>& created_ps, std::uint32_t flits) {
    const auto from = values(sources), to = values(destinations);
    const auto created = values(created_ps);
    check(from, to, created, flits);
    auto injected = array_of<std::uint64_t>(from.size()), delivered = array_of<std::uint64_t>(from.size());
    auto routers = array_of<std::uint32_t>(from.size());
    Deliveries deliveries(injected.mutable_data(), delivered.mutable_data(), routers.mutable_data());
    interruptible([&](const std::stop_token& stop) {
      FlitNetwork network(topology_, parameters_);
      gate(network, gated_);
      const auto step = [&] { network.advance_to(*network.next_event(), deliveries); };
      for (std::size_t i = 0; i < from.size() && !stop.stop_requested(); ++i) {
        const Picoseconds now(created.size() == 1 ? created[0] : created[i]);
        while (network.next_event().value_or(now) < now) step();
        network.inject({from[i], to[i], flits, i}, now);
      }
      while (network.next_event() && !stop.stop_requested()) step();
    });
    py::dict all;
    all["injected_ps"] = injected;
    all["delivered_ps"] = delivered;
    all["routers"] = routers;
    return all;
  }

  std::size_t nodes() const { return topology_->nodes.size(); }
  std::vector<std::string> routers() const {
    std::vector<std::string> names;
    names.reserve(topology_->routers.size());
    for (const Topology::Router& router : topology_->routers) names.push_back(router.name);
    return names;
  }
  std::vector<std::pair<RouterId, RouterId>> channels() const {
    std::vector<std::pair<RouterId, RouterId>> ends;
    ends.reserve(topology_->channels.size());
    for (const Topology::Channel& channel : topology_->channels) ends.emplace_back(channel.from, channel.to);
    return ends;
  }

 private:
  class Deliveries final : public FlitNetwork::Sink {
   public:
    Deliveries(std::uint64_t* injected, std::uint64_t* delivered, std::uint32_t* routers)
        : injected_(injected), delivered_(delivered), routers_(routers) {}
    void delivered(const Delivery& d) override {
      injected_[d.packet.tag] = d.injected.count();
      delivered_[d.packet.tag] = d.delivered.count();
      routers_[d.packet.tag] = d.routers;
    }

   private:
    std::uint64_t* injected_;
    std::uint64_t* delivered_;
    std::uint32_t* routers_;
  };

  static std::vector<RouterId> gate(FlitNetwork& network, std::vector<RouterId> routers) {
    for (const RouterId router : routers) network.gate(router, true);
    return routers;
  }
  FabricTraffic read_traffic(const py::dict& keys) const {
    auto traffic = read_keys<FabricTraffic>(keys);
    for (const RouterId router : gated_) traffic.simulation.gated.push_back(topology_->routers[router].name);
    return traffic;
  }

  void check(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
             std::span<const std::uint64_t> created, std::uint32_t flits) const {
    const auto is_node = [&](std::uint32_t node) { return node < nodes(); };
    if (to.size() != from.size()) throw std::invalid_argument("destinations: expected one for each source");
    if (!std::ranges::all_of(from, is_node) || !std::ranges::all_of(to, is_node))
      throw std::invalid_argument("nodes: there are " + std::to_string(nodes()));
    if (created.size() != 1 && created.size() != from.size())
      throw std::invalid_argument("created_ps: expected one time, or one for each packet");
    check_times("created_ps", created);
    if (flits == 0) throw std::invalid_argument("flits: expected at least 1");
  }

  std::shared_ptr<const Topology> topology_;
  FlitParameters parameters_;
  std::vector<RouterId> gated_;
};

// ---- flash translation ----

struct FtlKeys {
  std::string part = "samsung_2016_vnand_16k";
  std::uint32_t channels = 1, packages = 8;
  std::optional<std::uint32_t> dies, planes;
  std::uint32_t blocks = 64;
  std::optional<std::uint64_t> endurance;
  TranslationConfig translation;
};
static_assert(member_count<FtlKeys>() == 8);
void describe(Fields& f, FtlKeys& c) {
  f("part", c.part, "The flash part: a file in configs/flash.", names_file("flash"));
  f("channels", c.channels, "The number of channels. More channels transfer at the same time.",
    within(1, 16));
  f("packages", c.packages, "The number of packages on each channel. More packages program at the same time.",
    within(1, 64));
  f("dies", c.dies, "The number of dies of each package. Without it, that of the part.", within(1, 16));
  f("planes", c.planes, "The number of planes of each die. Without it, that of the part.", within(1, 8));
  f("blocks", c.blocks, "The number of blocks of each plane. With fewer, collection begins earlier.",
    within(4, 65'536));
  f("endurance", c.endurance,
    "The rated program/erase cycles of a block; 0: it never wears out. Without it, that of the part.");
  describe(f, c.translation);
}

class Ftl final : private TranslationLayer::Sink {
 public:
  Calls calls;

  explicit Ftl(const py::dict& keys) : Ftl(read_keys<FtlKeys>(keys), config_library()) {}

  Array<std::int64_t> write(const Values<std::uint32_t>& pages, std::uint32_t outstanding) {
    return run(values(pages), outstanding, [this](Picoseconds now, std::uint32_t page, std::uint64_t tag) {
      layer_->write(now, page, {}, tag);
    });
  }
  Array<std::int64_t> read(const Values<std::uint32_t>& pages, std::uint32_t outstanding) {
    return run(values(pages), outstanding, [this](Picoseconds now, std::uint32_t page, std::uint64_t tag) {
      layer_->read(now, page, tag);
    });
  }
  void trim(const Values<std::uint32_t>& pages) {
    check(values(pages));
    const Working working(calls);
    for (const std::uint32_t page : values(pages)) layer_->trim(page);
  }
  void lose_power() {
    const Working working(calls);
    layer_->reset(Reset::power_loss);
    layer_->power_up(now_);
    advance_to_idle();
  }

  Array<std::uint32_t> wear() {
    const FlashGeometry& g = image_->geometry();
    Array<std::uint32_t> erases({py::ssize_t{g.all_planes()}, py::ssize_t{g.blocks}});
    std::uint32_t* to = erases.mutable_data();
    const Working working(calls);
    for (std::uint32_t plane = 0; plane < g.all_planes(); ++plane)
      for (std::uint32_t block = 0; block < g.blocks; ++block) *to++ = image_->erase_count({plane, block});
    return erases;
  }

  std::uint32_t pages() const { return layer_->pages(); }
  std::uint64_t page_bytes() const { return layer_->page_size().count(); }
  std::uint64_t now() const { return now_.count(); }
  bool read_only() const { return layer_->read_only(); }
  void report(Statistics& statistics) const { layer_->report(statistics); }

 private:
  Ftl(const FtlKeys& keys, const ConfigLibrary& library) {
    auto part = load_config<FlashPart>(library, "flash", keys.part);
    part.endurance = keys.endurance.value_or(part.endurance);
    const FlashGeometry geometry{.channels = keys.channels,
                                 .packages = keys.packages,
                                 .dies = keys.dies.value_or(part.dies),
                                 .planes = keys.planes.value_or(part.planes),
                                 .blocks = keys.blocks,
                                 .pages_per_block = part.pages_per_block,
                                 .page = part.page};
    image_ = std::make_unique<FlashImage>(geometry, FlashImage::Contents::none);
    TranslationLayer::Sink& sink = *this;
    layer_ = made("blocks",
                  [&] { return std::make_unique<TranslationLayer>(keys.translation, part, *image_, sink); });
    layer_->power_up(now_);
    advance_to_idle();
  }

  void check(std::span<const std::uint32_t> pages) const {
    if (std::ranges::any_of(pages, [&](std::uint32_t page) { return page >= layer_->pages(); }))
      throw std::invalid_argument("pages: there are " + std::to_string(layer_->pages()));
  }
  void advance_to_idle() {
    while (const auto next = layer_->next_event()) layer_->advance_to(now_ = *next);
  }

  // Keeps requests under way until all are answered.
  template <class Request>
  Array<std::int64_t> run(std::span<const std::uint32_t> pages, std::uint32_t outstanding,
                          const Request& request) {
    check(pages);
    if (outstanding == 0) throw std::invalid_argument("outstanding: expected at least 1");
    auto latencies = array_of<std::int64_t>(pages.size());
    std::int64_t* const to = latencies.mutable_data();
    interruptible(calls, [&](const std::stop_token& stop) {
      latencies_ = to;
      began_.resize(pages.size());
      answered_ = 0;
      std::size_t next = 0;
      while (answered_ < (stop.stop_requested() ? next : pages.size())) {
        for (; next < pages.size() && next - answered_ < outstanding && !stop.stop_requested(); ++next) {
          began_[next] = now_;
          request(now_, pages[next], next);
        }
        if (const auto event = layer_->next_event()) layer_->advance_to(now_ = *event);
      }
    });
    return latencies;
  }

  void answer(Picoseconds at, TranslationLayer::Tag tag, bool is_done) {
    latencies_[tag] = is_done ? static_cast<std::int64_t>((at - began_[tag]).count()) : -1;
    ++answered_;
  }
  void recovered(Picoseconds) override {}
  void left_buffer(Picoseconds, TranslationLayer::Tag) override {}
  void written(Picoseconds at, TranslationLayer::Tag tag, TranslationLayer::Outcome outcome) override {
    answer(at, tag, outcome == TranslationLayer::Outcome::done);
  }
  void read_done(Picoseconds at, TranslationLayer::Tag tag, bool is_readable,
                 std::span<const std::byte>) override {
    answer(at, tag, is_readable);
  }

  std::unique_ptr<FlashImage> image_;
  std::unique_ptr<TranslationLayer> layer_;
  Picoseconds now_;
  std::int64_t* latencies_ = nullptr;
  std::vector<Picoseconds> began_;
  std::size_t answered_ = 0;
};

double write_amplification(Ftl& ftl) {
  const py::dict counts = statistics_of(ftl);
  const auto written = counts["page_writes"].cast<double>();
  return written == 0 ? 1 : counts["page_programs"].cast<double>() / written;
}

}  // namespace

void bind_dram(py::module_& module) {
  py::class_<Dram> dram(module, "Dram",
                        "DRAM with its controllers, command by command (FR-FCFS). Keys: Dram.keys().");
  dram.def(py::init<const py::dict&>(), py::arg("keys") = py::dict())
      .def("run", &Dram::run, py::arg("addresses"), py::arg("writes") = py::none(),
           py::arg("at_ps") = py::none(),
           "Makes requests for the blocks of 64 bytes at these addresses in this order, as many at a time\n"
           "as the key `outstanding` says, and none before its time `at_ps`. Returns their latencies in\n"
           "ps: of a read until its last beat, of a write until a queue has taken it. Time goes on from\n"
           "call to call.")
      .def_property_readonly("time_ps", getter(&Dram::now), "The time of the last answer.")
      .def_property_readonly("size", getter(&Dram::size), "In bytes.")
      .def("statistics", &statistics_of<Dram>, "Requests, row hits, refreshes, latencies and energy so far.");
  define_keys<DramKeys>(dram, "Asterism DRAM");
}

void bind_fabric(py::module_& module) {
  py::class_<Fabric> fabric(module, "Fabric",
                            "A fabric, flit by flit (abeyratne2017 chapter III). Keys: Fabric.keys().");
  fabric.def(py::init<const py::dict&>(), py::arg("keys") = py::dict())
      .def("run", &Fabric::run, py::arg("traffic") = py::dict(),
           "Puts the empty fabric under a traffic: {\"rate\": 0.05, \"measure\": \"5us\"};\n"
           "Fabric.traffic_keys() has all keys. Returns latencies in ns, rates in packets per ns (or\n"
           "cycle) and node, loads of channels and nodes in flits per cycle (1 is the maximum), and of\n"
           "routers per cycle and port.")
      .def("saturation", &Fabric::saturation, py::arg("traffic") = py::dict(),
           "The highest rate that the fabric sustains, by bisection; `points` are the runs that it took.")
      .def("send", &Fabric::send, py::arg("sources"), py::arg("destinations"), py::arg("created_ps") = 0,
           py::arg("flits") = 4,
           "Sends packets from nodes to nodes through the empty fabric. Returns arrays: when the head left\n"
           "the source, when the tail arrived, in ps, and how many routers it passed.")
      .def_property_readonly("nodes", &Fabric::nodes)
      .def_property_readonly("routers", &Fabric::routers, "Their names.")
      .def_property_readonly("channels", &Fabric::channels,
                             "Pairs of routers, by number, in the order of `channel_load`.");
  define_keys<FabricKeys>(fabric, "Asterism fabric");
  fabric.def_static("traffic_keys", documentation<FabricTraffic>, "All keys of a traffic, as text.")
      .def_static(
          "traffic_schema", [] { return schema_of<FabricTraffic>("Asterism traffic"); },
          "Their JSON Schema.");
}

void bind_ftl(py::module_& module) {
  py::class_<Ftl> ftl(
      module, "Ftl",
      "A flash translation layer on its flash, without the contents of pages. Keys: Ftl.keys().");
  ftl.def(py::init<const py::dict&>(), py::arg("keys") = py::dict())
      .def("write", &Ftl::write, py::arg("pages"), py::arg("outstanding") = 32,
           "Writes logical pages in this order, so many at a time. Returns for each the time in ps until\n"
           "it survives a loss of power, or -1 if it failed because the flash is worn out.")
      .def("read", &Ftl::read, py::arg("pages"), py::arg("outstanding") = 32,
           "Reads them. Returns for each the time in ps, or -1 if it was never written or is lost.")
      .def("trim", &Ftl::trim, py::arg("pages"), "Their contents are not needed any more.")
      .def("lose_power", &Ftl::lose_power, "Loses power, and reads the mapping back.")
      .def("wear", &Ftl::wear, "The erases of each block: an array of planes and their blocks.")
      .def_property_readonly("write_amplification", &write_amplification,
                             "Pages that were programmed over those that were written.")
      .def_property_readonly("pages", getter(&Ftl::pages), "The number of logical pages.")
      .def_property_readonly("page_bytes", getter(&Ftl::page_bytes))
      .def_property_readonly("time_ps", getter(&Ftl::now))
      .def_property_readonly("read_only", getter(&Ftl::read_only), "Too few blocks are left for writes.")
      .def("statistics", &statistics_of<Ftl>);
  define_keys<FtlKeys>(ftl, "Asterism flash translation");
}

}  // namespace asterism::python
