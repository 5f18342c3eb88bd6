// Snapshots of a run that goes on: states to which who debugs it comes back.
//
// save() forks. The new process goes on with the run; the one that was there stands still and is the
// snapshot. When it is loaded the newer one ends, the files in the run's folder become what they were, and a
// copy of the snapshot goes on behind its save(). Seen from outside it is one process: signals are passed on,
// and its status is that with which the run ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace asterism {

class LiveSnapshots {
 public:
  // A fork has the calling thread alone: all others have to end before, and are started again afterwards.
  struct Threads {
    std::function<void()> pause, resume;
  };
  LiveSnapshots(std::filesystem::path folder, Threads threads);
  ~LiveSnapshots();
  LiveSnapshots(const LiveSnapshots&) = delete;
  LiveSnapshots& operator=(const LiveSnapshots&) = delete;

  // How many can be loaded; they are counted from 1.
  unsigned count() const { return count_; }
  // Returns false, and true each time that the snapshot is loaded. Throws std::system_error.
  bool save();
  // Those behind it are gone then. Never returns: save() does.
  [[noreturn]] void load(unsigned number);

 private:
  void sleep_until_loaded(pid_t run) const;

  std::filesystem::path folder_;
  Threads threads_;
  unsigned count_ = 0;
  unsigned* wanted_;  // which one is to go on, of all these processes
};

}  // namespace asterism
