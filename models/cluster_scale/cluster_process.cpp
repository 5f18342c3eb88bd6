#include "cluster_scale/cluster_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
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

// A file without a name that holds the text, positioned at its beginning. A pipe would block if nothing reads
// it.
class TextFile {
 public:
  explicit TextFile(const std::string& text) : descriptor_(memfd_create("setup", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(text.size());
    if (descriptor_ < 0 || pwrite(descriptor_, text.data(), text.size(), 0) != size)
      throw std::system_error(errno, std::generic_category(), "cannot hand over a setup");
  }
  ~TextFile() { close(descriptor_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

std::filesystem::path ClusterProcess::installed_program() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  fs::path installed = folder.parent_path() / "lib" / "asterism" / "asterism_cluster";
  if (fs::exists(installed, none)) return installed;
  for (fs::path at = folder;; at = at.parent_path())  // a test is in a folder below that of the build
    if (fs::path file = at / "asterism_cluster"; fs::is_regular_file(file, none) || at == at.root_path())
      return file;
}

ClusterProcess::ClusterProcess(const ClusterSetup& setup, const std::filesystem::path& program)
    : left_(setup.runs) {
  check_cluster(setup);
  if (!std::filesystem::exists(program))
    throw ClusterProgramMissing(
        "asterism_cluster, the program that simulates with SimGrid, does not exist: install the package "
        "asterism-cluster, or build it with -DASTERISM_SIMGRID=ON");
  std::ostringstream text;
  write_text(text, setup);
  const TextFile setups(text.str());
  Pipe results;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, setups.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, results.ends[1], STDOUT_FILENO);
  std::string path = program.string();
  std::array<char*, 2> arguments{path.data(), nullptr};
  const int error = posix_spawn(&pid_, path.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + path);
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

// The text up to the next line "end", inclusive.
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
