#include "memory/error_log.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

MemoryError error_at(std::uint64_t offset, bool corrected) {
  MemoryError error;
  error.offset = Bytes(offset);
  error.corrected = corrected;
  return error;
}

TEST(ErrorLog, GivesTheOldestFirst) {
  ErrorLog log;
  EXPECT_EQ(log.oldest(), nullptr);
  log.add(error_at(64, true));
  log.add(error_at(128, false));
  EXPECT_EQ(log.oldest()->offset, 64_B);
  log.drop_oldest();
  EXPECT_EQ(log.oldest()->offset, 128_B);
  log.drop_oldest();
  log.drop_oldest();
  EXPECT_EQ(log.oldest(), nullptr);
  EXPECT_EQ(log.corrected(), 1u);
  EXPECT_EQ(log.uncorrectable(), 1u);
}

TEST(ErrorLog, AFullOneKeepsTheOldestAndCountsTheRest) {
  ErrorLog log;
  for (std::uint64_t i = 0; i < 20; ++i) log.add(error_at(64 * i, true));
  EXPECT_EQ(log.corrected(), 20u);
  EXPECT_EQ(log.lost(), 4u);
  std::uint64_t entries = 0;
  for (; log.oldest(); log.drop_oldest()) EXPECT_EQ(log.oldest()->offset, Bytes(64 * entries++));
  EXPECT_EQ(entries, 16u);
}

TEST(ErrorLog, CountsTheSameOutcomeAtTheSameBlockInOneEntry) {
  ErrorLog log;
  EXPECT_TRUE(log.add(error_at(64, true)));
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(log.add(error_at(64, true)));
  EXPECT_TRUE(log.add(error_at(64, false)));
  EXPECT_EQ(log.corrected(), 21u);
  EXPECT_EQ(log.lost(), 0u);
  EXPECT_EQ(log.oldest()->count, 21u);
  log.drop_oldest();
  EXPECT_FALSE(log.oldest()->corrected);
  EXPECT_EQ(log.oldest()->count, 1u);
  EXPECT_TRUE(log.add(error_at(64, true))) << "its previous entry was read and dropped";
}

TEST(ErrorLog, AnUncorrectableErrorThatFindsItFullTakesThePlaceOfTheNewestCorrectedOne) {
  ErrorLog log;
  for (std::uint64_t i = 0; i < 15; ++i) log.add(error_at(64 * i, true));
  for (const bool corrected : {false, true}) log.add(error_at(960, corrected));
  for (int i = 0; i < 3; ++i) log.add(error_at(896, true));
  EXPECT_EQ(log.lost(), 1u);
  EXPECT_TRUE(log.add(error_at(0, false)));
  EXPECT_EQ(log.lost(), 1u + 4u);
  for (std::uint64_t i = 0; i < 14; ++i, log.drop_oldest()) EXPECT_EQ(log.oldest()->offset, Bytes(64 * i));
  for (const Bytes offset : {960_B, 0_B}) {
    EXPECT_FALSE(log.oldest()->corrected);
    EXPECT_EQ(log.oldest()->offset, offset);
    log.drop_oldest();
  }
  EXPECT_EQ(log.oldest(), nullptr);
}

TEST(ErrorLog, OneFullOfUncorrectableErrorsKeepsThem) {
  ErrorLog log;
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(log.add(error_at(64 * i, false)), i < 16);
  EXPECT_EQ(log.oldest()->offset, 0_B);
  EXPECT_EQ(log.lost(), 4u);
}

TEST(ErrorLog, KeepsEverythingThroughAWarmResetAndNothingThroughAPowerLoss) {
  ErrorLog log;
  for (std::uint64_t i = 0; i < 17; ++i) log.add(error_at(64 * i, false));
  log.reset(Reset::warm);
  EXPECT_NE(log.oldest(), nullptr);
  EXPECT_EQ(log.lost(), 1u);
  log.reset(Reset::power_loss);
  EXPECT_EQ(log.oldest(), nullptr);
  EXPECT_EQ(log.uncorrectable() + log.lost(), 0u);
}

}  // namespace
}  // namespace asterism
