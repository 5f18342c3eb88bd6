#include "cluster_scale/cluster_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <system_error>

#include "cluster_scale/cluster_text.h"

namespace asterism {
namespace {

constexpr int milliseconds_between_looks = 50;
constexpr const char* last_line = "end\n";

// Both ends of a pipe that no other child inherits.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  ~Pipe() { close_end(0), close_end(1); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  int release(std::size_t end) {
    const int descriptor = ends[end];
    ends[end] = -1;
    return descriptor;
  }
  std::array<int, 2> ends{-1, -1};
};

void write_all(int descriptor, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t more = write(descriptor, text.data() + written, text.size() - written);
    if (more < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot write a setup");
    if (more > 0) written += static_cast<std::size_t>(more);
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

std::filesystem::path ClusterProcess::installed_program() {
  std::error_code none;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "asterism_cluster";
  return std::filesystem::exists(beside, none) ? beside : std::filesystem::path(ASTERISM_CLUSTER_PROGRAM);
}

ClusterProcess::ClusterProcess(const ClusterSetup& setup, const std::filesystem::path& program)
    : left_(setup.runs) {
  check_cluster(setup);
  if (!std::filesystem::exists(program))
    throw ClusterProgramMissing(
        "asterism_cluster, the program that simulates with SimGrid, is not there: build it with "
        "-DASTERISM_SIMGRID=ON");
  std::ostringstream text;
  write_text(text, setup);
  Pipe setups, results;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, setups.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, results.ends[1], STDOUT_FILENO);
  std::string path = program.string();
  std::array<char*, 2> arguments{path.data(), nullptr};
  const int error = posix_spawn(&pid_, path.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + path);
  setups.close_end(0);
  write_all(setups.ends[1], text.str());  // less than a pipe holds: it does not wait
  results_ = results.release(0);
}

ClusterProcess::~ClusterProcess() {
  if (results_ >= 0) close(results_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<ClusterResult> ClusterProcess::next(const std::stop_token& stop) {
  if (left_ == 0) return std::nullopt;
  const auto block = read_block(stop);
  if (!block) return std::nullopt;
  --left_;
  std::istringstream text(*block);
  return read_result(text);
}

// Up to the next line "end", with it.
std::optional<std::string> ClusterProcess::read_block(const std::stop_token& stop) {
  for (;;) {
    if (const auto end = read_.find(last_line); end != std::string::npos) {
      std::string block = read_.substr(0, end + std::strlen(last_line));
      read_.erase(0, block.size());
      return block;
    }
    if (stop.stop_requested()) return std::nullopt;
    pollfd ready{results_, POLLIN, 0};
    if (poll(&ready, 1, milliseconds_between_looks) <= 0) continue;
    std::array<char, 4096> some{};
    const ssize_t count = read(results_, some.data(), some.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    read_.append(some.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  throw std::runtime_error("the simulation of a cluster " + how_it_ended(status) + " before its result");
}

}  // namespace asterism
