#include "cosim/rtl_zone_monitor.h"

#include <algorithm>
#include <utility>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using Kind = ZoneMonitorOperation::Kind;

// A snapshot begins line by line of the cache and sector by sector of the table: the number of cycles within
// which an answer must come.
std::uint64_t max_cycles(const RtlZoneMonitor::Settings& settings) {
  return 10'000 + settings.zones / 16 + settings.config.cache / Bytes(16);
}

}  // namespace

std::map<std::string, std::uint64_t> RtlZoneMonitor::parameters(const ZoneMonitorConfig& config,
                                                                std::uint32_t zones) {
  return zone_monitor_block_parameters(config, zones);
}

RtlZoneMonitor::RtlZoneMonitor(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                               const RtlOptions& options)
    : RtlOperationsOf(std::move(library), {.instance = settings.instance,
                                           .impl = settings.impl,
                                           .clock = settings.clock,
                                           .on_mismatch = settings.on_mismatch,
                                           .trace = settings.trace,
                                           .max_cycles = max_cycles(settings),
                                           .answers_at_once = false}),
      now_(settings.now),
      ports_(rtl()),
      operations_(coverage_group("operations", points_of<Kind>())),
      writes_(coverage_group("writes", {"proceed", "proceed while open", "first stall", "stall"})),
      sectors_(coverage_group("sectors", {"0", "1", "2", "3"})) {
  operations_.need_each("never executed");
  writes_.need_each("never answered a write with");
  check_parameters(rtl(), parameters(settings.config, settings.zones));
  RtlOperations::begin(options);
}

// ---- the hook ----

void RtlZoneMonitor::track(bool on) { answer_to({.kind = Kind::track, .flag = on}); }

void RtlZoneMonitor::write(std::uint32_t zone, ZoneMonitor::Check& check) {
  const ZoneMonitorAnswer given =
      answer_to({.kind = Kind::write, .zone = zone}, {.answer = check.answer, .sectors = check.sectors});
  check = {given.answer, static_cast<std::uint8_t>(std::min(given.sectors, 255u))};
}

void RtlZoneMonitor::expose(std::uint32_t zone) { answer_to({.kind = Kind::expose, .zone = zone}); }

void RtlZoneMonitor::begin(std::uint32_t& sectors) {
  open_ = true;
  sectors = answer_to({.kind = Kind::begin}, {.sectors = sectors}).sectors;
}

void RtlZoneMonitor::preserve(std::uint32_t zone) { answer_to({.kind = Kind::preserve, .zone = zone}); }

void RtlZoneMonitor::refresh() { answer_to({.kind = Kind::refresh}); }

void RtlZoneMonitor::complete() {
  open_ = false;
  answer_to({.kind = Kind::complete});
}

void RtlZoneMonitor::reset(Reset) {
  open_ = false;
  restart();
}

ZoneMonitorAnswer RtlZoneMonitor::answer_to(const ZoneMonitorOperation& operation, ZoneMonitorAnswer model) {
  model.complete = !open_;
  return operate(now_(), operation, model);
}

// ---- an operation ----

void RtlZoneMonitor::ask(const ZoneMonitorOperation& operation) { ports_.ask(operation); }

ZoneMonitorAnswer RtlZoneMonitor::read(const ZoneMonitorOperation&, const ZoneMonitorAnswer&) const {
  return ports_.answer();
}

void RtlZoneMonitor::count(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer) {
  operations_.hit(static_cast<std::size_t>(operation.kind));
  if (operation.kind != Kind::write) return;
  const bool waits = answer.answer != ZoneMonitor::Answer::proceed;
  writes_.hit(waits ? 1 + static_cast<std::size_t>(answer.answer) : !answer.complete);
  sectors_.hit(std::min<std::size_t>(answer.sectors, 3));
}

std::string RtlZoneMonitor::difference(const ZoneMonitorAnswer& model, const ZoneMonitorAnswer& rtl) const {
  return unequal({{"answer", model.answer == rtl.answer},
                  {"sectors", model.sectors == rtl.sectors},
                  {"complete", model.complete == rtl.complete}});
}

std::string RtlZoneMonitor::asked_text(const ZoneMonitorOperation& operation) const {
  return to_text(operation);
}

std::string RtlZoneMonitor::answer_text(const ZoneMonitorOperation& operation,
                                        const ZoneMonitorAnswer& answer, const ZoneMonitorAnswer*) const {
  return to_text(operation, answer);
}

}  // namespace asterism
