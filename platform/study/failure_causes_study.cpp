// Which failures a local checkpoint survives, and how that share changes with soft errors: dong2011 Table IV
// and Eq. 8 (models/resilience).
#include "platform/study/share.h"
#include "platform/study/study_kind.h"
#include "resilience/failure_causes.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

struct FailureCausesStudy {
  std::uint64_t hardware = FailureCauses{}.hardware, software = FailureCauses{}.software,
                network = FailureCauses{}.network, human = FailureCauses{}.human,
                facilities = FailureCauses{}.facilities, undetermined = FailureCauses{}.undetermined;
  Share soft_share = Share(640'000);
  double soft_errors = 1;
  LongDuration mttf = long_duration(7884);
};
static_assert(member_count<FailureCausesStudy>() == 9);
void describe(Fields& f, FailureCausesStudy& c) {
  const auto count = at_most(1'000'000'000'000);
  f("hardware", c.hardware,
    "The number of failures counted with a cause in the hardware. Soft errors among them need no global "
    "checkpoint.",
    count);
  f("software", c.software,
    "The number caused by software. A local checkpoint survives these and the next three.", count);
  f("network", c.network, "The number caused by the network.", count);
  f("human", c.human, "The number caused by people.", count);
  f("facilities", c.facilities, "The number caused by power and cooling.", count);
  f("undetermined", c.undetermined, "The number of unknown cause. They need a global checkpoint.", count);
  f("soft_share", c.soft_share,
    "The share of soft errors among the failures of hardware; 64% on ASCI Q (Michalak et al. 2005).",
    within(Share(0), Share(1'000'000)));
  f("soft_errors", c.soft_errors,
    "The factor by which soft errors are more frequent than they were counted. All other failures stay.",
    within(0.0, 1e9));
  f("mttf", c.mttf, "The mean time to a failure of the machine at soft_errors=1.",
    within(LongDuration(1), long_duration(100ull * 365 * 86'400)));
  f.check([&] { return c.hardware + c.software + c.network + c.human + c.facilities + c.undetermined > 0; },
          "hardware", "makes at least one failure together with the other causes");
}

class FailureCausesPoint final : public StudyPointOf<FailureCausesStudy> {
 public:
  std::vector<Cell> run(const std::stop_token&) override {
    const FailureCausesStudy& c = config_;
    const FailureCauses causes{.hardware = c.hardware,
                               .software = c.software,
                               .network = c.network,
                               .human = c.human,
                               .facilities = c.facilities,
                               .undetermined = c.undetermined,
                               .soft_share = static_cast<double>(c.soft_share.count()) / 1e6};
    const FailureSplit split = failure_split(causes, c.soft_errors);
    if (split.failures == 0) return {100 * split.locally_recoverable, Cell(), 0.0, Cell()};
    return {100 * split.locally_recoverable, 100 * (1 - split.locally_recoverable), split.failures,
            seconds(c.mttf).count() / split.failures};
  }
};

const RegisteredStudy failure_causes_study{
    {.name = "failure_causes",
     .meaning = "Which failures a local checkpoint survives, by their causes: dong2011 Table IV and Eq. 8",
     .coordinates = {"soft_errors"},
     .columns = {{"q_l_percent", "q_L", "%", "The share of failures that a local checkpoint survives", 3},
                 {"q_g_percent", "q_G", "%", "The share of failures that need a global checkpoint", 3},
                 {"failures", "failures", "", "The number of failures over that at soft_errors=1", 4},
                 {"mttf_s", "MTTF", "s", "The mean time to a failure of the machine", 1}},
     .x = "soft_errors",
     .y = "q_l_percent",
     .x_key = "soft_errors",
     .bars = {"q_l_percent", "failures"},
     .make = make_study_point<FailureCausesPoint>}};

}  // namespace
}  // namespace asterism
