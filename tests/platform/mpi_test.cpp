// `asterism study` and `asterism paper` started by mpirun. These tests are skipped if there is no mpirun or
// the build has no library for it.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

int occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct MpiTest : CommandTest {
  MpiTest() {
    environment["ASAN_OPTIONS"] = "detect_leaks=0";  // MPI does not free all of its memory
    environment["OMPI_MCA_orte_tmpdir_base"] =
        folder.string();  // else, two tests may fail to make it at once
  }
  void SetUp() override {
    if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "there is no mpirun";
    if (!fs::exists(asterism_program.parent_path() / "libasterism_mpi.so"))
      GTEST_SKIP() << "this build has no library for MPI";
  }

  Arguments on(int ranks, const Arguments& arguments) const {
    Arguments all{"--allow-run-as-root", "--oversubscribe", "-n", std::to_string(ranks), asterism_program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Ended mpirun(int ranks, const Arguments& arguments) const {
    return program("mpirun", on(ranks, arguments));
  }

  // Each point takes half a second.
  Arguments long_sweep(const Arguments& more) const {
    Arguments all{"study", "fabric", "topology=mesh", "nodes=64", "rate=0.05", "seed=1:6:1", "measure=40us"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

// The children of a process.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!std::getline(file, text)) continue;
    pid_t of = 0;
    char state = 0;
    std::istringstream behind_the_name(text.substr(text.rfind(')') + 1));
    if (behind_the_name >> state >> of && of == parent) found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

TEST_F(MpiTest, AnyNumberOfRanksLeavesTheSameBytes) {
  const Arguments sweep{"study",       "fabric",      "topology=mesh,superstar",
                        "nodes=64",    "warm_up=1us", "rate=0.01,0.02",
                        "measure=1us", "detail=true", "--out"};
  const auto with_folder = [&](const std::string& name) {
    Arguments all = sweep;
    all.push_back(name);
    return all;
  };
  const auto table = [](const Ended& ended) { return ended.out.substr(0, ended.out.find("\nstudy ")); };
  const Ended alone = asterism(with_folder("alone"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  ASSERT_THAT(contents("alone/results.json"), HasSubstr("\"detail\""));
  for (const int ranks : {1, 2, 3}) {
    const std::string name = std::to_string(ranks);
    const Ended ended = mpirun(ranks, with_folder(name));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(table(ended), table(alone)) << ranks;
    EXPECT_THAT(ended.out, HasSubstr(" s on " + name + " rank"));
    for (const char* file : {"study.json", "results.csv", "results.json", "figure.svg"})
      EXPECT_TRUE(contents(fs::path(name) / file) == contents(fs::path("alone") / file)) << ranks << file;
    EXPECT_EQ(json(fs::path(name) / "host.json").at("ranks"), ranks);
  }
}

TEST_F(MpiTest, SweepsAreTheSameToo) {
  const Arguments sweep{"sweep",           "hello", "node.memory.size=64MiB", "node.cores.count=1,2,4",
                        "expect.exit=0,1", "--out"};
  const auto with_folder = [&](const std::string& name) {
    Arguments all = sweep;
    all.push_back(name);
    return all;
  };
  const Ended alone = asterism(with_folder("alone")), ended = mpirun(2, with_folder("two"));
  EXPECT_EQ(alone.status, 67);
  EXPECT_EQ(ended.status, 67) << ended.err;
  for (const char* line : {"run 1 (node.cores.count=1 expect.exit=1): expectation not met",
                           "run 5 (node.cores.count=4 expect.exit=1): expectation not met"})
    EXPECT_THAT(ended.err, HasSubstr(line));
  for (const char* file : {"sweep.json", "results.csv", "results.json", "figure.svg"})
    EXPECT_TRUE(contents(fs::path("two") / file) == contents(fs::path("alone") / file)) << file;
  for (int run = 0; run < 6; ++run)
    EXPECT_EQ(left_by(fs::path("two/runs") / std::to_string(run)),
              left_by(fs::path("alone/runs") / std::to_string(run)));
}

TEST_F(MpiTest, PapersAreTheSameToo) {
  const auto text = [](const Ended& ended) { return ended.out.substr(0, ended.out.find("\npoints ")); };
  const Ended alone = asterism({"paper", "dong2011.fig"}), ended = mpirun(2, {"paper", "dong2011.fig"});
  EXPECT_EQ(ended.status, alone.status) << ended.err;
  EXPECT_EQ(text(ended), text(alone));
}

TEST_F(MpiTest, CampaignsAreTheSameToo) {
  ASSERT_EQ(asterism({"run", "power_loss", "faults=[]", "node.cores.count=1", "expect={}", "--snapshot-at",
                      "1ms", "--snapshot", "file", "--out", "first"})
                .status,
            0);
  write("faults.jsonl", R"({"at":"3ms","kind":"power_loss"}
{"at":"3ms","kind":"power_loss","restore_after":"9s"}
{"at":"900ms","kind":"power_loss"}
)");
  const auto table = [](const Ended& ended) { return ended.out.substr(0, ended.out.find("\ncampaign ")); };
  const Arguments campaign{"study", "campaign", "snapshot=file", "faults=faults.jsonl", "--out"};
  const auto with_folder = [&](const char* name) {
    Arguments all = campaign;
    all.emplace_back(name);
    return all;
  };
  const Ended alone = asterism(with_folder("alone")), ended = mpirun(2, with_folder("ranks"));
  EXPECT_THAT(alone.out, HasSubstr("recovered        1"));
  EXPECT_EQ(ended.status, alone.status) << ended.err;
  EXPECT_EQ(table(ended), table(alone));
  EXPECT_THAT(ended.out, HasSubstr("3 of 3 faults"));
  EXPECT_THAT(ended.out, HasSubstr(" s on 2 ranks"));
  for (const char* line : {"line1", "line2", "without"})
    EXPECT_TRUE(contents(fs::path("ranks") / line / "stats.json") ==
                contents(fs::path("alone") / line / "stats.json"))
        << line;
}

// The processes below the mpirun that a test has started: its ranks, and the workers of all ranks as soon as
// each rank has one.
struct Processes {
  std::vector<pid_t> ranks, workers;
};
Processes processes(std::size_t ranks) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (std::chrono::steady_clock::now() < end) {
    Processes found;
    for (const pid_t mpirun : children_of(getpid()))
      for (const pid_t rank : children_of(mpirun)) {
        found.ranks.push_back(rank);
        for (const pid_t worker : children_of(rank)) found.workers.push_back(worker);
      }
    if (found.workers.size() == ranks) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("there are no workers");
}

// The process that runs a point is killed, as the host does when it is out of memory.
TEST_F(MpiTest, APointThatCrashesIsReportedAndTheOthersComplete) {
  Running running("mpirun", on(2, long_sweep({"--csv", "rest.csv"})), folder, environment);
  kill(processes(2).workers.back(), SIGKILL);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.status, 70);
  EXPECT_THAT(ended.err,
              testing::ContainsRegex("asterism: fabric: topology=mesh .*seed=[1-6].*: killed by SIGKILL\n"));
  EXPECT_THAT(ended.out, HasSubstr("crashed: 5 of 6 points"));
  EXPECT_FALSE(exists("rest.csv"));
  EXPECT_EQ(occurrences(contents("rest.csv.partial"), "\n"), 6);
}

// The signal goes to mpirun, which then ends with a status of its own, or to any rank.
TEST_F(MpiTest, ASignalEndsAllRanksAndKeepsWhatIsDone) {
  for (const bool to_mpirun : {true, false}) {
    Running running("mpirun", on(2, {"study", "crash", "power_failures=1000000000", "--out", "interrupted"}),
                    folder, environment);
    // The study has one point, so that the other rank waits.
    const pid_t rank = processes(2).ranks.back();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (to_mpirun)
      running.signal(SIGTERM);
    else
      kill(rank, SIGTERM);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.status, to_mpirun ? 1 : 130) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("interrupted: 0 of 1 points and a part of 1"));
    EXPECT_FALSE(exists("interrupted"));
    EXPECT_EQ(occurrences(contents("interrupted.partial/results.csv"), "\n"), 2);
  }
}

// Only rank 0 reports the error.
TEST_F(MpiTest, AnErrorIsReportedOnceWithItsStatus) {
  const Ended ended = mpirun(3, {"study", "fabric", "topologie=mesh"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(occurrences(ended.err, "topologie: unknown key"), 1) << ended.err;
}

TEST_F(MpiTest, ALibraryThatIsMissingIsNamed) {
  environment["ASTERISM_MPI"] = "/nowhere/libasterism_mpi.so";
  const Ended two = mpirun(2, {"study", "markov"});
  EXPECT_EQ(two.status, 66);
  EXPECT_EQ(occurrences(two.err, "/nowhere/libasterism_mpi.so: error: started as 2 processes"), 1) << two.err;
  EXPECT_EQ(mpirun(1, {"study", "markov"}).status, 0);  // this study needs no library for MPI
  EXPECT_EQ(asterism({"study", "markov"}).status, 0);
}

}  // namespace
}  // namespace asterism
