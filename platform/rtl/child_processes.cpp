#include "platform/rtl/child_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

extern char** environ;

namespace asterism {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

struct Child {
  pid_t process;
  std::size_t index;
};

pid_t start(const ChildProgram& program, const BuildSignals& signals) {
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, program.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  if (!program.folder.empty()) posix_spawn_file_actions_addchdir_np(&files, program.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &signals.before());
  pid_t process = -1;
  const int error = posix_spawnp(&process, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), program.words.front());
  return process;
}

// The running programs. The destructor kills those that still run.
class Children {
 public:
  Children() = default;
  ~Children() {
    for (const Child& child : running_) kill(-child.process, SIGKILL);
    for (const Child& child : running_)
      while (waitpid(child.process, nullptr, 0) == -1 && errno == EINTR) {
      }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  std::size_t count() const { return running_.size(); }
  void add(Child child) { running_.push_back(child); }

  // The index of a program that has failed, if there is one.
  std::optional<std::size_t> reap() {
    std::optional<std::size_t> failed;
    std::erase_if(running_, [&](const Child& child) {
      int status = 0;
      if (waitpid(child.process, &status, WNOHANG) != child.process) return false;
      if (status != 0) failed = std::min(failed.value_or(child.index), child.index);
      return true;
    });
    return failed;
  }

 private:
  std::vector<Child> running_;
};

}  // namespace

BuildSignals::BuildSignals() {
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&watched_, signal);  // nohup, for example, ignores SIGHUP
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  // If SIGCHLD were ignored, the exit status of children would be lost.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &child_before_);
}

BuildSignals::~BuildSignals() {
  const timespec now{};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (sigtimedwait(&child, nullptr, &now) > 0) {
  }
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void BuildSignals::wait(long milliseconds) const {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  const int signal = sigtimedwait(&watched_, nullptr, &time);
  if (signal > 0 && signal != SIGCHLD) throw Interrupted();
}

std::size_t run_all(const std::vector<ChildProgram>& programs, unsigned at_once,
                    const BuildSignals& signals) {
  Children children;
  for (std::size_t next = 0; next < programs.size() || children.count() > 0;) {
    while (next < programs.size() && children.count() < at_once) {
      children.add({start(programs[next], signals), next});
      ++next;
    }
    signals.wait(1000);
    if (const auto failed = children.reap()) return *failed;
  }
  return programs.size();
}

}  // namespace asterism
