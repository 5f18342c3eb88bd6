#include "platform/system/rtl_blocks.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cosim/rtl_codec.h"
#include "cosim/rtl_matt.h"
#include "platform/system/rtl_zone_monitors.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// RTL that answers operations (cosim/rtl_operations.h).
template <class Rtl>
class OperationsBlock final : public RtlBlock {
 public:
  // `group`: of its statistics in those of the device.
  template <class... Arguments>
  OperationsBlock(std::string block, std::string group, Arguments&&... arguments)
      : rtl(std::forward<Arguments>(arguments)...), block_(std::move(block)), group_(std::move(group)) {
    rtl.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { on_mismatch(mismatch); };
  }
  Rtl rtl;

  void finish(Picoseconds now) override { rtl.finish(now); }
  std::vector<std::string> instances() const override { return {rtl.instance()}; }
  std::vector<std::string> summary() const override { return rtl.summary(); }
  std::uint64_t mismatches() const override { return rtl.mismatches(); }
  std::vector<BlockCoverage> coverage() const override {
    const auto one = rtl.block_coverage(block_);
    return one ? std::vector{*one} : std::vector<BlockCoverage>();
  }
  void report(Statistics& statistics) const override { rtl.report(statistics.group(group_)); }

 private:
  std::string block_, group_;
};

class ZoneMonitorsBlock final : public RtlBlock {
 public:
  ZoneMonitorsBlock(const std::string& path, const SwapSettings& swap, ZoneMonitorHost& host,
                    const std::shared_ptr<const RtlLibrary>& library, const RtlOptions& options)
      : rtl_(path, swap, host, library, options) {
    rtl_.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { on_mismatch(mismatch); };
  }
  void finish(Picoseconds now) override { rtl_.finish(now); }
  std::vector<std::string> instances() const override { return rtl_.instances(); }
  std::vector<std::string> summary() const override { return rtl_.summary(); }
  std::uint64_t mismatches() const override { return rtl_.mismatches(); }
  std::vector<BlockCoverage> coverage() const override {
    const auto all = rtl_.block_coverage();
    return all ? std::vector{*all} : std::vector<BlockCoverage>();
  }
  void report(Statistics& statistics) const override { rtl_.report(statistics.group("monitor_rtl")); }

 private:
  RtlZoneMonitors rtl_;
};

template <class Role>
Role& role_of(Device& device, const std::string& contract) {
  if (Role* const role = device.as<Role>()) return *role;
  throw std::logic_error(fmt::format("the device has no block of the contract {}", contract));
}

template <class Contract>
std::unique_ptr<RtlBlock> attach_codec(const RtlUse& use, const DeviceLibrary& library, CodecHost& host,
                                       typename Contract::Code code, const std::string& path,
                                       const RtlOptions& options) {
  using Rtl = RtlCodecOf<Contract>;
  auto block =
      std::make_unique<OperationsBlock<Rtl>>(use.block, use.key, RtlLibrary::open(library.file),
                                             typename Rtl::Settings{.instance = path,
                                                                    .impl = use.swap.impl,
                                                                    .code = code,
                                                                    .clock = use.swap.clock,
                                                                    .on_mismatch = use.swap.on_mismatch,
                                                                    .trace = use.swap.trace},
                                             options);
  host.attach_hook(&block->rtl);
  return block;
}

std::unique_ptr<RtlBlock> attach_codec(const RtlUse& use, const DeviceLibrary& library, Device& device,
                                       const std::string& path, const RtlOptions& options) {
  CodecHost& host = role_of<CodecHost>(device, use.contract);
  if (const auto code = host.rank_code())
    return attach_codec<RankContract>(use, library, host, *code, path, options);
  return attach_codec<DualModeContract>(use, library, host, host.codec_profile(), path, options);
}

std::unique_ptr<RtlBlock> attach_matt(const RtlUse& use, const DeviceLibrary& library, Device& device,
                                      const std::string& path, const RtlOptions& options) {
  MattHost& host = role_of<MattHost>(device, use.contract);
  auto block =
      std::make_unique<OperationsBlock<RtlMatt>>(use.block, use.key + "_rtl", RtlLibrary::open(library.file),
                                                 RtlMatt::Settings{.instance = path,
                                                                   .impl = use.swap.impl,
                                                                   .config = host.matt_config(),
                                                                   .pages = host.matt_pages(),
                                                                   .clock = use.swap.clock,
                                                                   .on_mismatch = use.swap.on_mismatch,
                                                                   .trace = use.swap.trace,
                                                                   .now = [] { return now(); }},
                                                 options);
  host.attach_hook(&block->rtl);
  return block;
}

}  // namespace

std::unique_ptr<RtlBlock> attach_rtl(const RtlUse& use, const DeviceLibrary& library, Device& device,
                                     const std::string& path, const RtlOptions& options) {
  const std::string block_path = path + "." + use.key;
  if (use.contract == DualModeContract::name || use.contract == RankContract::name)
    return attach_codec(use, library, device, block_path, options);
  if (use.contract == "matt") return attach_matt(use, library, device, block_path, options);
  if (use.contract == "zone_monitor")
    return std::make_unique<ZoneMonitorsBlock>(path, use.swap, role_of<ZoneMonitorHost>(device, use.contract),
                                               RtlLibrary::open(library.file), options);
  throw std::logic_error(fmt::format("no device can have a block of the contract {}", use.contract));
}

}  // namespace asterism
