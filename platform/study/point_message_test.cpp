#include "platform/study/point_message.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/thrown.h"

namespace asterism {
namespace {

PointOutcome sent(const PointOutcome& outcome) {
  return std::get<PointOutcome>(read_point_message(to_bytes(outcome)));
}

TEST(PointMessageTest, CellsArriveToTheBit) {
  const std::vector<Cell> cells{std::monostate(),
                                std::uint64_t{0},
                                std::numeric_limits<std::uint64_t>::max(),
                                0.1,
                                -0.0,
                                5.0,
                                std::numeric_limits<double>::infinity(),
                                std::string("\"\n\xff"),
                                std::string()};
  EXPECT_EQ(sent({.index = 7, .row = cells}).row, cells);
  EXPECT_TRUE(std::signbit(std::get<double>(sent({.index = 0, .row = cells}).row->at(4))));
  for (const double nan : {std::nan(""), -std::nan("")}) {
    const Cell cell = sent({.index = 0, .row = {{nan}}}).row->at(0);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::get<double>(cell)), std::bit_cast<std::uint64_t>(nan));
  }
}

TEST(PointMessageTest, AnOutcomeArrivesWhole) {
  const PointOutcome all = sent({.index = 9, .row = {{}}, .partial = true, .detail = "{}", .crash = "c"});
  EXPECT_EQ(all.index, 9u);
  EXPECT_TRUE(all.row && all.row->empty());
  EXPECT_TRUE(all.partial);
  EXPECT_EQ(all.detail, "{}");
  EXPECT_EQ(all.crash, "c");
  EXPECT_FALSE(all.error);
  EXPECT_FALSE(sent({.index = 9}).row);
}

template <class Error>
std::string error_after(const Error& error) {
  const PointOutcome outcome = sent({.index = 0, .error = std::make_exception_ptr(error)});
  return thrown<Error>([&] { std::rethrow_exception(outcome.error); });
}

TEST(PointMessageTest, ErrorsArriveAsWhatTheyAre) {
  EXPECT_EQ(error_after(StudyMistake("a", "wrong")), "wrong");
  EXPECT_EQ(error_after(StudyFileMissing("a", "gone")), "gone");
  EXPECT_EQ(error_after(StudyFailure("found")), "found");
  EXPECT_EQ(error_after(std::runtime_error("other")), "other");
  try {
    std::rethrow_exception(
        sent({.index = 0, .error = std::make_exception_ptr(StudyMistake("a", "", {"b", "c"}))}).error);
  } catch (const StudyMistake& mistake) {
    EXPECT_EQ(mistake.keys(), (std::vector<std::string>{"a", "b", "c"}));
  }
}

TEST(PointMessageTest, TasksAndProgressArriveWhole) {
  const auto task = std::get<PointTask>(read_point_message(to_bytes(PointTask{3, "k", "{}", true})));
  EXPECT_EQ(task.index, 3u);
  EXPECT_EQ(task.kind, "k");
  EXPECT_EQ(task.config, "{}");
  EXPECT_TRUE(task.keeps_a_part);
  const auto progress = std::get<PointProgress>(read_point_message(to_bytes(PointProgress{3, 0.25, "w"})));
  EXPECT_EQ(progress.index, 3u);
  EXPECT_EQ(progress.share, 0.25);
  EXPECT_EQ(progress.words, "w");
  EXPECT_EQ(std::get<StartPoints>(read_point_message(to_bytes(StartPoints{4}))).workers, 4u);
}

TEST(PointMessageTest, OrdersArriveAsThemselves) {
  const auto arrives = [](const auto& order) {
    return std::holds_alternative<std::decay_t<decltype(order)>>(read_point_message(to_bytes(order)));
  };
  EXPECT_TRUE(arrives(StopPoints{}));
  EXPECT_TRUE(arrives(EndPoints{}));
  EXPECT_TRUE(arrives(DismissRank{}));
  EXPECT_TRUE(arrives(SignalReceived{}));
}

}  // namespace
}  // namespace asterism
