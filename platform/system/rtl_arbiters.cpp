#include "platform/system/rtl_arbiters.h"

#include <fmt/format.h>

#include <algorithm>

namespace asterism {

RtlArbiters::RtlArbiters(const std::string& instance, const ArbiterConfig& config,
                         const std::vector<SwitchPorts>& switches,
                         const std::map<unsigned, std::filesystem::path>& libraries,
                         const RtlOptions& options, const Attach& attach)
    : instance_(instance), impl_(config.impl) {
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const SwitchPorts& ports = switches[i];
    if (!config.routers.empty() && std::ranges::count(config.routers, ports.name) == 0) continue;
    RtlArbitration::Settings settings{.instance = instance + "." + ports.name,
                                      .impl = config.impl,
                                      .inputs = static_cast<unsigned>(ports.inputs.size()),
                                      .outputs = static_cast<unsigned>(ports.outputs.size()),
                                      .period = ports.period,
                                      .on_mismatch = config.on_mismatch,
                                      .trace = config.trace,
                                      .input_names = ports.inputs,
                                      .output_names = ports.outputs};
    RtlArbitration& arbitration =
        arbitrations_.emplace_back(RtlLibrary::open(libraries.at(ports.radix)), std::move(settings), options);
    arbitration.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { on_mismatch(mismatch); };
    names_.push_back(ports.name);
    for (const std::string& output : ports.outputs)
      instances_.push_back(fmt::format("{}.{}.{}", instance, ports.name, output));
    attach(i, &arbitration);
  }
}

std::uint64_t RtlArbiters::mismatches() const {
  std::uint64_t sum = 0;
  for (const RtlArbitration& arbitration : arbitrations_) sum += arbitration.mismatches();
  return sum;
}

std::vector<BlockCoverage> RtlArbiters::coverage() const {
  std::vector<BlockCoverage> all;
  if (impl_ != Impl::lockstep) return all;
  for (std::size_t i = 0; i < arbitrations_.size(); ++i)
    all.push_back({"arbiter", instance_, names_[i], arbitrations_[i].coverage()});
  return all;
}

void RtlArbiters::report(Statistics& fabric) const {
  Statistics& statistics = fabric.group("arbiter");
  statistics.add("impl", to_text(impl_));
  for (std::size_t i = 0; i < arbitrations_.size(); ++i) arbitrations_[i].report(statistics.group(names_[i]));
}

// The points of all switches together, group by group.
std::vector<std::string> RtlArbiters::total_coverage() const {
  std::vector<std::string> names;
  std::vector<std::pair<std::size_t, std::size_t>> sums;  // reached, points
  for (const RtlArbitration& arbitration : arbitrations_) {
    const Coverage coverage = arbitration.coverage();
    sums.resize(coverage.groups().size());
    names.clear();
    for (const Coverage::Group& group : coverage.groups()) {
      auto& [reached, points] = sums[names.size()];
      reached += group.reached();
      points += group.points();
      names.push_back(group.name());
    }
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(fmt::format("{} {}/{}", names[i], sums[i].first, sums[i].second));
  return lines;
}

std::vector<std::string> RtlArbiters::summary() const {
  std::uint64_t decisions = 0;
  for (const RtlArbitration& arbitration : arbitrations_) decisions += arbitration.decisions();
  std::string line = fmt::format("{}.{}: {}, {} decisions", instance_,
                                 names_.size() == 1 ? names_.front() : "*", to_text(impl_), decisions);
  if (impl_ == Impl::lockstep) line += ", " + mismatch_count(mismatches());
  std::vector<std::string> lines{line};
  const std::vector<std::string> reached =
      arbitrations_.size() == 1 ? arbitrations_.front().coverage().text() : total_coverage();
  for (const std::string& group : reached) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
