#include "cluster_scale/cluster_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <simgrid/s4u.hpp>

#include "base/sanitizers.h"

namespace asterism {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Policy = s4u::Link::SharingPolicy;

double bytes_per_second(Bandwidth rate) { return static_cast<double>(rate.count()); }
double size_of(Bytes size) { return static_cast<double>(size.count()); }

struct Flow {
  s4u::Host *from, *to;
  std::uint64_t bytes;
};

class Flows final : public Transfer {
 public:
  Flows(const std::vector<Flow>& flows, s4u::SemaphorePtr ended) : state_(std::make_shared<State>()) {
    for (const Flow& flow : flows) {
      state_->flows.push_back(s4u::Comm::sendto_async(flow.from, flow.to, flow.bytes));
      bytes_ += static_cast<double>(flow.bytes);
    }
    s4u::Actor::create("watcher", s4u::this_actor::get_host(), [state = state_, ended = std::move(ended)] {
      try {
        s4u::Comm::wait_all(state->flows);
      } catch (const simgrid::Exception&) {
        return;  // ended by the actor that started it
      }
      state->done = true;
      ended->release();
    });
  }
  ~Flows() override {
    if (state_->done) return;
    for (const s4u::CommPtr& flow : state_->flows)
      if (flow->get_state() == s4u::Activity::State::STARTED) flow->cancel();
  }
  Flows(const Flows&) = delete;
  Flows& operator=(const Flows&) = delete;

  bool done() const override { return state_->done; }
  double bytes_moved() const override {
    double left = 0;
    if (!state_->done)
      for (const s4u::CommPtr& flow : state_->flows)
        if (flow->get_state() == s4u::Activity::State::STARTED) left += flow->get_remaining();
    return bytes_ - left;
  }

 private:
  struct State {
    std::vector<s4u::CommPtr> flows;
    bool done = false;
  };

  std::shared_ptr<State> state_;
  double bytes_ = 0;
};

// A switch, and what stands for its nodes in the network.
struct SwitchHosts {
  s4u::Host *copies = nullptr, *drain = nullptr, *restore = nullptr;
  s4u::Host *one = nullptr, *revive = nullptr;
  s4u::Host* server = nullptr;
  bool has_server = false;
};

}  // namespace

struct ClusterNetwork::Platform {
  explicit Platform(const ClusterSetup& given)
      : setup(given), places(given), trunk(trunk_of(given)), engine(&argument_count, arguments.data()) {
    switches.resize(places.shape().switches());
    for (std::uint32_t s = 0; s < places.shape().compute; ++s)
      switches[places.io_switch(s)].has_server = true;
    s4u::NetZone* zone = build();
    zone->seal();
    widen();
  }

  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    all.reserve(words.size() + 1);
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
  }
  static double trunk_of(const ClusterSetup& setup) {
    if (setup.trunk > Bandwidth()) return bytes_per_second(setup.trunk);
    return bytes_per_second(setup.link) * setup.nodes_per_switch;
  }

  s4u::NetZone* build() {
    const auto& d = places.shape().dimensions;
    const s4u::ClusterCallbacks leaf(
        [this](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
          return add_switch(zone, static_cast<std::uint32_t>(id));
        },
        {}, {});
    const double latency = setup.latency.count();
    switch (setup.topology) {
      case ClusterTopology::fat_tree:
        return s4u::create_fatTree_zone("machine", nullptr, {2, {d[0], d[1]}, {1, 1}, {1, 1}}, leaf, trunk,
                                        latency, Policy::SPLITDUPLEX);
      case ClusterTopology::dragonfly:
        return s4u::create_dragonfly_zone("machine", nullptr,
                                          {{d[0], setup.global_links}, {d[1], 1}, {d[2], 1}, 1}, leaf, trunk,
                                          latency, Policy::SPLITDUPLEX);
      case ClusterTopology::torus:
        break;
    }
    return s4u::create_torus_zone("machine", nullptr, {d[0], d[1], d[2]}, leaf, trunk, latency,
                                  Policy::SPLITDUPLEX);
  }

  std::pair<NetPoint*, NetPoint*> add_switch(s4u::NetZone* machine, std::uint32_t s) {
    s4u::NetZone* zone = s4u::create_star_zone(fmt::format("switch {}", s));
    zone->set_parent(machine);
    const bool has_nodes = s < places.shape().compute;
    const double nodes = has_nodes ? places.nodes_in(s) : setup.nodes_per_switch;
    const double state = size_of(setup.state), latency = setup.latency.count();
    auto* nodes_link =
        zone->create_split_duplex_link(fmt::format("nodes {}", s), nodes * bytes_per_second(setup.link));
    nodes_link->set_latency(latency)->seal();
    const auto host = [&](const char* what, double rate, bool each) {
      s4u::Host* made = zone->create_host(fmt::format("{} {}", what, s), 1e9);
      made->seal();
      const s4u::LinkInRoute shared(nodes_link, s4u::LinkInRoute::Direction::UP);
      if (each) {
        auto* limit = zone->create_link(fmt::format("{} limit {}", what, s), rate);
        limit->set_sharing_policy(Policy::FATPIPE)->set_latency(0)->seal();
        zone->add_route(made->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(limit), shared},
                        true);
      } else {
        auto* limit = zone->create_split_duplex_link(fmt::format("{} limit {}", what, s), rate);
        limit->set_latency(0)->seal();
        zone->add_route(made->get_netpoint(), nullptr, nullptr, nullptr,
                        {s4u::LinkInRoute(limit, s4u::LinkInRoute::Direction::UP), shared}, true);
      }
      return made;
    };
    SwitchHosts& here = switches[s];
    const double copy_rate = state / setup.overlap.count(), restart_rate = state / setup.restart.count();
    here.one = host("one", copy_rate, true);
    here.revive = host("revive", restart_rate, true);
    if (has_nodes) {
      here.copies = host("copies", nodes * copy_rate, false);
      here.restore = host("restore", nodes * restart_rate, false);
      if (setup.global_every > 0) here.drain = host("drain", nodes * bytes_per_second(setup.drain), false);
    }
    if (here.has_server) {
      here.server = zone->create_host(fmt::format("server {}", s), 1e9);
      here.server->seal();
      auto* link = zone->create_split_duplex_link(fmt::format("file system {}", s),
                                                  bytes_per_second(setup.file_system) / places.shape().io);
      link->set_latency(latency)->seal();
      zone->add_route(here.server->get_netpoint(), nullptr, nullptr, nullptr,
                      {s4u::LinkInRoute(link, s4u::LinkInRoute::Direction::UP)}, true);
    }
    NetPoint* router = zone->create_router(fmt::format("router {}", s));
    zone->add_route(router, nullptr, nullptr, nullptr, {}, true);
    zone->seal();
    return {zone->get_netpoint(), router};
  }

  // SimGrid gives all links of a topology one bandwidth. A pod's links upwards are bundles of its switches';
  // between a dragonfly's router and its nodes there is no link beyond those that the switch has.
  void widen() {
    const auto& d = places.shape().dimensions;
    const std::uint32_t count = places.shape().switches();
    if (setup.topology == ClusterTopology::fat_tree && d[1] > 1) {
      const double above = trunk * d[0] / setup.oversubscription;
      for (std::uint32_t pod = 0; pod < d[1]; ++pod) {
        const auto links = way(pod * d[0], (pod + 1) % d[1] * d[0]);
        links.at(3)->set_bandwidth(above);
        links.at(4)->set_bandwidth(above);
      }
    }
    if (setup.topology == ClusterTopology::dragonfly) {
      const double wide = bytes_per_second(setup.link) * setup.nodes_per_switch;
      for (std::uint32_t s = 0; s < count; ++s) {
        const auto links = way(s, (s + 1) % count);
        links.at(2)->set_bandwidth(std::max(wide, trunk));
        links.at(links.size() - 3)->set_bandwidth(std::max(wide, trunk));
      }
    }
  }

  // The route from the nodes of a switch to those of another: limit, nodes' link, topology, nodes' link,
  // limit.
  std::vector<s4u::Link*> way(std::uint32_t from, std::uint32_t to) const {
    std::vector<s4u::Link*> links;
    double latency = 0;
    switches[from].one->route_to(switches[to].one, links, &latency);
    return links;
  }

  std::uint64_t state_of_switch(std::uint32_t s) const { return setup.state.count() * places.nodes_in(s); }
  std::uint32_t spare_switch() const { return places.shape().compute; }

  // The options of SimGrid's command line.
  std::vector<std::string> words = {
      "asterism_cluster", "--log=root.thresh:error", "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0",
      "--cfg=network/crosstraffic:0",
      // Threads under a sanitizer, which does not support the stacks that SimGrid switches.
      std::string("--cfg=contexts/factory:") + (is_sanitized ? "thread" : "raw")};
  int argument_count = static_cast<int>(words.size());
  std::vector<char*> arguments = pointers(words);
  ClusterSetup setup;
  ClusterPlaces places;
  double trunk;
  s4u::Engine engine;
  std::vector<SwitchHosts> switches;
  s4u::SemaphorePtr ended;
};

ClusterNetwork::ClusterNetwork(const ClusterSetup& setup) {
  check_cluster(setup);
  platform_ = std::make_unique<Platform>(setup);
}
ClusterNetwork::~ClusterNetwork() = default;

void ClusterNetwork::run(const std::function<void()>& conductor) {
  Platform& p = *platform_;
  s4u::Actor::create("conductor", p.switches.at(0).one, [&] {
    p.ended = s4u::Semaphore::create(0);
    conductor();
  });
  p.engine.run();
}

Seconds ClusterNetwork::now() { return Seconds(s4u::Engine::get_clock()); }

void ClusterNetwork::wait_until(Seconds time) {
  const Seconds left = time - now();
  if (left > Seconds()) platform_->ended->acquire_timeout(left.count());
}

std::unique_ptr<Transfer> ClusterNetwork::start(TransferKind kind) {
  const Platform& p = *platform_;
  std::vector<Flow> flows;
  for (std::uint32_t s = 0; s < p.places.shape().compute; ++s) {
    const SwitchHosts& here = p.switches[s];
    s4u::Host* const server = p.switches[p.places.io_switch(s)].server;
    switch (kind) {
      case TransferKind::copies:
        for (std::uint32_t copy = 1; copy < p.setup.replicas; ++copy)
          flows.push_back({here.copies, p.switches[p.places.partner(s, copy)].copies,
                           p.state_of_switch(s) / (p.setup.group - 1)});
        break;
      case TransferKind::drain:
        flows.push_back({here.drain, server, p.state_of_switch(s)});
        break;
      case TransferKind::restore:
        flows.push_back({server, here.restore, p.state_of_switch(s)});
        break;
    }
  }
  return std::make_unique<Flows>(flows, p.ended);
}

std::unique_ptr<Transfer> ClusterNetwork::send_copies(std::uint32_t node, unsigned copies) {
  const Platform& p = *platform_;
  const std::uint32_t from = p.places.switch_of(ClusterPlaces::buddy(node)), to = p.places.switch_of(node);
  const std::vector flows{Flow{p.switches[from].one, p.switches[to].one, p.setup.state.count() * copies}};
  return std::make_unique<Flows>(flows, p.ended);
}

std::unique_ptr<Transfer> ClusterNetwork::restart(std::uint32_t node, std::uint32_t source, bool on_spare) {
  const Platform& p = *platform_;
  const std::uint32_t from = p.places.switch_of(source),
                      to = on_spare ? p.spare_switch() : p.places.switch_of(node);
  const std::vector flows{Flow{p.switches[from].revive, p.switches[to].revive, p.setup.state.count()}};
  return std::make_unique<Flows>(flows, p.ended);
}

}  // namespace asterism
