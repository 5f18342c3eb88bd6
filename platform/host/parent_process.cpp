#include "platform/host/parent_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>

#include "platform/host/exit_status.h"

namespace asterism {
namespace {

// Also if nobody has waited for it so far.
bool has_ended(pid_t process) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return errno == ESRCH;
  pollfd end{descriptor, POLLIN, 0};
  const bool is_over = poll(&end, 1, 0) == 1;
  close(descriptor);
  return is_over;
}

}  // namespace

void end_with_parent() {
  const char* const given = std::getenv("ASTERISM_END_WITH");
  if (!given) return;
  const std::string text = given;
  unsetenv("ASTERISM_END_WITH");
  pid_t parent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parent);
  if (error != std::errc() || end != text.data() + text.size() || parent <= 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Before prctl() it may have ended. A program between the two, such as a shell, is another parent.
  if (getppid() != parent && has_ended(parent)) _exit(static_cast<int>(ExitStatus::interrupted));
}

}  // namespace asterism
