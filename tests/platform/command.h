// Starts the real `asterism` command, each test case in an empty folder of its own, and examines the files
// that it left.
//
// The command finds the configs of the source and the firmware of this build. A process that has not ended
// after five minutes is killed and fails the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/temporary_folder.h"

namespace asterism {

using Arguments = std::vector<std::string>;

struct Ended {
  int status = -1;  // exit status; 128 + signal of a process that was killed, as a shell reports it
  std::string out, err;
};

// A running process.
class Running {
 public:
  Running(const std::filesystem::path& program, const Arguments& arguments,
          const std::filesystem::path& folder, const std::map<std::string, std::string>& environment);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void signal(int number) const;
  // What it has written to stderr so far.
  std::string err_so_far() const;
  Ended wait();

 private:
  pid_t process_ = -1;
  TemporaryFolder output_;  // outside of the command's folder, which must be empty
  std::filesystem::path out_ = output_ / "out", err_ = output_ / "err";
};

// Keys for a node on which each instruction takes a cycle, and nothing else takes time.
inline const Arguments untimed{R"(node.cores.caches={"model": "none"})", "node.cores.timing=null",
                               "node.memory.fidelity=loose"};

class CommandTest : public testing::Test {
  TemporaryFolder own_;

 protected:
  CommandTest();

  // asterism ARGUMENTS...
  Ended asterism(const Arguments& arguments) const;
  Running start(const Arguments& arguments) const;
  // Runs an app or ELF file on a node with 64 MiB, without expectations; the run directory is "run".
  Ended firmware(const std::string& name, const Arguments& more = {}) const;
  Ended program(const std::string& file, const Arguments& arguments) const;

  static std::string elf(const std::string& app);
  static const std::filesystem::path& source_configs();

  // The contents of a file below the folder; if it does not exist, the test fails and the result is "".
  std::string contents(const std::filesystem::path& file) const;
  nlohmann::json json(const std::filesystem::path& file) const;
  std::vector<nlohmann::json> events(const std::filesystem::path& run_directory = "run") const;
  bool exists(const std::filesystem::path& file) const { return std::filesystem::exists(folder / file); }
  // Creates the folders above the file, too.
  void write(const std::filesystem::path& file, const std::string& text) const;
  // Whether a build with sanitizers refused to make a snapshot (docs/snapshots.md), so that the test is
  // skipped.
  static bool is_refused_by_sanitizers(const Ended& ended);
  // All files that a run leaves, without the host's times and the name of the run that it was compared with.
  std::map<std::string, std::string> left_by(const std::filesystem::path& run) const;
  // Whether any run directory, finished or partial, came into being under the folder.
  bool left_a_run() const;

  const std::filesystem::path folder = own_.path();
  std::filesystem::path asterism_program;
  std::map<std::string, std::string> environment;
  Arguments node_of_firmware;  // keys for every run of firmware()
};

// The kinds of events, in order.
std::vector<std::string> kinds(const std::vector<nlohmann::json>& events);

// Checkpoints have one name, and the newest is never discarded: after a power failure the newest durable
// version must be restored before the next one begins, or a newer one that was complete but not yet reported
// durable.
void expect_the_newest_durable(const std::vector<nlohmann::json>& events);

}  // namespace asterism
