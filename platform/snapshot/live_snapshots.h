// Snapshots of a run in progress, to which a user can return while debugging it.
//
// save() forks. The new process continues the run; the old process sleeps and is the snapshot. When the
// snapshot is loaded, the newer process ends, the files in the run's folder are restored, and a copy of the
// snapshot continues after its save(). From outside this looks like one process: signals are passed on, and
// the exit status is that of the run.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace asterism {

class LiveSnapshots {
 public:
  // A fork copies only the calling thread, so all other threads must end before it and are started again
  // afterwards.
  struct Threads {
    std::function<void()> pause, resume;
  };
  LiveSnapshots(std::filesystem::path folder, Threads threads);
  ~LiveSnapshots();
  LiveSnapshots(const LiveSnapshots&) = delete;
  LiveSnapshots& operator=(const LiveSnapshots&) = delete;

  // The number of snapshots that can be loaded. They are counted from 1.
  unsigned count() const { return count_; }
  // Returns nullopt, and the message each time that the snapshot is loaded. Throws std::system_error.
  std::optional<std::string> save();
  // Removes the snapshots that are newer than this one. Never returns; the corresponding save() returns the
  // message instead.
  [[noreturn]] void load(unsigned number, std::string_view message);

 private:
  void sleep_until_loaded(pid_t run) const;
  std::string message() const;

  std::filesystem::path folder_;
  Threads threads_;
  unsigned count_ = 0;
  unsigned* wanted_;  // the number of the process that must continue; shared by all processes
  int message_;       // a file in memory, shared by all processes
};

}  // namespace asterism
