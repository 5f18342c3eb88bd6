#include "platform/scenario/coverage_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "platform/config/config_document.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

// A block that RTL can replace.
struct Block {
  std::string name, key;  // the key is that of its `impl` in the node
  Impl impl;
};

std::vector<Block> blocks_of(const ScenarioConfig& config, const DeviceList& devices) {
  const NodeConfig& node = config.node;
  std::vector<Block> blocks;
  if (node.runs == NodeProgram::workload || config.has_firmware())
    blocks.push_back({"arbiter", "fabric.arbiter.impl", node.fabric.arbiter.impl});
  for (const PlacedDevice& device : devices.all())
    for (const RtlUse& use : device.rtl)
      blocks.push_back({use.block.empty() ? device.instance() : use.block,
                        join_path(join_path(device.key, use.key), "impl"), use.swap.impl});
  return blocks;
}

// "arbiter R5", "codec".
std::string place_of(const BlockCoverage& block) {
  return block.router.empty() ? block.block : block.block + " " + block.router;
}

const Coverage::Group* find_group(const Coverage& coverage, const std::string& name) {
  const auto group = std::ranges::find(coverage.groups(), name, &Coverage::Group::name);
  return group == coverage.groups().end() ? nullptr : &*group;
}

// "R0, R1, R2 and 13 more".
std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

// The problem of a demand on one block, "" if there is none.
std::pair<std::string, std::string> problem_of(const CoverageDemand& demand, const BlockCoverage& block) {
  const Coverage::Group* const group = find_group(block.coverage, demand.group);
  if (group == nullptr) {
    std::vector<std::string> names;
    for (const Coverage::Group& each : block.coverage.groups()) names.push_back(each.name());
    const std::string nearest = nearest_name(demand.group, names);
    return {fmt::format("{} has no coverage of \"{}\"{}", demand.block, demand.group,
                        nearest.empty() ? fmt::format(", but of {}", fmt::join(names, ", ")) : ""),
            nearest};
  }
  if (demand.threshold.wanted(group->points()) <= group->points()) return {};
  return {fmt::format("expected at most {}, the number of points in {}, got {}", group->points(),
                      place_of(block), demand.threshold.value),
          ""};
}

}  // namespace

std::vector<CoverageDemand> coverage_demands(const ExpectConfig& expect, const ConfigDocument& document) {
  std::vector<CoverageDemand> demands;
  for (const auto& [block, groups] : expect.coverage)
    for (const auto& [group, threshold] : groups) {
      CoverageDemand& demand = demands.emplace_back(CoverageDemand{block, group, threshold, {}});
      demand.origin = document.origin_of(demand.path());
    }
  return demands;
}

void check_covered_blocks(const ScenarioConfig& config, const DeviceList& devices,
                          const ConfigDocument& document, Diagnostics& problems) {
  const std::vector<Block> blocks = blocks_of(config, devices);
  std::vector<std::string> names;
  for (const Block& each : blocks)
    if (std::ranges::count(names, each.name) == 0) names.push_back(each.name);
  for (const auto& [name, groups] : config.expect.coverage) {
    const std::string path = "expect.coverage." + name;
    Diagnostic problem{.origin = document.origin_of(path), .path = path, .problem = ""};
    const auto is_meant = [&name = name](const Block& each) { return each.name == name; };
    const auto block = std::ranges::find_if(blocks, is_meant);
    if (block == blocks.end()) {
      problem.nearest = nearest_name(name, names);
      problem.problem = "this node has no block of this name that RTL can replace" +
                        (problem.nearest.empty() ? ", only " + some_of(names, names.size()) : "");
    } else if (std::ranges::none_of(blocks, [&](const Block& each) {
                 return is_meant(each) && each.impl == Impl::lockstep;
               })) {
      problem.problem =
          fmt::format("coverage is that of a lockstep, but node.{} is \"{}\" (expect.coverage={{}} drops it)",
                      block->key, to_text(block->impl));
    } else {
      continue;
    }
    problems.add(problem);
  }
}

void check_coverage_demands(const std::vector<CoverageDemand>& demands,
                            const std::vector<BlockCoverage>& blocks) {
  Diagnostics problems;
  for (const CoverageDemand& demand : demands)
    for (const BlockCoverage& block : blocks) {
      if (block.block != demand.block) continue;
      const auto [problem, nearest] = problem_of(demand, block);
      if (problem.empty()) continue;
      problems.add({.origin = demand.origin, .path = demand.path(), .problem = problem, .nearest = nearest});
      break;
    }
  problems.throw_if_any();
}

std::vector<std::string> unmet_demands(const std::vector<CoverageDemand>& demands,
                                       const std::vector<BlockCoverage>& blocks) {
  constexpr std::size_t most = 4;
  std::vector<std::string> lines;
  for (const CoverageDemand& demand : demands) {
    std::vector<std::string> too_low, places;
    for (const BlockCoverage& block : blocks) {
      if (block.block != demand.block) continue;
      const Coverage::Group& group = *find_group(block.coverage, demand.group);
      const std::uint64_t wanted = demand.threshold.wanted(group.points());
      if (group.reached() >= wanted) continue;
      places.push_back(block.router);
      too_low.push_back(
          fmt::format("coverage of {}: {} reached {} of {}, wanted {}{}", place_of(block), demand.group,
                      group.reached(), group.points(), wanted,
                      demand.threshold.is_percentage ? fmt::format(" ({}%)", demand.threshold.value) : ""));
    }
    const std::size_t shown = too_low.size() > most + 1 ? most : too_low.size();
    std::copy_n(too_low.begin(), shown, std::back_inserter(lines));
    places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown));
    if (!places.empty())
      lines.push_back(
          fmt::format("coverage of {}: {} is too low in {}", demand.block, demand.group, some_of(places, 8)));
  }
  return lines;
}

std::vector<CoverageWarning> coverage_warnings(const std::vector<BlockCoverage>& blocks) {
  struct Lack {
    std::string instance, text;
    std::vector<std::string> routers;
  };
  std::vector<Lack> lacks;
  for (const BlockCoverage& block : blocks)
    for (const std::string& text : block.coverage.shortfalls()) {
      auto known = std::ranges::find_if(
          lacks, [&](const Lack& lack) { return lack.instance == block.instance && lack.text == text; });
      if (known == lacks.end()) known = lacks.insert(known, {block.instance, text, {}});
      known->routers.push_back(block.router);
    }
  std::vector<CoverageWarning> warnings;
  for (const Lack& lack : lacks) {
    const auto all = std::ranges::count(blocks, lack.instance, &BlockCoverage::instance);
    if (all == 1)
      warnings.push_back(
          {lack.routers.front().empty() ? lack.instance : lack.instance + "." + lack.routers.front(),
           lack.text + ", which its contract needs"});
    else
      warnings.push_back(
          {lack.instance, fmt::format("{}, which its contract needs, in {} of {} routers: {}", lack.text,
                                      lack.routers.size(), all, some_of(lack.routers, 8))});
  }
  return warnings;
}

}  // namespace asterism
