#include "platform/snapshot/live_snapshots.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "platform/host/open_files.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The contents of a folder, and its open files.
class FolderState {
 public:
  explicit FolderState(const fs::path& folder) : folder_(folder), open_(folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      std::string& held = contents_[entry.path().lexically_relative(folder)];
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      held = std::move(text).str();
    }
  }
  void restore() const {
    std::vector<fs::path> newer;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (!contents_.contains(entry.path().lexically_relative(folder_))) newer.push_back(entry.path());
    for (const fs::path& each : newer) fs::remove_all(each);
    for (const auto& [path, held] : contents_)
      if (!fs::is_directory(folder_ / path)) std::ofstream(folder_ / path, std::ios::binary) << held;
    open_.reopen_in(folder_);
  }

 private:
  fs::path folder_;
  OpenFiles open_;
  std::map<fs::path, std::string> contents_;  // the contents of files; "" for folders
};

}  // namespace

LiveSnapshots::LiveSnapshots(fs::path folder, Threads threads)
    : folder_(std::move(folder)), threads_(std::move(threads)) {
  void* shared = mmap(nullptr, sizeof *wanted_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "snapshots");
  wanted_ = static_cast<unsigned*>(shared);
  message_ = memfd_create("message", MFD_CLOEXEC);
  if (message_ < 0) throw std::system_error(errno, std::generic_category(), "snapshots");
}

LiveSnapshots::~LiveSnapshots() {
  munmap(wanted_, sizeof *wanted_);
  close(message_);
}

std::optional<std::string> LiveSnapshots::save() {
  threads_.pause();
  std::fflush(nullptr);
  const FolderState state(folder_);
  ++count_;
  for (bool loaded = false;; loaded = true) {
    *wanted_ = 0;
    const pid_t run = fork();
    if (run < 0) {
      const int error = errno;
      --count_;
      threads_.resume();
      throw std::system_error(error, std::generic_category(), "there is no memory for another process");
    }
    if (run == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      threads_.resume();
      return loaded ? std::optional(message()) : std::nullopt;
    }
    sleep_until_loaded(run);
    state.restore();
  }
}

void LiveSnapshots::load(unsigned number, std::string_view message) {
  if (ftruncate(message_, 0) != 0 ||
      pwrite(message_, message.data(), message.size(), 0) != static_cast<ssize_t>(message.size()))
    throw std::system_error(errno, std::generic_category(), "there is no memory for a message");
  *wanted_ = number;
  _exit(0);
}

std::string LiveSnapshots::message() const {
  std::string text(static_cast<std::size_t>(lseek(message_, 0, SEEK_END)), '\0');
  if (pread(message_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "the message of a snapshot");
  return text;
}

void LiveSnapshots::sleep_until_loaded(pid_t run) const {
  sigset_t awaited, before;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&awaited, signal);
  pthread_sigmask(SIG_BLOCK, &awaited, &before);
  int status = 0;
  // The terminal sends Ctrl-C to all processes of the run by itself.
  while (waitpid(run, &status, WNOHANG) == 0) {
    siginfo_t signal{};
    if (sigwaitinfo(&awaited, &signal) > 0 && signal.si_signo != SIGCHLD && signal.si_code == SI_USER)
      kill(run, signal.si_signo);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (*wanted_ == count_) return;
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace asterism
