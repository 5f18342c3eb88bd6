// Many runs from one snapshot: a process that is restored once and forks for each run.
//
// It is `asterism run --restore FILE --serve`, whose standard input and output are a socket: it reads a Continuation a line, and
// writes, a line each, with which status the run ended. Its runs share all memory that they do not write.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/scenario_config.h"

namespace asterism {

// What a process is told that goes on from a snapshot.
struct Continuation {
  std::string out;  // run directory, absolute
  bool quiet = false;
  std::optional<Picoseconds> until;
  pid_t reference = -1;  // the run to compare with, -1 for none
  std::vector<FaultConfig> faults = {};
  bool serves = false;
};
std::string to_text(const Continuation& next);  // one line
Continuation continuation_of(const std::string& text);

// The process that serves. Returns in each process that it forks, with what that was told; standard output and error go to
// OUT.log there. Ends at the end of its input.
Continuation serve_runs();

class RunServer {
 public:
  // `folder`, which is gone afterwards, is its run directory. What goes wrong is told by the first run(), and in `log`.
  RunServer(const std::filesystem::path& snapshot, const std::filesystem::path& folder,
            const std::filesystem::path& log);
  ~RunServer();
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  // The run's status, 128 + signal where one ended it; nullopt when there is no server left to say so. One at a time.
  std::optional<int> run(const Continuation& next, const std::stop_token& stop);

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace asterism
