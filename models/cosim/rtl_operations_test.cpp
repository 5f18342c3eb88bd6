#include "cosim/rtl_operations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/thrown.h"
#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ExpectedPort adder_ports[] = {{"in.valid", ASTERISM_RTL_INPUT, 1},
                                        {"in.a", ASTERISM_RTL_INPUT, 8},
                                        {"in.b", ASTERISM_RTL_INPUT, 8},
                                        {"out.valid", ASTERISM_RTL_OUTPUT, 1},
                                        {"out.sum", ASTERISM_RTL_OUTPUT, 9}};

struct Pair {
  unsigned a = 0, b = 0;
};
struct Sum {
  unsigned value = 0;
  bool operator==(const Sum&) const = default;
};

std::shared_ptr<const RtlLibrary> adder_block(const std::string& variant) {
  return RtlLibrary::open(std::string(COSIM_TEST_OPERATION_BLOCKS) + "/" + variant + ".so");
}

class RtlAdder final : public RtlOperationsOf<Pair, Sum> {
 public:
  struct Settings {
    Impl impl = Impl::lockstep;
    bool answers_at_once = true;
    std::uint64_t width = 8;
    OnMismatch on_mismatch = OnMismatch::stop;
  };
  RtlAdder(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
           const RtlOptions& options = {})
      : RtlOperationsOf(std::move(library), {.instance = "node.adder",
                                             .impl = settings.impl,
                                             .on_mismatch = settings.on_mismatch,
                                             .max_cycles = 20,
                                             .answers_at_once = settings.answers_at_once}),
        sums_(coverage_group("sums", {"even", "odd"})) {
    check_contract(rtl(), "adder", adder_ports);
    check_parameters(rtl(), {{"Width", settings.width}});
    begin(options);
  }
  // `sum` is the model's result.
  unsigned add(Picoseconds now, unsigned a, unsigned b, unsigned sum) {
    return operate(now, {a, b}, {sum}).value;
  }
  unsigned add(Picoseconds now, unsigned a, unsigned b) { return add(now, a, b, a + b); }
  void reset() { restart(); }

 private:
  void ask(const Pair& pair) override {
    rtl().port("in.valid").set(1);
    rtl().port("in.a").set(pair.a);
    rtl().port("in.b").set(pair.b);
  }
  Sum read(const Pair&, const Sum&) const override {
    return {static_cast<unsigned>(rtl().port("out.sum").get())};
  }
  void count(const Pair&, const Sum& sum) override { sums_.hit(sum.value % 2); }
  std::string difference(const Sum& model, const Sum& rtl) const override {
    return unequal({{"top bit", model.value >> 8 == rtl.value >> 8},
                    {"low bits", model.value % 256 == rtl.value % 256}});
  }
  std::string asked_text(const Pair& pair) const override {
    return fmt::format("adds {}, {}", pair.a, pair.b);
  }
  std::string answer_text(const Pair&, const Sum& sum, const Sum* other) const override {
    return other ? fmt::format("{}, other {}", sum.value, other->value) : std::to_string(sum.value);
  }
  std::string past_text(const Pair& pair, const Sum& sum) const override {
    return fmt::format("{} + {} = {}", pair.a, pair.b, sum.value);
  }

  Coverage::Group& sums_;
};

struct RtlOperationsTest : testing::Test {
  std::unique_ptr<RtlAdder> adder;
  std::vector<Lockstep::Mismatch> mismatches;

  void attach_hook(const std::string& variant, const RtlAdder::Settings& settings,
                   const RtlOptions& options = {}) {
    adder = std::make_unique<RtlAdder>(adder_block(variant), settings, options);
    adder->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { mismatches.push_back(mismatch); };
  }
  std::string refusal(const std::string& variant, const RtlAdder::Settings& settings) {
    return thrown<RtlError>([&] { attach_hook(variant, settings); });
  }
};

TEST_F(RtlOperationsTest, OperationsAreAnsweredOneAfterTheOtherAndCounted) {
  for (const char* variant : {"steady", "prompt"}) {
    attach_hook(variant, {});
    for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(adder->add(i / 10 * 50_ns, i, 200), i + 200);
    EXPECT_THAT(adder->summary(),
                ElementsAre("node.adder: lockstep, 100 operations, 0 mismatches", "reached sums 2/2"));
  }
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlOperationsTest, AloneTheRtlAnswers) {
  attach_hook("steady", {.impl = Impl::rtl});
  EXPECT_EQ(adder->add(1_ns, 1, 2, 7), 3u);
  EXPECT_TRUE(mismatches.empty());
  EXPECT_EQ(adder->summary()[0], "node.adder: rtl, 1 operations");
}

TEST_F(RtlOperationsTest, ADifferenceIsReportedOnceAndTheModelTakesOver) {
  attach_hook("no_carry", {});
  adder->add(1_us, 1, 2);
  EXPECT_EQ(adder->add(2_us, 200, 100), 300u);
  EXPECT_EQ(adder->add(3_us, 200, 100, 5), 5u);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 2_us);
  EXPECT_EQ(mismatch.instance, "node.adder");
  EXPECT_EQ(mismatch.what, "top bit");
  EXPECT_EQ(mismatch.asked, "adds 200, 100");
  EXPECT_EQ(mismatch.model, "300, other 44");
  EXPECT_EQ(mismatch.rtl, "44, other 300");
  EXPECT_THAT(mismatch.history, ElementsAre("1.000000 us  1 + 2 = 3", "2.000000 us  200 + 100 = 300"));
  EXPECT_EQ(adder->summary()[0], "node.adder: lockstep, 2 operations, 1 mismatch");
}

TEST_F(RtlOperationsTest, AskedToContinueItCountsDifferencesAndCoversTheOperations) {
  attach_hook("no_carry", {.on_mismatch = OnMismatch::proceed});
  for (unsigned i = 1; i <= 20; ++i)
    EXPECT_EQ(adder->add(i * 1_us, 200, 40 + i), 240 + i) << "the model answers";
  EXPECT_EQ(adder->operations(), 20u);
  EXPECT_EQ(adder->mismatches(), 5u);
  EXPECT_EQ(mismatches.size(), Mismatches::max_kept);
  EXPECT_EQ(adder->summary()[0], "node.adder: lockstep, 20 operations, 5 mismatches");
  EXPECT_EQ(adder->coverage().groups()[0].hits(0), 10u);
}

TEST_F(RtlOperationsTest, RtlThatDoesNotAnswerHasFailed) {
  for (const Impl impl : {Impl::lockstep, Impl::rtl}) {
    mismatches.clear();
    attach_hook("silent", {.impl = impl});
    EXPECT_EQ(adder->add(1_us, 1, 2, 7), 7u);
    ASSERT_EQ(mismatches.size(), 1u);
    EXPECT_EQ(mismatches.front().what, "RTL failed");
    EXPECT_EQ(mismatches.front().rtl, "no answer: valid_o was low for 20 cycles");
    EXPECT_EQ(mismatches.front().model, impl == Impl::rtl ? "" : "7");
  }
}

TEST_F(RtlOperationsTest, AnAnswerInTheCycleOfTheOperationCountsOnlyWhereTheContractHasIt) {
  attach_hook("prompt", {.answers_at_once = false});
  adder->add(1_us, 1, 2);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_THAT(mismatches.front().rtl, HasSubstr("no answer"));
}

TEST_F(RtlOperationsTest, SkippedCyclesChangeNothingAndIdlenessIsTrue) {
  for (const RtlOptions& options : {RtlOptions{.check_idle = true}, RtlOptions{.skip = false}}) {
    attach_hook("steady", {}, options);
    for (unsigned i = 0; i < 20; ++i) adder->add(i * 100_ns, i, i);
    adder->finish(3_us);
  }
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlOperationsTest, AResetRestartsAndTheEndIsChecked) {
  attach_hook("gives_up", {});
  adder->finish(90_ns);
  adder->reset();
  adder->finish(180_ns);
  EXPECT_TRUE(mismatches.empty());
  adder->finish(195_ns);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().at, 195_ns);
  EXPECT_EQ(mismatches.front().model, "goes on");
  EXPECT_EQ(mismatches.front().rtl, "test_adder.sv:7: it gives up");
  adder->reset();
  adder->finish(1_us);
  EXPECT_EQ(mismatches.size(), 1u);
}

TEST_F(RtlOperationsTest, RefusesWhatIsNotOfTheContract) {
  EXPECT_THAT(refusal("wide", {}), HasSubstr("has 16 bits of out.sum, expected 9"));
  EXPECT_THAT(refusal("steady", {.width = 7}), HasSubstr("was built with Width=8, the model has 7"));
  EXPECT_EQ(refusal("clockless", {}), "node.adder: test_adder has no clock, there is nothing to step");
  const RtlInstance instance(adder_block("steady"), "node.adder");
  EXPECT_THAT(thrown<RtlError>([&] { check_contract(instance, "codec", adder_ports); }),
              HasSubstr("is a block of the contract adder, expected codec"));
}

}  // namespace
}  // namespace asterism
