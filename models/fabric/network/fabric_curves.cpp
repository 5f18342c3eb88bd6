#include "fabric/network/fabric_curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/fields.h"
#include "base/file_kind.h"
#include "base/value_digest.h"

namespace asterism {

static_assert(member_count<LinkCurve>() == 2);
void describe(Fields& f, LinkCurve& c) {
  f("contention", c.contention,
    "A factor on the wait for packets that come at random. A larger one makes packets wait longer at any "
    "load.",
    within(0, 10), required());
  f("knee", c.knee,
    "The load at which the link saturates. A smaller one makes packets wait longer at high load.",
    within(0.05, 1), required());
}

static_assert(member_count<FabricCurves>() == 7);
void describe(Fields& f, FabricCurves& c) {
  f("topology", c.topology, "The topology to which the curves were fitted.", one_of<TopologyKind>(),
    required());
  f("digest", c.digest,
    "A digest of the parameters of the routers. If those of a fabric are others, the curves are refused.",
    required());
  f("injection", c.injection, "The waits of packets for the link from their node into the fabric.");
  f("channel", c.channel, "The waits of packets for each channel between routers.");
  f("ejection", c.ejection, "The waits of packets for the link to the node of their destination.");
  f("fitted", c.fitted,
    "The errors that remain on the loads that were fitted; absent: they were not measured.");
  f("held_out", c.held_out,
    "The errors on other loads, which were not fitted; absent: they were not measured.");
}

const RegisteredFileKind<FabricCurves> fabric_curve_files{
    "fabric_curves", "fabric_curves", "Asterism curves of a fabric", {"injection", "channel", "ejection"}};

std::string curves_name(const FabricConfig& config) {
  return config.curves ? *config.curves : std::string(to_text(config.topology));
}

namespace {

static_assert(member_count<FlitParameters>() == 8, "a further one belongs to the digest");
ValueDigest fitted_values(const FabricConfig& config) {
  const FabricShape shape = fabric_shape(config);
  ValueDigest digest;
  digest.add("topology", config.topology);
  digest.add("concentration", shape.concentration);
  digest.add("parallel_links", shape.parallel_links);
  digest.add("global_routers", shape.global_routers);
  digest.add("virtual_channels", config.virtual_channels);
  digest.add("buffer_depth", config.buffer_depth);
  digest.add("router_stages", config.router_stages);
  digest.add("credit_cycles", config.credit_cycles);
  digest.add("crossing", config.crossing);
  digest.add("arbitration", config.arbitration);
  digest.add("fallback_occupancy", config.fallback_occupancy);
  return digest;
}

}  // namespace

std::string curves_digest(const FabricConfig& config) { return fitted_values(config).text(); }

std::string curves_problem(const FabricConfig& config, const FabricCurves& curves) {
  if (curves.topology != config.topology)
    return fmt::format("{} has the curves of {}, and the topology is {}", curves_name(config),
                       to_text(curves.topology), to_text(config.topology));
  if (curves.digest == curves_digest(config)) return "";
  FabricConfig defaults;
  defaults.topology = config.topology;
  std::vector<std::string> fit{"asterism fit", std::string(to_text(config.topology))};
  std::ranges::copy(fitted_values(config).differences(fitted_values(defaults)), std::back_inserter(fit));
  return fmt::format(
      "the curves {} were fitted to {} with other routers: `{} --out FILE` makes them for these",
      curves_name(config), to_text(config.topology), fmt::join(fit, " "));
}

}  // namespace asterism
