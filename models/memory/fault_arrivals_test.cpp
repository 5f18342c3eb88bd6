#include "memory/fault_arrivals.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace asterism {
namespace {

constexpr DramGeometry geometry{.channels = 2, .ranks = 2, .banks = 8, .rows = 16, .columns = 128};
constexpr std::uint32_t rows = 32;

struct Recorder final : FaultArrivals::Sink {
  std::vector<std::pair<Picoseconds, MemoryFault>> faults;
  void arrived(Picoseconds at, const MemoryFault& fault) override { faults.emplace_back(at, fault); }
};

EccConfig rate(std::uint64_t fit, std::uint64_t acceleration) {
  EccConfig config;
  config.fit_per_device = fit;
  config.fit_acceleration = acceleration;
  return config;
}

// With this acceleration, 72 devices of 66 FIT have one fault in 0.758 ms.
const EccConfig frequent = rate(66, 1'000'000'000'000);

std::vector<std::pair<Picoseconds, MemoryFault>> arrivals(FaultArrivals& engine, Picoseconds until) {
  Recorder recorder;
  engine.advance_to(until, recorder);
  return recorder.faults;
}

TEST(FaultArrivals, NoneComeWithoutARate) {
  FaultArrivals engine(rate(0, 1'000'000), geometry, rows, 1);
  EXPECT_EQ(engine.next_event(), std::nullopt);
}

TEST(FaultArrivals, ComeAtTheRateOfAllDevicesTogether) {
  FaultArrivals engine(frequent, geometry, rows, 1);
  // In 10 s, 13200 arrive on average; the standard deviation is 115.
  EXPECT_NEAR(arrivals(engine, 10_s).size(), 13200, 5 * 115);
}

TEST(FaultArrivals, RareOnesKeepTheirRate) {
  // With an acceleration of 10^7, 72 devices of 1 FIT have one fault in 5000 s.
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto next = FaultArrivals(rate(1, 10'000'000), geometry, rows, seed).next_event();
    ASSERT_TRUE(next);
    sum += static_cast<double>(next->count()) * 1e-12;
  }
  EXPECT_NEAR(sum / 1000, 5000, 5 * 5000 / 31.6);
}

TEST(FaultArrivals, OfTheRealRateNeverComeInTheTimeThereIs) {
  FaultArrivals engine(rate(66, 1), {.channels = 1, .ranks = 1, .banks = 8, .rows = 16, .columns = 128}, rows,
                       1);
  EXPECT_EQ(engine.next_event(), std::nullopt);
}

TEST(FaultArrivals, AreReportedInTheirInstantAndNotAPicosecondBefore) {
  FaultArrivals engine(frequent, geometry, rows, 1);
  const Picoseconds first = *engine.next_event();
  EXPECT_TRUE(arrivals(engine, first - 1_ps).empty());
  const auto reported = arrivals(engine, first);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].first, first);
  EXPECT_GT(*engine.next_event(), first);
}

TEST(FaultArrivals, TheSameSeedBringsTheSameFaults) {
  FaultArrivals a(frequent, geometry, rows, 1), b(frequent, geometry, rows, 1),
      c(frequent, geometry, rows, 2);
  const auto of_a = arrivals(a, 100_ms);
  Recorder of_b;
  for (Picoseconds now; now <= 100_ms; now += 1_ms) b.advance_to(now, of_b);
  ASSERT_EQ(of_a.size(), of_b.faults.size());
  ASSERT_GT(of_a.size(), 100u);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    EXPECT_EQ(of_a[i].first, of_b.faults[i].first);
    EXPECT_EQ(of_a[i].second.kind, of_b.faults[i].second.kind);
    EXPECT_EQ(of_a[i].second.at, of_b.faults[i].second.at);
    EXPECT_EQ(of_a[i].second.chip, of_b.faults[i].second.chip);
  }
  EXPECT_NE(arrivals(c, 100_ms).front().first, of_a.front().first);
}

TEST(FaultArrivals, KindsComeByTheirSharesAndPlacesAreThoseOfThePart) {
  FaultArrivals engine(frequent, geometry, rows, 1);
  std::map<std::string, unsigned> seen;
  bool in_unused_rows = false;
  const auto all = arrivals(engine, 10_s);
  for (const auto& [at, fault] : all) {
    ++seen[std::string(to_text(fault.kind)) + " " + std::string(to_text(fault.persistence))];
    EXPECT_EQ(fault_problem(fault, geometry, rows), "");
    in_unused_rows |= fault.at.row >= geometry.rows;
  }
  EXPECT_TRUE(in_unused_rows);
  const double n = static_cast<double>(all.size());
  EXPECT_NEAR(seen["bit transient"] / n, 14.2 / 66.1, 0.02);
  EXPECT_NEAR(seen["bit stuck"] / n, 18.6 / 66.1, 0.02);
  EXPECT_NEAR(seen["row stuck"] / n, 8.2 / 66.1, 0.02);
  EXPECT_NEAR(seen["chip stuck"] / n, 11.4 / 66.1, 0.02);
  EXPECT_NEAR(seen["pin stuck"] / n, 2.8 / 66.1, 0.01);
  EXPECT_EQ(seen.size(), 12u);
}

TEST(FaultArrivals, OnlyAColdResetBeginsAgain) {
  FaultArrivals engine(frequent, geometry, rows, 1);
  const auto first = engine.next_event();
  arrivals(engine, 10_ms);
  const auto later = engine.next_event();
  engine.reset(Reset::warm);
  engine.reset(Reset::power_loss);
  EXPECT_EQ(engine.next_event(), later);
  engine.reset(Reset::cold);
  EXPECT_EQ(engine.next_event(), first);
}

}  // namespace
}  // namespace asterism
