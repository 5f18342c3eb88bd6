// The bandwidth of a transfer between a GPU and its host over PCIe, by the size of the transfer
// (models/gpu/host_link.h).
#include "gpu/host_link.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct HostLinkStudy {
  HostLinkConfig link = {};
  Bytes transfer = 64_KiB;
  std::uint32_t active = 1;
};
static_assert(member_count<HostLinkStudy>() == 3);
void describe(Fields& f, HostLinkStudy& c) {
  describe(f, c.link);
  f("transfer", c.transfer, "The size of a transfer. A smaller one waits longer than it moves data.",
    within(1_B, 1_TiB));
  f("active", c.active,
    "The number of GPUs that move data at the same time and share the lanes of the processor.",
    within(1, 1024));
  f.check([&] { return c.active <= c.link.lanes; }, "active", "is at most `lanes`");
}

class HostLinkPoint final : public StudyPointOf<HostLinkStudy> {
 public:
  std::vector<Cell> run(const std::stop_token&) override {
    const auto share = static_cast<double>(HostLink::share(config_.link, config_.active).count());
    const auto effective =
        static_cast<double>(HostLink::effective(config_.link, config_.active, config_.transfer).count());
    return {static_cast<double>(config_.transfer.count()) / 1024, effective / 1e9, share / 1e9,
            100 * effective / share};
  }
};

const RegisteredStudy host_link_study{
    {.name = "host_link",
     .meaning = "The bandwidth that PCIe gives a transfer from a GPU to the host, by its size",
     .coordinates = {"transfer", "active"},
     .columns = {{"transfer_kib", "", "KiB", "The size of the transfer"},
                 {"bandwidth_gbps", "bandwidth", "GB/s", "The bandwidth of the transfer with its overhead",
                  3},
                 {"share_gbps", "share", "GB/s", "The bandwidth of a GPU while it moves data", 3},
                 {"efficiency_percent", "efficiency", "%", "Bandwidth over share", 1}},
     .x = "transfer_kib",
     .y = "efficiency_percent",
     .x_key = "transfer",
     .bars = {"bandwidth_gbps"},
     .make = make_study_point<HostLinkPoint>}};

}  // namespace
}  // namespace asterism
