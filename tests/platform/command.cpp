#include "tests/platform/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

extern char** environ;

namespace asterism {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) ADD_FAILURE() << file << " does not exist";
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

Running::Running(const fs::path& program, const Arguments& arguments, const fs::path& folder,
                 const std::map<std::string, std::string>& environment) {
  std::vector<std::string> words{program.string()}, variables = with(environment);
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const int error = posix_spawnp(&process_, program.c_str(), &actions, nullptr, pointers(words).data(),
                                 pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), program.string());
}

Running::~Running() {
  if (process_ > 0) {
    signal(SIGKILL);
    wait();
  }
}

std::string Running::err_so_far() const { return read_file(err_); }

void Running::signal(int number) const { kill(process_, number); }

Ended Running::wait() {
  const auto deadline = std::chrono::steady_clock::now() + 5min;
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "the command has not ended after five minutes";
      signal(SIGKILL);
      waitpid(process_, &status, 0);
      break;
    }
    std::this_thread::sleep_for(1ms);
  }
  process_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out_), read_file(err_)};
}

CommandTest::CommandTest()
    : asterism_program(std::getenv("ASTERISM_COMMAND") ? std::getenv("ASTERISM_COMMAND") : ASTERISM_COMMAND),
      environment{{"ASTERISM_CONFIGS", ASTERISM_SOURCE_CONFIGS},
                  {"ASTERISM_FIRMWARE", ASTERISM_FIRMWARE_FOLDER}} {}

Running CommandTest::start(const Arguments& arguments) const {
  return {asterism_program, arguments, folder, environment};
}

Ended CommandTest::asterism(const Arguments& arguments) const { return start(arguments).wait(); }

Ended CommandTest::program(const std::string& file, const Arguments& arguments) const {
  return Running(file, arguments, folder, environment).wait();
}

Ended CommandTest::firmware(const std::string& name, const Arguments& more) const {
  Arguments all{"run",   "hello", "firmware=" + name, "node.memory.size=64MiB", "expect.exit=null",
                "--out", "run"};
  all.insert(all.end(), node_of_firmware.begin(), node_of_firmware.end());
  all.insert(all.end(), more.begin(), more.end());
  return asterism(all);
}

std::string CommandTest::elf(const std::string& app) {
  return std::string(ASTERISM_FIRMWARE_FOLDER) + "/" + app + ".elf";
}

const fs::path& CommandTest::source_configs() {
  static const fs::path configs = ASTERISM_SOURCE_CONFIGS;
  return configs;
}

std::string CommandTest::contents(const fs::path& file) const { return read_file(folder / file); }

nlohmann::json CommandTest::json(const fs::path& file) const {
  return nlohmann::json::parse(contents(file), nullptr, false);
}

std::vector<nlohmann::json> CommandTest::events(const fs::path& run_directory) const {
  std::vector<nlohmann::json> all;
  std::istringstream lines(contents(run_directory / "events.jsonl"));
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

void CommandTest::write(const fs::path& file, const std::string& text) const {
  fs::create_directories((folder / file).parent_path());
  std::ofstream(folder / file, std::ios::binary) << text;
}

bool CommandTest::is_refused_by_sanitizers(const Ended& ended) {
  return ended.status == 65 && ended.err.find("a build with sanitizers") != std::string::npos;
}

std::map<std::string, std::string> CommandTest::left_by(const fs::path& run) const {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / run)) {
    const fs::path name = entry.path().lexically_relative(folder / run);
    if (entry.is_regular_file() && name != "host.json" && !name.string().starts_with("reference"))
      files[name.string()] = contents(run / name);
  }
  return files;
}

bool CommandTest::left_a_run() const {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".partial" || entry.path().filename() == "scenario.json") return true;
  return false;
}

std::vector<std::string> kinds(const std::vector<nlohmann::json>& events) {
  std::vector<std::string> all;
  for (const auto& event : events) all.push_back(event.at("kind"));
  return all;
}

void expect_the_newest_durable(const std::vector<nlohmann::json>& events) {
  std::uint64_t durable = 0, begun = 0;
  bool is_lost = false;
  for (const auto& event : events) {
    const std::string kind = event["kind"];
    if (kind == "power_lost") is_lost = durable > 0;
    if (kind == "checkpoint_begin") {
      EXPECT_FALSE(is_lost) << durable << " was durable: " << event;
      begun = event["version"];
    }
    if (kind == "checkpoint_commit") durable = event["version"];
    if (kind == "restore") {
      EXPECT_GE(event["version"], durable) << event;
      EXPECT_LE(event["version"], begun) << event;
      durable = begun = event["version"];
      is_lost = false;
    }
  }
  EXPECT_FALSE(is_lost) << durable << " was durable";
}

}  // namespace asterism
