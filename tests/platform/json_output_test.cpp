// --json of the verbs: what a script reads, on standard output, which then contains nothing else.
#include <gmock/gmock.h>

#include <string>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

struct JsonOutputTest : CommandTest {
  // What a verb with `--json -` prints; null if it is no JSON.
  Json printed(Arguments arguments, int status = 0) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, status) << ended.err;
    const Json json = Json::parse(ended.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << ended.out;
    return json;
  }
};

TEST_F(JsonOutputTest, ARunHasTheNumbersOfItsSummary) {
  const Json run = printed({"run", "hello"});
  EXPECT_EQ(run["status"], 0);
  EXPECT_EQ(run["ended"], "firmware_exit");
  EXPECT_EQ(run["message"], "firmware exited with status 0");
  EXPECT_EQ(run["simulated_time_ps"], json("runs/hello/stats.json")["simulated_time_ps"]);
  EXPECT_THAT(run["not_met"], IsEmpty());
  EXPECT_THAT(contents("runs/hello/console.log"), Not(IsEmpty())) << "the guest wrote to the log only";
}

TEST_F(JsonOutputTest, ARunThatFailsSaysWhatItsCoresDid) {
  const Ended ended = asterism({"run", "hello", "until=1us", "--json", "summary.json"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("stopped at the time limit")) << "with a file, people read as usual";
  const Json run = json("summary.json");
  EXPECT_EQ(run["status"], 69);
  EXPECT_EQ(run["ended"], "time_limit");
  ASSERT_THAT(run["cores"], Not(IsEmpty()));
  EXPECT_THAT(run["cores"][0]["state"].get<std::string>(), HasSubstr("running, pc "));
}

TEST_F(JsonOutputTest, ExpectationsThatAreNotMetAreListed) {
  const Json run = printed({"run", "hello", "expect.exit=3"}, 67);
  ASSERT_EQ(run["not_met"].size(), 1);
}

// A test whose program ends before its fault has tested nothing.
TEST_F(JsonOutputTest, FaultsAfterTheEndAreCounted) {
  const std::string faults = R"(faults=[{"at":"1ps","kind":"power_loss"},{"at":"9s","kind":"power_loss"}])";
  const Json run = printed({"run", "hello", faults});
  EXPECT_EQ(run["faults"], 2);
  EXPECT_EQ(run["late_faults"], 1);
  EXPECT_EQ(json("runs/hello/stats.json")["late_faults"], 1);
  const Json refused = printed({"run", "hello", faults, "expect.late_faults=0"}, 67);
  EXPECT_EQ(refused["not_met"][0], "late_faults: expected 0, but 1 would have occurred after the end");
  EXPECT_EQ(printed({"run", "hello", "expect.late_faults=0"})["late_faults"], 0);
}

TEST_F(JsonOutputTest, ACheckSaysOfWhichKindAFileIs) {
  EXPECT_EQ(printed({"check", "cxl"})["kind"], "study");
  EXPECT_EQ(printed({"check", "scenarios/cxl"})["kind"], "scenario");
  EXPECT_THAT(
      asterism({"check", "cxl"}).err,
      HasSubstr(
          "this is the study \"cxl\"; `asterism check scenarios/cxl` checks the scenario of that name"));
  EXPECT_THAT(asterism({"check", "scenarios/cxl"}).err, IsEmpty());
}

TEST_F(JsonOutputTest, ACheckHasEachMistakeWithItsPlace) {
  write("bad.json", "{\n  \"firmware\": \"hello\",\n  \"nodes\": {},\n  \"until\": 5\n}\n");
  const Json check = printed({"check", "bad.json"}, 65);
  EXPECT_EQ(check["expanded"], nullptr);
  ASSERT_EQ(check["mistakes"].size(), 2) << check.dump(2);
  EXPECT_EQ(check["mistakes"][0]["line"], 3);
  EXPECT_EQ(check["mistakes"][0]["nearest"], "node");
  EXPECT_EQ(check["mistakes"][1]["path"], "until");
  EXPECT_EQ(check["mistakes"][1]["file"], "bad.json");
  EXPECT_EQ(check["mistakes"][1]["column"], 12);

  const Json sound = printed({"check", "hello"});
  EXPECT_THAT(sound["mistakes"], IsEmpty());
  EXPECT_EQ(sound["expanded"], Json::parse(asterism({"check", "hello"}).out));
  EXPECT_EQ(printed({"check", "none"}, 66)["mistakes"].size(), 1) << "a file that is missing, too";
}

TEST_F(JsonOutputTest, ListsHaveNamesOrObjects) {
  const std::string first = printed({"list", "scenarios"})[0];
  EXPECT_THAT(asterism({"list", "scenarios"}).out, StartsWith(first + "\n"));
  EXPECT_EQ(printed({"list", "topologies"})[0]["name"], "crossbar");
  EXPECT_THAT(printed({"list", "papers"})[0]["meaning"].get<std::string>(), Not(IsEmpty()));
  bool has_uart = false;
  for (const Json& device : printed({"list", "devices", "--node", "hello"}))
    if (device["name"] == "uart0") has_uart = device["type"] == "pl011" && device["first"] < device["last"];
  EXPECT_TRUE(has_uart);
  EXPECT_EQ(printed({"list", "blocks"}), printed({"rtl", "list"}));
}

TEST_F(JsonOutputTest, RunsAreCompared) {
  ASSERT_EQ(asterism({"run", "hello"}).status, 0);
  const Json same = printed({"compare", "runs/hello", "runs/hello"});
  EXPECT_EQ(same["equal"], true);
}

TEST_F(JsonOutputTest, APaperHasItsEntries) {
  EXPECT_EQ(printed({"paper", "abeyratne2017.table3.3"})["entries"][0]["id"], "abeyratne2017.table3.3");
  EXPECT_THAT(asterism({"paper", "abeyratne2017.table3.3", "--report", "-"}).out, StartsWith("<!"));
}

TEST_F(JsonOutputTest, ATraceHasWhatItsTextHas) {
  ASSERT_EQ(asterism({"run", "hello", "--transactions", "--sample", "10us"}).status, 0);
  const Json trace = printed({"trace", "runs/hello/traces/transactions.bin"});
  ASSERT_THAT(trace["transactions"], Not(IsEmpty()));
  EXPECT_EQ(trace["transactions"][0]["master"], trace["masters"][0]);
  const Json record = printed({"trace", "runs/hello/traces/record.bin"});
  EXPECT_EQ(record["run"], "hello");
  EXPECT_EQ(record["end_ps"], json("runs/hello/stats.json")["simulated_time_ps"]);
  const Json& entry = record["entries"][0];
  EXPECT_LT(entry["track"], record["tracks"].size());
  EXPECT_LE(entry["begin_ps"], entry.value("end_ps", record["end_ps"].get<std::uint64_t>()));
}

TEST_F(JsonOutputTest, OneOutputTakesStandardOutput) {
  const Ended ended = asterism({"list", "devices", "--svd", "-", "--json", "-"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: --json: - is already used by --svd\n");
}

}  // namespace
}  // namespace asterism
