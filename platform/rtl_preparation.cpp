#include "platform/rtl_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "platform/config/config_document.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_build.h"

namespace asterism {
namespace {

void tell(const std::string& line) { fmt::print(stderr, "{}\n", line); }

// Of the switches whose arbiters are swapped.
std::set<unsigned> radices(const NodeConfig& node, const AddressMap& map, const NodeFabric& fabric) {
  if (!fabric.topology)
    return {std::max<unsigned>(node.cores.count, static_cast<unsigned>(map.entries().size()))};
  const std::vector<std::string>& wanted = node.fabric.arbiter.routers;
  std::set<unsigned> found;
  for (const Topology::Router& router : fabric.topology->routers)
    if (wanted.empty() || std::ranges::count(wanted, router.name) > 0) found.insert(router.radix);
  return found;
}

}  // namespace

void check_rtl(const NodeConfig& node, const NodeFabric& fabric, const ConfigDocument& document,
               const std::string& path, Diagnostics& problems) {
  const ArbiterConfig& arbiter = node.fabric.arbiter;
  if (arbiter.impl == Impl::model) return;
  const std::string key = (path.empty() ? "" : path + ".") + "fabric.arbiter.";
  std::vector<std::string> names{"XB"};
  if (fabric.topology) {
    names.clear();
    for (const Topology::Router& router : fabric.topology->routers) names.push_back(router.name);
  }
  for (std::size_t i = 0; i < arbiter.routers.size(); ++i) {
    const std::string at = fmt::format("{}routers.{}", key, i);
    if (std::ranges::count(names, arbiter.routers[i]) == 0)
      problems.add({.origin = document.origin_of(at),
                    .path = at,
                    .problem = "there is no router \"" + arbiter.routers[i] + "\"",
                    .nearest = nearest_name(arbiter.routers[i], names)});
  }
  const Origin origin = document.origin_of(key + "variant");
  const auto file = locate_block(arbiter.variant, origin, key + "variant");
  if (file.extension() != ".json") return;
  if (const BlockConfig block = read_block({.file = file}); block.contract != BlockContract::arbiter)
    problems.add({.origin = origin,
                  .path = key + "variant",
                  .problem = "",
                  .expected = "a block of the contract \"arbiter\"",
                  .got = "\"" + std::string(to_text(block.contract)) + "\""});
}

PreparedRtl prepare_rtl(const NodeConfig& node, const AddressMap& map, const NodeFabric& fabric,
                        const ConfigDocument& document, const std::string& path) {
  PreparedRtl prepared;
  if (const ArbiterConfig& arbiter = node.fabric.arbiter; arbiter.impl != Impl::model) {
    const std::string key = path + ".fabric.arbiter.variant";
    prepared.arbiter_origin = document.origin_of(key);
    const auto file = locate_block(arbiter.variant, prepared.arbiter_origin, key);
    for (const unsigned radix : radices(node, map, fabric))
      prepared.arbiters[radix] = build_block({.file = file, .overrides = {}, .radix = radix}, tell).library;
  }
  return prepared;
}

}  // namespace asterism
