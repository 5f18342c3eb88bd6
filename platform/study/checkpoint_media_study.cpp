// The time that a checkpoint takes to each of the media of dong2011 Table XI, measured on two whole nodes in
// one simulation. The study starts `asterism run` with the scenario of the medium and reads the times that
// the firmware measured.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>
#include <thread>

#include "base/temporary_folder.h"
#include "platform/study/node_costs.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The path of the command: this program, or in a test the one of its build.
fs::path command_of_this_build() {
  std::error_code none;
  const fs::path here = fs::read_symlink("/proc/self/exe", none);
  return here.filename() == "asterism" ? here : fs::path(ASTERISM_PROGRAM);
}

enum class Medium { dimm, stack, disk };
constexpr auto enum_names(Medium) {
  return std::to_array<EnumName<Medium>>(
      {{Medium::dimm, "dimm", "a PCRAM-DIMM of the node, then that of its neighbour"},
       {Medium::stack, "stack", "3D-PCRAM of the node, then that of its neighbour"},
       {Medium::disk, "disk", "a file system that the nodes share, modelled as a bandwidth"}});
}

struct CheckpointMediaStudy {
  Medium medium = Medium::dimm;
  std::uint32_t pages = 1024;
  Bandwidth network = 3'500_MBps;
  Bandwidth disk = 11_MBps;
};
static_assert(member_count<CheckpointMediaStudy>() == 4);
void describe(Fields& f, CheckpointMediaStudy& c) {
  f("medium", c.medium, "The medium of local and global checkpoints.", one_of<Medium>());
  f("pages", c.pages, "The size of a checkpoint in pages of 4 KiB. With medium disk it has 8 pages.",
    within(10, 4000));
  f("network", c.network, "The bandwidth of the link of a node, in each direction.",
    within(1_MBps, 1000_GBps));
  f("disk", c.disk, "With medium disk: the share of a node in the bandwidth of the file system.",
    within(1_MBps, 1_GBps));
}

// A command whose output is discarded and whose errors go to a file. The destructor ends it.
class Command {
 public:
  Command(std::vector<std::string> words, const std::string& configs, const fs::path& errors) {
    std::vector<std::string> variables{"ASTERISM_CONFIGS=" + configs};
    for (char** one = environ; *one != nullptr; ++one)
      if (!std::string_view(*one).starts_with("ASTERISM_CONFIGS=")) variables.emplace_back(*one);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT, 0600);
    const int error = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                  pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words[0]);
  }
  ~Command() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // The exit status; nullopt if a stop was requested.
  std::optional<int> wait(const std::stop_token& stop) {
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

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  pid_t pid_ = -1;
};

class CheckpointMediaPoint final : public StudyPointOf<CheckpointMediaStudy> {
 public:
  void prepare(const ConfigLibrary& library) override { configs_ = library.search_path(); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const TemporaryFolder folder;
    const fs::path out = folder / "run", errors = folder / "errors";
    std::vector<std::string> words{command_of_this_build().string(), "run"};
    for (const std::string& word : scenario()) words.push_back(word);
    words.insert(words.end(), {"--out", out.string()});
    Command command(words, configs_, errors);
    const auto status = command.wait(stop);
    if (!status) return {};
    if (*status != 0) {
      std::string line;
      std::ifstream in(errors);
      std::getline(in, line);
      throw StudyMistake("medium", fmt::format("the run on two nodes has ended with status {}{}{}", *status,
                                               line.empty() ? "" : ": ", line));
    }
    return config_.medium == Medium::disk ? of_disk(out) : of_pcram(out);
  }

 private:
  static std::string text_of(Bandwidth bandwidth) { return fmt::format("{}B/s", bandwidth.count()); }

  std::vector<std::string> scenario() const {
    const CheckpointMediaStudy& c = config_;
    const std::string network = "cluster.network.bandwidth=" + text_of(c.network);
    switch (c.medium) {
      case Medium::dimm:
        return {"pcram_neighbour", network, fmt::format("args=pages={} to=neighbour", c.pages)};
      case Medium::stack:
        return {"pcram_neighbour",
                network,
                fmt::format("args=pages={} to=neighbour", c.pages),
                "node.pcram.kind=stack",
                "node.pcram.part=dong2011_3d",
                "node.pcram.layers=2",
                "node.pcram.suppress=false"};
      case Medium::disk:
        break;
    }
    // Both nodes write at once, so that each has half of the link. The number of steps suffices for both
    // writes to end.
    return {"buddy_cluster",
            network,
            "faults=[]",
            "expect={}",
            "cluster.nodes=2",
            "cluster.spares=0",
            "cluster.firmware_spares=0",
            "cluster.checkpoint.interval=30",
            "cluster.checkpoint.global_every=1",
            fmt::format("cluster.program.steps={}", 60 + 2 * steps_of(c.disk)),
            fmt::format("cluster.storage.bandwidth={}B/s", 2 * c.disk.count())};
  }

  // The number of steps of 100 us in which a copy of 32 KiB is written to the disk.
  static std::uint64_t steps_of(Bandwidth disk) { return 32768ull * 10'000 / disk.count(); }

  static std::vector<Cell> of_disk(const fs::path& out) {
    const NodeCosts costs(out / "stats.json");
    const auto bytes = static_cast<double>(costs.count("state_bytes", "pages"));
    const auto rate = static_cast<double>(costs.count("drain_bytes_per_second", "disk"));
    return {std::monostate(), std::monostate(), bytes / rate * 1e6,
            rate / 1e9,       std::monostate(), std::monostate()};
  }

  static std::vector<Cell> of_pcram(const fs::path& out) {
    std::map<std::string, double> found;
    std::ifstream in(out / "files/node0/result.txt");
    double value = 0;
    for (std::string name; in >> name >> value;) found[name] = value;
    const auto number = [&](const char* name) {
      const auto at = found.find(name);
      if (at == found.end() || at->second <= 0)
        throw std::runtime_error(std::string("result.txt of the first node has no ") + name);
      return at->second;
    };
    const double bytes = number("bytes"), local = number("local_ns"), global = number("neighbour_ns"),
                 back = number("back_ns");
    return {local / 1e3, bytes / local, global / 1e3, bytes / global, back / 1e3, bytes / back};
  }

  std::string configs_;  // search path
};

const RegisteredStudy checkpoint_media_study{
    {.name = "checkpoint_media",
     .meaning =
         "A checkpoint to a node's own PCRAM, to that of its neighbour and to disks, measured on whole nodes",
     .coordinates = {"medium", "pages", "network"},
     .columns = {{"local_us", "local", "us", "The time from memory to the node's own PCRAM", 1},
                 {"local_gbps", "local", "GB/s", "The bandwidth from memory to the node's own PCRAM"},
                 {"global_us", "global", "us",
                  "The time from there to the neighbour's PCRAM, or to the disks", 1},
                 {"global_gbps", "global", "GB/s",
                  "The bandwidth from there to the neighbour's PCRAM, or to the disks", 3},
                 {"back_us", "back", "us", "The time from the neighbour's PCRAM to the node's memory", 1},
                 {"back_gbps", "back", "GB/s",
                  "The bandwidth from the neighbour's PCRAM to the node's memory"}},
     .x = "network",
     .y = "global_gbps",
     .x_key = "network",
     .other_x = "pages",
     .bars = {"local_gbps", "global_gbps"},
     .make = make_study_point<CheckpointMediaPoint>}};

}  // namespace
}  // namespace asterism
