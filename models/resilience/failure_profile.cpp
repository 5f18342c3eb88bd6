#include "resilience/failure_profile.h"

#include <stdexcept>

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<FailureClass>() == 8);
void describe(Fields& f, FailureClass& c) {
  f("name", c.name, "What the field study calls the class.", required());
  f("component", c.component, "What fails.", one_of<FailedComponent>());
  f("count", c.count, "How often it was counted in gpu_hours. A higher number makes it more frequent.",
    within(0.0, 1e12));
  f("effect", c.effect, "What becomes of the run.", one_of<FailureEffect>());
  f("loses", c.loses, "What is lost. A lost node takes copies of others with it, and needs a spare.",
    one_of<FailureLoss>());
  f("nodes", c.nodes, "The number of nodes that fail at once. More of them need more copies.", within(1, 64));
  f.when("effect", c.effect, {FailureEffect::corrupts, FailureEffect::slows}, [&] {
    f("found_after", c.found_after,
      "The mean time until it is found. A run that is corrupted longer goes back further.",
      at_most(long_duration(365ull * 86'400)));
  });
  f.when("effect", c.effect, FailureEffect::slows, [&] {
    f("slowdown", c.slowdown,
      "The time of an iteration over the usual one, less 1, until the slow GPU is found.",
      within(0.0, 100.0));
  });
}

static_assert(member_count<FailureProfile>() == 4);
void describe(Fields& f, FailureProfile& c) {
  f.sourced();
  f("gpu_hours", c.gpu_hours, "The hours of all GPUs in which the failures were counted.", within(1.0, 1e15));
  f("gpus_per_node", c.gpus_per_node, "The number of GPUs of a node, which are lost together.",
    within(1, 256));
  f("shape", c.shape,
    "The shape of the Weibull distribution of the lifetimes of nodes. Below 1, new nodes fail more often "
    "than "
    "those that have lived for long.",
    within(0.1, 10.0));
  f("classes", c.classes, "The classes of failures.");
  f.check([&] { return !c.classes.empty() && c.rate() > Rate(); }, "classes", "has a class that was counted");
}
namespace {
const RegisteredFileKind<FailureProfile> failure_files{
    "failures", "failures", "Asterism failures", {"gpu_hours", "classes"}};
}  // namespace

Rate FailureProfile::rate() const {
  Rate sum;
  for (const FailureClass& c : classes) sum += rate(c);
  return sum;
}

Rate FailureProfile::rate_of(FailedComponent component) const {
  Rate sum;
  for (const FailureClass& c : classes)
    if (c.component == component) sum += rate(c);
  return sum;
}

FailureProfile with_fit(FailureProfile profile, FailedComponent component, double fit) {
  const auto is_meant = [&](const FailureClass& c) {
    return c.component == component && c.effect == FailureEffect::stops;
  };
  Rate now;
  for (const FailureClass& c : profile.classes)
    if (is_meant(c)) now += profile.rate(c);
  if (!(now > Rate())) throw std::invalid_argument("no class of this component that stops runs was counted");
  for (FailureClass& c : profile.classes)
    if (is_meant(c)) c.count *= fit / (now.per_second() * 3600 * 1e9);
  return profile;
}

}  // namespace asterism
