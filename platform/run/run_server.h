// Executes many runs from one snapshot: a process that is restored once and forks for each run.
//
// The process is `asterism run --restore FILE --serve-runs`, whose standard input and output are a socket. It
// reads one Continuation per line, and writes one line per run with its exit status. Its runs share all
// memory that they do not write.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/debug/socket_endpoint.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

// The instructions for a process that continues from a snapshot.
struct Continuation {
  std::string out;  // run directory, absolute
  bool quiet = false;
  std::optional<Picoseconds> until;
  pid_t reference = -1;  // the process of the run to compare with; -1 if there is none
  std::vector<FaultConfig> faults = {};
  bool serves = false;
  std::optional<SocketEndpoint> live = {};  // where clients of a live session connect
};
std::string to_text(const Continuation& next);  // one line
Continuation continuation_of(const std::string& text);

// The loop of the serving process. Returns in each process that it forks, with the continuation for that
// process; there standard output and error are written to OUT.log. The serving process ends at the end of its
// input.
Continuation serve_runs();

class RunServer {
 public:
  // `folder` is its run directory, which is removed at the end. Errors are reported by the first run() and in
  // `log`.
  RunServer(const std::filesystem::path& snapshot, const std::filesystem::path& folder,
            const std::filesystem::path& log);
  ~RunServer();
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  // Executes one run at a time. Returns its exit status, 128 + signal if a signal ended it; nullopt if the
  // server has ended.
  std::optional<int> run(const Continuation& next, const std::stop_token& stop);

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace asterism
