#include "platform/system/rtl_zone_monitors.h"

#include <fmt/format.h>

#include "tlm/time.h"

namespace asterism {

RtlZoneMonitors::RtlZoneMonitors(const std::string& path, const SwapSettings& swap, ZoneMonitorHost& host,
                                 const std::shared_ptr<const RtlLibrary>& library, const RtlOptions& options)
    : instance_(path + ".*.monitor.*"), impl_(swap.impl) {
  for (const ZoneMonitorHost::Place& place : host.zone_monitors()) {
    RtlZoneMonitor& rtl =
        monitors_.emplace_back(library,
                               RtlZoneMonitor::Settings{.instance = fmt::format("{}.{}", path, place.name),
                                                        .impl = impl_,
                                                        .config = host.zone_monitor_config(),
                                                        .zones = host.zones_per_monitor(),
                                                        .clock = swap.clock,
                                                        .on_mismatch = swap.on_mismatch,
                                                        .trace = swap.trace,
                                                        .now = [] { return now(); }},
                               options);
    rtl.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { on_mismatch(mismatch); };
    place.monitor.attach_hook(&rtl);
  }
}

void RtlZoneMonitors::finish(Picoseconds now) {
  for (RtlZoneMonitor& monitor : monitors_) monitor.finish(now);
}

std::vector<std::string> RtlZoneMonitors::instances() const {
  std::vector<std::string> all;
  for (const RtlZoneMonitor& monitor : monitors_) all.push_back(monitor.instance());
  return all;
}

std::uint64_t RtlZoneMonitors::operations() const {
  std::uint64_t sum = 0;
  for (const RtlZoneMonitor& monitor : monitors_) sum += monitor.operations();
  return sum;
}

std::uint64_t RtlZoneMonitors::mismatches() const {
  std::uint64_t sum = 0;
  for (const RtlZoneMonitor& monitor : monitors_) sum += monitor.mismatches();
  return sum;
}

Coverage RtlZoneMonitors::coverage() const {
  Coverage all = monitors_.front().coverage();
  for (std::size_t i = 1; i < monitors_.size(); ++i) all.add(monitors_[i].coverage());
  return all;
}

std::optional<BlockCoverage> RtlZoneMonitors::block_coverage() const {
  if (impl_ != Impl::lockstep) return std::nullopt;
  return BlockCoverage{"zone_monitor", instance_, "", coverage()};
}

void RtlZoneMonitors::report(Statistics& statistics) const {
  statistics.add("impl", to_text(impl_));
  statistics.add("operations", operations());
  if (impl_ == Impl::lockstep) statistics.add("mismatches", mismatches());
  coverage().report(statistics.group("coverage"));
}

std::vector<std::string> RtlZoneMonitors::summary() const {
  std::string line = fmt::format("{}: {}, {} operations", instance_, to_text(impl_), operations());
  if (impl_ == Impl::lockstep) line += ", " + mismatch_count(mismatches());
  std::vector<std::string> lines{line};
  for (const std::string& group : coverage().text()) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
