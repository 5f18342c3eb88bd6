#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest training(R"({"kind": "training_goodput", "runs": 0})");

// 419 interruptions in 54 days of 16,384 GPUs.
TEST(TrainingGoodputStudyTest, HasTheRatesOfTheFile) {
  const Row row = training.run({});
  EXPECT_NEAR(row.number("mtti_h"), 54. * 24 / 419, 1e-9);
  EXPECT_NEAR(row.number("hbm_percent"), 100 * 72. / 419, 1e-9);
  EXPECT_NEAR(training.run({"gpus=32768"}).number("mtti_h"), 54. * 12 / 419, 1e-9);
  EXPECT_NEAR(training.run({"factor=2"}).number("mtti_h"), 54. * 12 / 419, 1e-9);
}

TEST(TrainingGoodputStudyTest, SweptTimesAreWrittenAsTheyWereGiven) {
  const Study study = training.read({"detection=1min,900s,20min"});
  const auto key = std::ranges::find(study.keys, "detection");
  ASSERT_NE(key, study.keys.end());
  std::vector<std::string> shown;
  for (const Study::Point& point : study.points)
    shown.push_back(to_text(point.coordinates.at(static_cast<std::size_t>(key - study.keys.begin()))));
  EXPECT_EQ(shown, (std::vector<std::string>{"1min", "900s", "20min"}));
}

TEST(TrainingGoodputStudyTest, AStrongerCodeLeavesFewerFailures) {
  const Row row = training.run({"hbm_fit=0"});
  EXPECT_EQ(row.number("hbm_hours"), 0);
  EXPECT_NEAR(row.number("mtti_h"), 54. * 24 / (419 - 72), 1e-9);
  EXPECT_GT(row.number("goodput_percent"), training.run({}).number("goodput_percent"));
}

// What `study hbm_faults` has for the same code: faults of rows and what is larger, of 40 dies. Without a
// code every fault is silent.
TEST(TrainingGoodputStudyTest, TheCodeOfHbmDecidesWhatItsFaultsDo) {
  const auto with = [](std::vector<std::string> keys) { return training.run(keys); };
  const Row symbol = with({"code=symbol"}), none = with({"code=none"}), field = with({});
  EXPECT_NEAR(symbol.number("hbm_stops_fit") + symbol.number("hbm_silent_fit"), 40 * 24.6, 1e-6);
  EXPECT_NEAR(none.number("hbm_silent_fit"), 40 * 66.1, 1e-6);
  EXPECT_EQ(none.number("hbm_stops_fit"), 0);
  EXPECT_NEAR(field.number("hbm_stops_fit"), 72 / 21'233'664. * 1e9, 1e-6);
  EXPECT_GT(symbol.number("goodput_percent"), none.number("goodput_percent") + 1);
  const Row one_die = with({"code=reach"}), nine = with({"code=reach", "hbm.span_dies=9"});
  EXPECT_NEAR(one_die.number("hbm_stops_fit"), 40 * 24.6, 1e-6);
  EXPECT_EQ(nine.number("hbm_stops_fit"), 0);
  EXPECT_NEAR(nine.number("hbm_stops_high_fit"), 40 * 66.1 * 0.0038, 0.5);
  EXPECT_TRUE(field.is_empty("hbm_stops_high_fit"));
  EXPECT_NEAR(nine.number("mtti_h"), 54. * 24 / (419 - 72), 1e-9);
  EXPECT_EQ(with({"code=symbol", "hbm.span_dies=9"}).text("buy"), "detection");
}

// The field's failures are those that its own code leaves.
TEST(TrainingGoodputStudyTest, ACodeIsComparedWithThatOfTheFleet) {
  const auto fit = [](const char* code) {
    return training.run({code, "hbm.fleet_code=symbol"}).number("hbm_stops_fit");
  };
  EXPECT_NEAR(fit("code=symbol"), 72 / 21'233'664. * 1e9, 1e-6);
  EXPECT_GT(fit("code=secded"), 0);
  EXPECT_EQ(
      training.mistake({"code=secded", "hbm.fleet_code=none"}),
      "command line: error: hbm.fleet_code: expected a code with uncorrectable errors, which were counted, "
      "got none");
}

TEST(TrainingGoodputStudyTest, WhatACodeTransfersLengthensIterations) {
  const std::vector<std::string> reach = {"code=reach", "hbm.span_dies=9", "runs=2", "work=300d"};
  std::vector<std::string> bound = reach;
  bound.emplace_back("hbm.bound=0.5");
  const Row free = training.run(reach), slow = training.run(bound);
  EXPECT_EQ(free.number("code_hours"), 0);
  EXPECT_NEAR(slow.number("code_transferred_percent"), 26.5625, 1e-9);  // 81 transfers of 64
  EXPECT_NEAR(slow.number("goodput_percent"), free.number("goodput_percent") / 1.1328, 0.1);
  EXPECT_NEAR(slow.number("simulated_percent"), slow.number("goodput_percent"), 1);
  EXPECT_NEAR(slow.number("lost_hours") + slow.number("stall_hours") + slow.number("wait_hours") +
                  slow.number("code_hours") + 7.2 * slow.number("goodput_percent"),
              720, 1e-6);
  EXPECT_EQ(training.run({"code=symbol", "hbm.span_dies=9", "hbm.bound=0.5"}).number("code_gains"), 0);
}

// What it transfers does not make an interval too short that is long enough for the iteration that is given.
TEST(TrainingGoodputStudyTest, AnIntervalThatIsGivenGoesWithAnyCode) {
  const std::vector<std::string> keys = {"hbm.fleet_code=symbol", "hbm.span_dies=9", "hbm.bound=0.02",
                                         "file_system=50GB/s", "memory_interval=10s"};
  const auto with = [&](const char* code) {
    std::vector<std::string> all = keys;
    all.emplace_back(code);
    return training.run(all);
  };
  const Row symbol = with("code=symbol"), reach = with("code=reach");
  EXPECT_GT(symbol.number("code_gains"), 5);
  EXPECT_NEAR(symbol.number("code_gains"),
              7.2 * (reach.number("goodput_percent") - symbol.number("goodput_percent")), 1e-9);
  EXPECT_NEAR(reach.number("memory_interval_s"), 10 * (1 + 0.02 * 0.265625), 1e-9);
  EXPECT_EQ(training.mistake({"memory_interval=9s", "code=reach", "hbm.bound=0.02"}),
            "command line: error: memory_interval: expected at least the 10s of an iteration, got 9s");
}

// Of a fleet of which only errors of HBM were counted, a code that corrects all leaves nothing that fails.
TEST(TrainingGoodputStudyTest, ACodeAfterWhichNothingFailsIsNotOffered) {
  const std::vector<std::string> keys = {"failures=a100_delta_memory", "hbm.span_dies=9"};
  EXPECT_NE(training.run({keys[0], keys[1], "code=symbol"}).text("buy"), "reach on 9 dies");
  EXPECT_EQ(training.mistake({keys[0], keys[1], "code=reach"}),
            "command line: error: code: expected failures of something beside HBM, since this code leaves "
            "none of it");
}

// The same iterations, so that a run on new nodes takes longer by the share by which they do.
TEST(TrainingGoodputStudyTest, WorkIsTheSameTrainingWithAnyCode) {
  const auto failures = [](const char* bound) {
    return training.run({"failures=field_mix", "new_machine=true", "work=1d", "code=reach", "hbm.span_dies=9",
                         "detection=0s", "restart=0s", bound});
  };
  // Failures become rarer with time: a longer run has fewer of them a day.
  EXPECT_LT(1 / failures("hbm.bound=1").number("mtti_h"), 0.98 / failures("hbm.bound=0").number("mtti_h"));
}

TEST(TrainingGoodputStudyTest, DiesAreOfNoUseBesideTheCountOfAFleet) {
  EXPECT_NE(training.mistake({"code=symbol", "hbm.fleet_code=symbol", "hbm.dies=80"}).find("is absent if"),
            std::string::npos);
  EXPECT_NEAR(training.run({"code=none", "hbm.dies=80"}).number("hbm_silent_fit"), 80 * 66.1, 1e-6);
}

TEST(TrainingGoodputStudyTest, AGpuHasNoSpanOnMoreDiesThanItHas) {
  const std::string nine = "hbm.span_dies=9", eight = "hbm.dies=8";
  EXPECT_EQ(training.mistake({"code=reach", eight, nine})
                .find("command line: error: hbm.span_dies: expected a value that is at most `dies`"),
            0u);
  EXPECT_EQ(training.mistake({"code=reach", eight, "hbm.span_dies=8"}), "none");
  EXPECT_EQ(training.mistake({"code=reach", "hbm.fleet_code=symbol", "hbm.span_dies=72"}), "none");
  EXPECT_NE(training.mistake({"code=reach", eight, "purchases.a.price=1", "purchases.a.span_dies=9"})
                .find("expected at most the 8 dies of a GPU (hbm.dies), got 9"),
            std::string::npos);
}

// Five swept keys leave no room for all columns: the advice is shown, and what is ok everywhere is not.
TEST(TrainingGoodputStudyTest, TheTableOfAWideSweepHasTheAdviceAndTheBestPoints) {
  const Study study = training.read({"gpus=4096,16384", "code=none,symbol", "protocol=file_system,replicas",
                                     "interval=5min,1h", "spares=16,32", "file_system=50GB/s", "work=30d"});
  const PointRun run = run_all(study, 1);
  const std::string table = to_table(study, run);
  const std::string shown = table.substr(0, table.find("columns that do not fit"));
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(shown.find("goodput  buy"), std::string::npos) << table;
  EXPECT_NE(shown.find("gains"), std::string::npos) << table;
  EXPECT_EQ(shown.find("state"), std::string::npos) << table;
  const std::string best = "best of 16 with gpus=16384: protocol=replicas code=symbol";
  EXPECT_EQ(occurrences(table, best), 1) << table;
  EXPECT_EQ(occurrences(table, "best of 16 with gpus=4096: "), 1) << table;
  const nlohmann::json json = nlohmann::json::parse(to_json(study, run));
  ASSERT_EQ(json.at("best").size(), 2u);
  double most = 0;
  for (const auto& point : json.at("points"))
    if (point.at("gpus") == 16'384) most = std::max(most, point.at("goodput_percent").get<double>());
  EXPECT_EQ(json.at("best").at(1).at("gpus"), 16'384);
  EXPECT_EQ(json.at("best").at(1).at("goodput_percent"), most);
}

TEST(TrainingGoodputStudyTest, ASweepOfSizesAloneHasNoBestPoints) {
  const Study study = training.read({"gpus=1024,4096"});
  EXPECT_EQ(to_table(study, run_all(study, 1)).find("best of"), std::string::npos);
}

TEST(TrainingGoodputStudyTest, TheBestPointsOfManySizesAreNotAllBelowTheTable) {
  const Study study = training.read({"gpus=1024:12288:1024", "code=none,symbol"});
  PointRun run = run_all(study, 1);
  std::string table = to_table(study, run);
  EXPECT_EQ(occurrences(table, "best of 2 with gpus="), 10) << table;
  EXPECT_EQ(occurrences(table, "... the best of 2 more values of gpus; "), 1) << table;
  run.rows[0].reset();
  table = to_table(study, run);
  EXPECT_EQ(occurrences(table, "best of 1 with"), 0) << table;
  EXPECT_EQ(occurrences(table, "... the best of 1 more value of gpus; "), 1) << table;
}

// Following the answer gains what it says.
TEST(TrainingGoodputStudyTest, OffersTheBestOtherCode) {
  const std::vector<std::string> keys = {"detection=0s", "restart=0s", "hbm.span_dies=9"};
  const auto with = [&](const char* code) {
    std::vector<std::string> all = keys;
    all.emplace_back(code);
    return training.run(all);
  };
  const Row none = with("code=none");
  EXPECT_EQ(none.text("buy"), "reach on 9 dies");
  EXPECT_NEAR(none.number("buy_hours"),
              7.2 * (with("code=reach").number("goodput_percent") - none.number("goodput_percent")), 1e-9);
  EXPECT_EQ(with("code=reach").number("code_gains"), 0);
}

const StudyUnderTest purchases(R"({"kind": "training_goodput", "runs": 0, "spares": 16, "repair": "3d",
  "code": "symbol", "hbm": {"span_dies": 9},
  "purchases": {"spares": {"spares": 32, "price": 4}, "both": {"spares": 32, "code": "reach", "price": 5},
                "nothing": {"spares": 16, "price": 0}}})");

TEST(TrainingGoodputStudyTest, APurchaseChangesSeveralKeysAtOnce) {
  const Row before = purchases.run({}), both = purchases.run({"purchase=both"});
  const double gained = 7.2 * (purchases.run({"spares=32", "code=reach"}).number("goodput_percent") -
                               before.number("goodput_percent"));
  EXPECT_NEAR(both.number("purchase_gains"), gained, 1e-9);
  EXPECT_NEAR(both.number("gains_per_price"), gained / 5, 1e-9);
  EXPECT_EQ(both.number("price"), 5);
  EXPECT_TRUE(before.is_empty("purchase_gains"));
  EXPECT_TRUE(purchases.run({"purchase=nothing"}).is_empty("gains_per_price"));
  EXPECT_EQ(purchases.run({"purchase=nothing"}).number("purchase_gains"), 0);
}

TEST(TrainingGoodputStudyTest, APurchaseMayBeAMediumOfCopies) {
  const auto interval = [](const char* bought) {
    return training
        .run({"copies_on=1GB/s", "gpus=16", bought, "purchases.expander.medium.type=cxl",
              "purchases.expander.price=1"})
        .number("memory_interval_s");
  };
  EXPECT_GT(interval("purchase=none"), 10 * interval("purchase=expander"));
  EXPECT_NEAR(interval("purchase=expander"),
              training.run({"gpus=16", "medium.type=cxl"}).number("memory_interval_s"), 1e-9);
}

TEST(TrainingGoodputStudyTest, ThePriceDecidesWhichPurchaseIsBest) {
  EXPECT_EQ(purchases.run({}).text("best_purchase"), "spares");
  EXPECT_EQ(purchases.run({"purchases.both.price=4"}).text("best_purchase"), "both");
  EXPECT_TRUE(training.run({}).is_empty("best_purchase"));
  EXPECT_EQ(purchases.run({"purchases.both.price=0"}).text("best_purchase"), "both");
}

TEST(TrainingGoodputStudyTest, RefusesPurchasesThatCannotBeMade) {
  EXPECT_EQ(purchases.mistake({"purchase=nodes"}),
            "command line: error: purchase: expected one of the purchases (none, both, nothing, spares), got "
            "\"nodes\"");
  EXPECT_NE(purchases.mistake({"purchases.spares.protocol=sharded", "purchases.spares.group=3"})
                .find("expected a multiple of the 3 nodes of a group"),
            std::string::npos);
  // A mistake of the machine is not that of a purchase which would mend it.
  EXPECT_EQ(
      purchases.mistake(
          {"gpus=16384", "protocol=sharded", "group=3", "purchases.both.group=2", "purchase=both"}),
      "command line: error: gpus: expected a multiple of the 3 nodes of a group, got 2048 nodes of 8 GPUs");
  EXPECT_NE(purchases.mistake({"purchases.both.code=field"}).find("names a code"), std::string::npos);
  EXPECT_EQ(
      purchases.mistake({"purchases.none.spares=1", "purchases.none.price=1"}),
      "command line: error: purchases.none: expected a name other than none, which stands for no purchase");
  EXPECT_NE(training.mistake({"purchases.both.code=reach", "purchases.both.price=1"})
                .find("expected the code that is replaced"),
            std::string::npos);
  EXPECT_NE(training.mistake({"purchases.more.spares=80"}).find("price"), std::string::npos);
}

TEST(TrainingGoodputStudyTest, RefusesPurchasesOfWhatTheMachineDoesNotUse) {
  const auto problem = [](std::vector<std::string> keys) { return purchases.mistake(keys); };
  EXPECT_NE(problem({"purchases.spares.parity=2"})
                .find("expected protocol sharded, since a purchase has parity, got replicas"),
            std::string::npos);
  EXPECT_NE(
      problem({"protocol=file_system", "purchases.spares.copies_on=1GB/s"})
          .find("expected protocol replicas or sharded, since a purchase has copies_on, got file_system"),
      std::string::npos);
  EXPECT_NE(problem({"purchases.spares.span_dies=9"})
                .find("expected code reach, since a purchase has span_dies, got symbol"),
            std::string::npos);
  EXPECT_NE(problem({"purchases.spares.copies_on=1GB/s", "purchases.spares.medium.type=cxl"})
                .find("is not given beside medium"),
            std::string::npos);
  EXPECT_EQ(problem({"purchases.both.span_dies=12"}), "none");
}

TEST(TrainingGoodputStudyTest, SimulationAgreesWithTheClosedForm) {
  std::vector<double> values;
  for (const char* protocol :
       {"protocol=file_system", "protocol=replicas", "protocol=sharded group=8", "protocol=just_in_time"}) {
    std::vector<std::string> keys = {"runs=4", "work=3000d", "spares=1000", "file_system=50GB/s"};
    std::istringstream words(protocol);
    for (std::string word; words >> word;) keys.push_back(word);
    const Row row = training.run(keys);
    EXPECT_NEAR(row.number("simulated_percent"), row.number("goodput_percent"),
                row.number("simulated_error") + 0.1)
        << protocol;
    EXPECT_LT(row.number("simulated_error"), 0.5) << protocol;
    values.push_back(row.number("simulated_percent"));
    EXPECT_EQ(row.text("state"), "ok");
  }
  EXPECT_GT(values[1], values[0] + 1.5);
  EXPECT_NEAR(values[2], values[1], 0.2);
  EXPECT_GT(values[3], values[0] + 0.2);
  EXPECT_LT(values[3], values[1] - 1);
}

TEST(TrainingGoodputStudyTest, SaysWhatToBuy) {
  EXPECT_EQ(training.run({"protocol=file_system", "file_system=10GB/s"}).text("buy"), "copies");
  EXPECT_EQ(training.run({"detection=1h"}).text("buy"), "detection");
  EXPECT_EQ(training.run({"restart=1h"}).text("buy"), "restart");
  EXPECT_NE(training.run({"gpus=8", "protocol=file_system", "detection=1h"}).text("buy"), "nothing");
  EXPECT_EQ(training
                .run({"gpus=8", "protocol=file_system", "detection=0s", "restart=0s", "failures=meta_rsc1",
                      "factor=1e-6", "state=1B"})
                .text("buy"),
            "nothing");
  EXPECT_NE(training.run({"protocol=file_system", "file_system=18446744073709551615B/s"}).text("buy"),
            "file system");
  const Row few = training.run({"spares=10", "repair=3d"});
  EXPECT_EQ(few.text("buy"), "spares");
  EXPECT_EQ(few.count("spares_needed"), 31u);
  EXPECT_GT(few.number("buy_hours"), 100);
  EXPECT_EQ(few.number("buy_hours"), few.number("spares_gains"));
}

// What is offered is what following it gives, and intervals that are given are kept for all.
TEST(TrainingGoodputStudyTest, FollowingTheAnswerGainsWhatItSays) {
  const std::vector<std::string> keys = {"protocol=file_system", "background=false", "interval=1min",
                                         "file_system=50GB/s"};
  const Row row = training.run(keys);
  EXPECT_EQ(row.text("buy"), "intervals");
  const auto gains_with = [&](std::vector<std::string> changed) {
    return (training.run(changed).number("goodput_percent") - row.number("goodput_percent")) * 7.2;
  };
  EXPECT_NEAR(row.number("intervals_gains"), gains_with({keys[0], keys[1], keys[3]}), 1e-6);
  EXPECT_NEAR(row.number("copies_gains"), gains_with({"protocol=replicas", keys[1], keys[2], keys[3]}), 1e-6);
  EXPECT_EQ(row.number("background_gains"), 0);  // a checkpoint takes longer than the interval
  const Row blocking = training.run({keys[0], keys[1], keys[3]});
  EXPECT_NEAR(blocking.number("background_gains"), 78.6, 1);
  EXPECT_EQ(blocking.text("buy"), "copies");
}

TEST(TrainingGoodputStudyTest, HoursOfAMonthAre720Together) {
  for (const char* key : {"interval=1d", "gpus=65536", "spares=16", "memory_interval=10s"}) {
    const Row row = training.run({key, "repair=3d", "copies_on=100MB/s"});
    double classes = 0;
    for (const char* hours : {"gpu_hours", "hbm_hours", "host_hours", "network_hours", "software_hours",
                              "maintenance_hours", "unknown_hours"})
      classes += row.number(hours);
    EXPECT_NEAR(classes, row.number("lost_hours"), 1e-9) << key;
    EXPECT_NEAR(
        classes + row.number("stall_hours") + row.number("wait_hours") + 7.2 * row.number("goodput_percent"),
        720, 1e-6)
        << key;
  }
  const Row large = training.run({"gpus=65536", "protocol=file_system", "runs=3", "spares=1000"});
  EXPECT_NEAR(large.number("lost_hours"),
              large.number("detection_hours") + large.number("restart_hours") + large.number("rework_hours"),
              10);
}

TEST(TrainingGoodputStudyTest, SaysWhereTheSimulationDiffers) {
  EXPECT_EQ(training.run({"failures=field_mix", "new_machine=true", "runs=3"}).text("state"), "ok");
  EXPECT_EQ(training.run({"spares=24", "repair=3d", "runs=3"}).text("state"), "ok");
  EXPECT_EQ(training.run({"copies_on=20MB/s", "file_system=50GB/s", "runs=3"}).text("state"), "ok");
  // A run of a day ends before so many nodes are under repair as after a month, when it would wait.
  const Study day = training.read({"work=1d", "spares=20", "repair=30d", "runs=3"});
  const PointRun run = run_all(day, 1);
  EXPECT_EQ((Row{day.kind, *run.rows[0]}.text("state")), "differs");
  EXPECT_EQ(occurrences(to_table(day, run), "*"), 3)
      << "of the goodput, of what is gained, and what it means";
  const Row none = training.run({"gpus=262144", "runs=10"});
  EXPECT_EQ(none.text("state"), "gave_up");
  EXPECT_EQ(none.text("buy"), "spares");
  EXPECT_TRUE(none.is_empty("simulated_error"));  // of one run
}

// A line shows nothing of a run that was interrupted after its first point.
TEST(TrainingGoodputStudyTest, ASinglePointOfTheClosedFormHasAMarker) {
  const Study study = training.read({"gpus=1024,4096,16384", "runs=2", "work=1d"});
  PointRun run = run_all(study, 1);
  const auto drawn = [&] {
    const std::vector<Panel> panels = panels_of(study, run);
    const auto& series = panels.at(0).series;
    const auto closed = std::ranges::find(series, "closed form", &Panel::Series::name);
    return closed == series.end() ? Panel::Drawn::markers : closed->drawn;
  };
  EXPECT_EQ(drawn(), Panel::Drawn::line);
  run.rows[1].reset();
  run.rows[2].reset();
  EXPECT_EQ(drawn(), Panel::Drawn::line_and_markers);
}

TEST(TrainingGoodputStudyTest, SaysWhatEachPurchaseGains) {
  const Row row = training.run({"protocol=file_system", "file_system=50GB/s", "failures=field_mix"});
  double most = 0;
  for (const char* gains : {"detection_gains", "restart_gains", "file_system_gains", "network_gains",
                            "code_gains", "checks_gains", "slow_gains", "copies_gains"})
    most = std::max(most, row.number(gains));
  EXPECT_NEAR(row.number("buy_hours"), most, 1e-12);
  EXPECT_GT(row.number("slow_gains"), 0);
  EXPECT_GT(row.number("checks_gains"), 0);
  EXPECT_GT(row.number("copies_gains"), row.number("code_gains"));
  EXPECT_EQ(row.number("network_gains"), 0);
  EXPECT_EQ(row.number("spares_gains"), 0);
  EXPECT_EQ(training.run({}).number("copies_gains"), 0);
}

// Each of two nodes writes 5.67 TB: its half of the state, and a copy of the other.
TEST(TrainingGoodputStudyTest, CopiesAreInANamedMedium) {
  const auto interval = [](const char* key) {
    return training.run({"gpus=16", key}).number("memory_interval_s");
  };
  EXPECT_NEAR(interval("medium.type=cxl"), interval("copies_on=40.5GB/s"), 10);
  EXPECT_NEAR(interval("medium.expander=fpga"), interval("copies_on=19.2GB/s"), 10);
  EXPECT_GT(interval("medium.expander=fpga"), 1.9 * interval("medium.type=cxl"));
  EXPECT_EQ(training.mistake({"medium.expander=none"}).find("command line: error: medium.expander: "), 0u);
  EXPECT_NE(training.mistake({"medium.type=cxl", "protocol=just_in_time"}), "none");
  EXPECT_EQ(training.mistake({"medium.type=cxl", "copies_on=5GB/s"})
                .find("command line: error: copies_on: expected a value that is not given beside medium"),
            0u);
}

TEST(TrainingGoodputStudyTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(training.mistake({"gpus=1001"}),
            "command line: error: gpus: expected a multiple of the 8 GPUs of a node, got 1001");
  EXPECT_EQ(training.mistake({"interval=1ns"}),
            "command line: error: interval: expected at least the 10s of an iteration, got 1ns");
  EXPECT_EQ(training.mistake({"protocol=just_in_time", "data_parallel=1"}),
            "command line: error: data_parallel: expected 2 or more copies of the state, of which one can be "
            "written just in time, got 1");
  EXPECT_EQ(
      training.mistake({"protocol=sharded", "gpus=1024", "group=3"}),
      "command line: error: gpus: expected a multiple of the 3 nodes of a group, got 128 nodes of 8 GPUs");
  EXPECT_EQ(training.mistake({"interval=10s", "file_system=50GB/s"}),
            "command line: error: interval: expected at least the 113.400 s that a checkpoint is written to "
            "the file system, got 10.000 s");
  EXPECT_EQ(training.mistake({"failures=meta_rsc1", "hbm_fit=10"}),
            "command line: error: hbm_fit: no class of this component that stops runs was counted");
  EXPECT_EQ(training.mistake({"failures=meta_rsc1", "code=symbol"}).find("command line: error: "), 0u);
  EXPECT_NE(training.mistake({"hbm_fit=10", "code=symbol"}).find("is absent if"), std::string::npos);
  EXPECT_NE(training.mistake({"code=symbol", "hbm.faults=h100_delta"}).find("a file with modes of faults"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
