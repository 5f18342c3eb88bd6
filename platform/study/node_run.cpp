#include "platform/study/node_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The path of the command: this program, or in a test the one of its build, in a folder above.
fs::path command_of_this_build() {
  std::error_code none;
  fs::path here = fs::read_symlink("/proc/self/exe", none);
  for (fs::path at = here; at.has_relative_path(); at = at.parent_path())
    if (fs::path file = at.parent_path() / "asterism"; fs::is_regular_file(file, none)) return file;
  return here;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

NodeRun::NodeRun(const std::vector<std::string>& words, const std::string& configs) {
  std::vector<std::string> all{command_of_this_build().string(), "run"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--out", out().string()});
  std::vector<std::string> variables{"ASTERISM_CONFIGS=" + configs};
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("ASTERISM_CONFIGS=")) variables.emplace_back(*one);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors().c_str(), O_WRONLY | O_CREAT, 0600);
  const int error =
      posix_spawn(&pid_, all[0].c_str(), &actions, nullptr, pointers(all).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + all[0]);
}

NodeRun::~NodeRun() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<int> NodeRun::wait(const std::stop_token& stop) {
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(pid_, &status, WNOHANG)) != pid_;) {
    if (ended < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot wait for a run");
    if (stop.stop_requested()) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string NodeRun::failure(int status) const {
  std::string line;
  std::ifstream in(errors());
  std::getline(in, line);
  return fmt::format("has ended with status {}{}{}", status, line.empty() ? "" : ": ", line);
}

}  // namespace asterism
