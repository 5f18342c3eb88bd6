#include "platform/snapshot/live_snapshots.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct LiveSnapshotsTest : testing::Test {
  const TemporaryFolder folder;

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder / name).rdbuf();
    return text.str();
  }
  // Runs in a process of its own; returns the status of waitpid(2).
  template <class F>
  int status_of(F run) const {
    const pid_t child = fork();
    if (child == 0) {
      LiveSnapshots snapshots(folder.path(), {[] {}, [] {}});
      _exit(run(snapshots));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  template <class F>
  int exit_of(F run) const {
    const int status = status_of(run);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(LiveSnapshotsTest, MemoryAndFilesAreWhatTheyWere) {
  EXPECT_EQ(exit_of([&](LiveSnapshots& snapshots) {
              int memory = 1;
              std::ofstream log(folder / "log");
              log << "before\n" << std::flush;
              if (snapshots.save()) {
                log << "after " << memory << "\n" << std::flush;
                return read("log") == "before\nafter 1\n" && !fs::exists(folder / "new") ? 11 : 12;
              }
              memory = 2;
              log << "output that is rolled back\n" << std::flush;
              write("new", "neither");
              snapshots.load(1, "");
            }),
            11);
}

TEST_F(LiveSnapshotsTest, AFileThatWasReplacedIsWrittenUnderItsNameAgain) {
  EXPECT_EQ(exit_of([&](LiveSnapshots& snapshots) {
              std::ofstream log(folder / "log");
              log << "one\n" << std::flush;
              if (snapshots.save()) {
                log << "two\n" << std::flush;
                return read("log") == "one\ntwo\n" ? 11 : 12;
              }
              write("other", "of another file");
              fs::rename(folder / "other", folder / "log");
              snapshots.load(1, "");
            }),
            11);
}

TEST_F(LiveSnapshotsTest, OneIsLoadedAsOftenAsOneWants) {
  const TemporaryFolder not_restored;
  const fs::path outside = not_restored / "count";
  EXPECT_EQ(exit_of([&](LiveSnapshots& snapshots) {
              snapshots.save();
              std::ofstream(outside, std::ios::app) << "x";
              if (fs::file_size(outside) < 4) snapshots.load(1, "");
              return static_cast<int>(fs::file_size(outside));
            }),
            4);
}

TEST_F(LiveSnapshotsTest, AMessageOfAnyLengthReachesTheProcessThatContinues) {
  EXPECT_EQ(exit_of([&](LiveSnapshots& snapshots) {
              const auto message = snapshots.save();
              if (!message) snapshots.load(1, std::string(1'000'000, 'm'));
              if (message->size() == 1'000'000) snapshots.load(1, "short");
              return *message == "short" ? 11 : 12;
            }),
            11);
}

TEST_F(LiveSnapshotsTest, AnOlderOneEndsTheNewerOnes) {
  EXPECT_EQ(exit_of([&](LiveSnapshots& snapshots) {
              if (snapshots.save()) return snapshots.count() == 1 ? 11 : 12;
              if (snapshots.save()) return 13;
              EXPECT_EQ(snapshots.count(), 2u);
              if (snapshots.save()) return 14;
              snapshots.load(1, "");
            }),
            11);
}

TEST_F(LiveSnapshotsTest, HowTheRunEndsIsHowTheProcessEnds) {
  EXPECT_EQ(exit_of([](LiveSnapshots& snapshots) { return snapshots.save(), snapshots.save(), 69; }), 69);
  EXPECT_EQ(exit_of([](LiveSnapshots& snapshots) { return snapshots.save(), std::raise(SIGKILL); }),
            128 + SIGKILL);
}

TEST_F(LiveSnapshotsTest, SignalsReachTheRun) {
  EXPECT_EQ(exit_of([](LiveSnapshots& snapshots) {
              sigset_t both;
              sigemptyset(&both);
              sigaddset(&both, SIGINT), sigaddset(&both, SIGTERM);
              pthread_sigmask(SIG_BLOCK, &both, nullptr);
              snapshots.save();
              kill(getppid(), SIGTERM);
              return sigwaitinfo(&both, nullptr);
            }),
            SIGTERM);
}

TEST_F(LiveSnapshotsTest, ThreadsAreAwayWhileItForks) {
  const pid_t child = fork();
  if (child == 0) {
    int running = 1, wrong = 0;
    LiveSnapshots snapshots(folder.path(),
                            {[&] { wrong += --running != 0; }, [&] { wrong += ++running != 1; }});
    const bool loaded = snapshots.save().has_value();
    if (wrong != 0 || running != 1) _exit(1);
    if (!loaded) snapshots.load(1, "");
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace asterism
