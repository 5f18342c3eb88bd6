#include "platform/host/forked_trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace asterism {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

std::string last_line_of(int output) {
  std::array<char, 4096> bytes;
  const off_t size = lseek(output, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(bytes.size()));
  const ssize_t count = pread(output, bytes.data(), bytes.size(), from);
  std::string_view text(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

// Destructors of static objects are not executed: those of the parent's are not the child's.
[[noreturn]] void run_child(const std::function<void(const TrialPipe&)>& body, int pipe, int output,
                            std::atomic<bool>& has_returned) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // A crash is an answer, of which no image is needed.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGPIPE})
    std::signal(signal, SIG_DFL);
  body(TrialPipe(pipe));
  has_returned = true;
  _exit(0);
}

// Reads what the child sends until it ends. Returns false if it had to be stopped.
bool wait_for(pid_t child, int pipe, const std::function<void(std::string_view)>& receive,
              const std::atomic<std::uint64_t>& beats, std::chrono::milliseconds patience, int& status) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t seen = beats;
  auto last = Clock::now();
  bool was_killed = false;
  std::array<char, 65536> bytes;
  for (;;) {
    const bool has_ended = waitpid(child, &status, WNOHANG) == child;
    pollfd waiting{pipe, POLLIN, 0};
    do {
      poll(&waiting, 1, has_ended ? 0 : 50);
      const ssize_t count = waiting.revents & POLLIN ? read(pipe, bytes.data(), bytes.size()) : 0;
      if (count <= 0) break;
      receive({bytes.data(), static_cast<std::size_t>(count)});
    } while (has_ended);
    if (has_ended) return !was_killed;
    if (seen != beats)
      seen = beats, last = Clock::now();
    else if (!was_killed && Clock::now() - last > patience)
      was_killed = true, kill(child, SIGKILL);
  }
}

}  // namespace

void TrialPipe::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

TrialEnd run_forked(const std::function<void(const TrialPipe&)>& body,
                    const std::function<void(std::string_view)>& receive,
                    const std::atomic<std::uint64_t>& beats, std::chrono::milliseconds patience) {
  const SharedObject<std::atomic<bool>> has_returned;
  const int output = checked(memfd_create("output", MFD_CLOEXEC), "memfd_create");
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe2");
  std::fflush(nullptr);
  const pid_t child = checked(fork(), "fork");
  if (child == 0) {
    close(ends[0]);
    run_child(body, ends[1], output, *has_returned);
  }
  close(ends[1]);
  int status = 0;
  const bool has_ended = wait_for(child, ends[0], receive, beats, patience, status);
  TrialEnd end{TrialEnd::How::returned, 0, last_line_of(output)};
  close(ends[0]);
  close(output);
  if (!has_ended)
    end.how = TrialEnd::How::stopped;
  else if (WIFSIGNALED(status))
    end.how = TrialEnd::How::crashed, end.number = WTERMSIG(status);
  else if (!*has_returned)
    end.how = TrialEnd::How::exited, end.number = WEXITSTATUS(status);
  return end;
}

}  // namespace asterism
