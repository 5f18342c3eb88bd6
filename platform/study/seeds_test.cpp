#include "platform/study/seeds.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

struct Diced {
  std::uint32_t faces = 6;
  bool is_random = true;
  std::uint64_t seed = 1;
  std::uint32_t throws = 1;
};
void describe(Fields& f, Diced& c) {
  f("faces", c.faces, "How many", within(1, 100));
  f("is_random", c.is_random, "Whether it is thrown");
  f.when("is_random", c.is_random, true, [&] { f("seed", c.seed, "The seed"); });
  f("throws", c.throws, "How often", within(1, 100));
}

// Its value is the seed times the faces, so that means can be computed by hand.
class DicedPoint final : public StudyPointOf<Diced> {
 public:
  std::vector<Cell> run(const std::stop_token&) override {
    const double value = static_cast<double>(config_.seed * config_.faces);
    const bool is_large = config_.faces > 50 && config_.seed > 2;
    return {config_.faces == 1 ? Cell(1.0) : Cell(value), config_.seed,
            std::string(is_large ? "large" : "ok"), is_large ? Cell() : Cell(config_.seed)};
  }
};

StudyKind kind_of_dice(std::string_view seeds_of_point) {
  return {
      .name = "dice",
      .meaning = "Dice",
      .coordinates = {"faces"},
      .columns = {{"value", "value", "", "What it shows", 1},
                  {.name = "seen", .heading = "seen", .unit = "", .meaning = "The seed", .is_label = true},
                  {"state", "state", "", "How it went"},
                  {"small", "", "", "The seed of a small one"}},
      .x = "faces",
      .y = "value",
      .x_key = "faces",
      .state = "state",
      .bars = {"value"},
      .seeds_of_point = seeds_of_point,
      .make = make_study_point<DicedPoint>};
}
const StudyKind dice_kind = kind_of_dice("");
const StudyUnderTest dice(dice_kind, R"({"kind": "dice"})");

PointRun run_dice(const Study& study, unsigned threads = 2) { return run_all(study, threads); }

// The seeds are 1, 2 and 3: the deviation of 6, 12 and 18 is 6, and Student's t of two degrees of freedom
// 4.3027.
TEST(SeedsTest, AValueIsTheMeanOfItsSeedsWithItsInterval) {
  const Study s = dice.read({"faces=6", "seeds=3"});
  const PointRun run = run_dice(s);
  EXPECT_EQ(std::get<double>(run.rows[0]->at(0)), 12);
  const double half = 4.302653 * 6 / std::sqrt(3);
  EXPECT_NEAR(half_width_of(run, 0, 0).value(), half, 1e-5);
  const auto interval = interval_named(s, run, "value", 0);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->first, 12 - half, 1e-5);
  EXPECT_NEAR(interval->second, 12 + half, 1e-5);
  EXPECT_EQ(to_table(s, run),
            "faces=6 seeds=3\n"
            "each value is the mean of 3 seeds, +- half of its 95% interval (Student's t)\n"
            "      value  seen     state\n"
            "12.0 +-14.9  1, 2, 3  ok\n");
}

TEST(SeedsTest, NothingDependsOnThreads) {
  const Study one = dice.read({"faces=2,6,60", "seeds=5"}), other = dice.read({"faces=2,6,60", "seeds=5"});
  EXPECT_EQ(to_json(one, run_dice(one, 1)), to_json(other, run_dice(other, 4)));
}

TEST(SeedsTest, TablesHaveTheIntervalBehindEachNumber) {
  const Study s = dice.read({"faces=1,60", "seeds=3"});
  const PointRun run = run_dice(s);
  EXPECT_EQ(to_csv(s, run),
            "faces,seeds,value,value_ci95,seen,state,small,small_ci95\n"
            "1,3,1,0,\"1, 2, 3\",ok,2,2.48413771175033\n"
            "60,3,120,149.04826270501982,\"1, 2, 3\",\"2 ok, 1 large\",,\n");
  const auto json = nlohmann::json::parse(to_json(s, run));
  EXPECT_EQ(json["config"]["seeds"], 3);
  EXPECT_EQ(json["points"][1]["value"], 120);
  EXPECT_EQ(
      json["points"][1]["by_seed"][2],
      nlohmann::json::parse(R"({"seed": 3, "value": 180, "seen": 3, "state": "large", "small": null})"));
  EXPECT_EQ(json["columns"]["value_ci95"]["meaning"],
            "Half of the 95% confidence interval of the mean over the seeds");
}

TEST(SeedsTest, AFigureHasErrorBarsAndDoubtWhereOneSeedIsDoubtful) {
  const Study s = dice.read({"faces=6,12,60", "seeds=3"});
  const std::vector<Panel> panels = panels_of(s, run_dice(s));
  ASSERT_EQ(panels.size(), 1u);
  const auto& points = panels[0].series.at(0).points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[0].high - points[0].low, 2 * 14.9048, 1e-3);
  EXPECT_EQ(points[1].doubt, "");
  EXPECT_EQ(points[2].doubt, "2 ok, 1 large");
}

TEST(SeedsTest, AStudyWithSeedsReadsBackAsTheSame) {
  const Study s = dice.read({"faces=2,6", "seeds=4", "seed=7"});
  const Study again = dice.read({}, s.expanded);
  EXPECT_EQ(again.expanded, s.expanded);
  EXPECT_EQ(to_csv(s, run_dice(s)), to_csv(again, run_dice(again)));
  EXPECT_EQ(s.points[0].further.back().seed, 10u);
}

TEST(SeedsTest, PointsThatUseSeveralSeedsShareNone) {
  const StudyKind several = kind_of_dice("throws");
  const StudyUnderTest thrown(several, R"({"kind": "dice"})");
  const Study s = thrown.read({"throws=10", "seeds=3"});
  EXPECT_EQ(s.points[0].further.at(0).seed, 11u);
  EXPECT_EQ(s.points[0].further.at(1).seed, 21u);
}

TEST(SeedsTest, APointWithoutSeedRunsOnce) {
  const Study s = dice.read({"is_random=false,true", "seeds=3"});
  EXPECT_EQ(s.points.at(0).further.size(), 0u);
  EXPECT_EQ(s.points.at(1).further.size(), 2u);
  EXPECT_EQ(run_dice(s).done(), 2u);
}

TEST(SeedsTest, APointThatLacksASeedHasNoRowAndNamesTheSeedThatCrashed) {
  const Study s = dice.read({"faces=6,12", "seeds=2", "seed=4"});
  PointRun all(4);
  for (const std::size_t i : {0, 2, 3}) all.rows[i] = {Cell(1.0), Cell(std::uint64_t{1}), Cell(), Cell()};
  all.crashes[1] = "killed by SIGSEGV";
  const PointRun run = mean_over_seeds(s, std::move(all));
  EXPECT_FALSE(run.rows[0]);
  EXPECT_EQ(run.crashes[0], "with seed 5: killed by SIGSEGV");
  EXPECT_TRUE(run.rows[1]);
  EXPECT_EQ(run.done(), 1u);
}

TEST(SeedsTest, ATableSaysThatNothingDependsOnTheSeed) {
  const StudyUnderTest constant(dice_kind, R"({"kind": "dice"})");
  Study s = constant.read({"seeds=2"});
  PointRun run(1);
  run.seed_rows = {{{Cell(1.0)}, {Cell(1.0)}}};
  EXPECT_EQ(about_seeds(s, run), "no result depends on the seed: all 2 are equal");
  EXPECT_EQ(about_seeds(s, PointRun(s.points.size())), "") << "no point has a result";
}

TEST(SeedsTest, MistakesAreReportedWhereTheyAreWritten) {
  EXPECT_EQ(dice.mistake({"seeds=0"}),
            "command line: error: seeds: expected an integer from 1 to 10000, got 0");
  EXPECT_EQ(dice.mistake({}, "{\"kind\": \"dice\",\n \"seeds\": \"many\"}"),
            "s.json:2:11: error: seeds: expected an integer from 1 to 10000, got \"many\"");
  EXPECT_EQ(dice.mistake({"seed=1,2", "seeds=3"}),
            "command line: error: seeds: the key seed takes several values already; give one of the two");
  EXPECT_EQ(
      dice.mistake({"is_random=false", "seeds=3"}),
      "command line: error: seeds: nothing in this study of kind \"dice\" is random: its results do not "
      "depend on a seed");
  EXPECT_EQ(dice.mistake({"faces=1:100:1", "seeds=101"}),
            "command line: error: faces: the study has more than 10000 points with this sweep");
}

}  // namespace
}  // namespace asterism
