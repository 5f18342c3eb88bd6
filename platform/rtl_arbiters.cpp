#include "platform/rtl_arbiters.h"

#include <fmt/format.h>

#include <algorithm>

namespace asterism {

RtlArbiters::RtlArbiters(const std::string& instance, const ArbiterConfig& config,
                         const std::vector<SwitchPorts>& switches,
                         const std::map<unsigned, std::filesystem::path>& libraries,
                         const RtlOptions& options, const Seat& seat)
    : instance_(instance), impl_(config.impl) {
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const SwitchPorts& ports = switches[i];
    if (!config.routers.empty() && std::ranges::count(config.routers, ports.name) == 0) continue;
    RtlArbitration::Settings settings{.instance = instance + "." + ports.name,
                                      .impl = config.impl,
                                      .inputs = static_cast<unsigned>(ports.inputs.size()),
                                      .outputs = static_cast<unsigned>(ports.outputs.size()),
                                      .period = ports.period,
                                      .trace = config.trace,
                                      .input_names = ports.inputs,
                                      .output_names = ports.outputs};
    RtlArbitration& arbitration =
        arbitrations_.emplace_back(RtlLibrary::open(libraries.at(ports.radix)), std::move(settings), options);
    arbitration.on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
      if (on_mismatch) on_mismatch(mismatch);
    };
    names_.push_back(ports.name);
    for (const std::string& output : ports.outputs)
      instances_.push_back(fmt::format("{}.{}.{}", instance, ports.name, output));
    seat(i, &arbitration);
  }
}

void RtlArbiters::report(Statistics& statistics) const {
  statistics.add("impl", to_text(impl_));
  for (std::size_t i = 0; i < arbitrations_.size(); ++i) arbitrations_[i].report(statistics.group(names_[i]));
}

std::vector<std::string> RtlArbiters::summary() const {
  std::uint64_t decisions = 0, mismatches = 0;
  for (const RtlArbitration& arbitration : arbitrations_) {
    decisions += arbitration.decisions();
    mismatches += arbitration.mismatch() ? 1 : 0;
  }
  const std::string where =
      names_.size() == 1 ? "switch " + names_.front() : fmt::format("{} switches", names_.size());
  std::string line = fmt::format("{}: {}, {} decisions of {}", instance_, to_text(impl_), decisions, where);
  if (impl_ == Impl::lockstep)
    line += fmt::format(", {} mismatch{}", mismatches, mismatches == 1 ? "" : "es");
  std::vector<std::string> lines{line};
  if (arbitrations_.size() == 1)
    for (const std::string& group : arbitrations_.front().coverage().text())
      lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
