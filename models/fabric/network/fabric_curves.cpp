#include "fabric/network/fabric_curves.h"

#include <fmt/format.h>

#include "base/fields.h"
#include "base/file_kind.h"

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

static_assert(member_count<FabricCurves>() == 6);
void describe(Fields& f, FabricCurves& c) {
  f("topology", c.topology, "The topology to which the curves were fitted.", one_of<TopologyKind>(),
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

std::string curves_problem(const FabricConfig& config, const FabricCurves& curves) {
  if (curves.topology == config.topology) return "";
  return fmt::format("{} has the curves of {}, and the topology is {}", curves_name(config),
                     to_text(curves.topology), to_text(config.topology));
}

}  // namespace asterism
