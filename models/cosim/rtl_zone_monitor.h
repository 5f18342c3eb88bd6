// The zone monitor of a channel of a GPU in RTL: a block of the contract `zone_monitor` that answers in place
// of the ZoneMonitor (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlZoneMonitor rtl(library,
//                      {.instance = "node.gpu.monitor.0", .config = config, .zones = monitor.zones(),
//                       .now = now},
//                      options);
//   rtl.on_mismatch = ...;
//   monitor.attach_hook(&rtl);                                   before anything is exposed or tracked
//   ...
//   rtl.finish(now());
//
// Operations and their mismatches are those of rtl_operations.h. The answer to a write, the sectors that it
// and a begin() move, and after each operation whether a snapshot is open, are compared. The GPU's times are
// those of the model, whatever the RTL takes.
//
// reset: every kind resets the RTL.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cosim/rtl_operations.h"
#include "cosim/zone_monitor_ports.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {

class RtlZoneMonitor final : public ZoneMonitorHook,
                             public RtlOperationsOf<ZoneMonitorOperation, ZoneMonitorAnswer> {
 public:
  struct Settings {
    std::string instance;  // "node.gpu.monitor.0"
    Impl impl = Impl::lockstep;
    ZoneMonitorConfig config = {};  // that of the model
    std::uint32_t zones = 1;
    Frequency clock = 1_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::function<Picoseconds()> now = {};  // the time of the present operation
  };
  // The parameters that the block must have.
  static std::map<std::string, std::uint64_t> parameters(const ZoneMonitorConfig& config,
                                                         std::uint32_t zones);

  // Throws RtlError for a block of another contract, one that lacks a port, or one with other parameters. The
  // coverage has "operations" ("write", ...), "writes" ("first stall", ...) and "sectors" ("0" to "3", of a
  // write).
  RtlZoneMonitor(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                 const RtlOptions& options);

  void track(bool on) override;
  void write(std::uint32_t zone, ZoneMonitor::Check& check) override;
  void expose(std::uint32_t zone) override;
  void begin(std::uint32_t& sectors) override;
  void preserve(std::uint32_t zone) override;
  void refresh() override;
  void complete() override;
  void reset(Reset kind) override;

 private:
  ZoneMonitorAnswer answer_to(const ZoneMonitorOperation& operation, ZoneMonitorAnswer model = {});

  void ask(const ZoneMonitorOperation& operation) override;
  ZoneMonitorAnswer read(const ZoneMonitorOperation& operation,
                         const ZoneMonitorAnswer& model) const override;
  void count(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer) override;
  std::string difference(const ZoneMonitorAnswer& model, const ZoneMonitorAnswer& rtl) const override;
  std::string asked_text(const ZoneMonitorOperation& operation) const override;
  std::string answer_text(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer,
                          const ZoneMonitorAnswer* other) const override;

  std::function<Picoseconds()> now_;
  ZoneMonitorPorts ports_;
  bool open_ = false;  // whether a snapshot is open in the model
  Coverage::Group &operations_, &writes_, &sectors_;
};

}  // namespace asterism
