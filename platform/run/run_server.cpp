#include "platform/run/run_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "platform/config/config.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

int status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void move_output_to(const std::string& log) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int written = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  dup2(nothing, STDIN_FILENO);
  dup2(written, STDOUT_FILENO);
  dup2(written, STDERR_FILENO);
  close(nothing);
  close(written);
}

// Writes without SIGPIPE if no process reads.
bool send_line(int socket, std::string line) {
  line += '\n';
  return send(socket, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

std::optional<std::string> receive_line(int socket) {
  std::string line;
  for (char c = 0; ::read(socket, &c, 1) == 1; line += c)
    if (c == '\n') return line;
  return std::nullopt;
}

FaultConfig fault_of(const std::string& text) {
  ConfigDocument document = ConfigDocument::parse(text, "fault");
  Diagnostics problems;
  FaultConfig fault = read_config<FaultConfig>(document, nullptr, problems);
  problems.throw_if_any();
  return fault;
}

}  // namespace

std::string to_text(const Continuation& next) {
  nlohmann::json text = {{"out", next.out},
                         {"quiet", next.quiet},
                         {"reference", next.reference},
                         {"serves", next.serves},
                         {"faults", nlohmann::json::array()}};
  if (next.until) text["until"] = next.until->count();
  if (next.live)
    text["live"] = {{"host", next.live->tcp.host}, {"port", next.live->tcp.port}, {"path", next.live->path}};
  for (const FaultConfig& fault : next.faults) text["faults"].push_back(expanded(fault));
  return text.dump();
}

Continuation continuation_of(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  Continuation next{.out = json.at("out"),
                    .quiet = json.at("quiet"),
                    .until = {},
                    .reference = json.at("reference"),
                    .serves = json.at("serves")};
  if (json.contains("until")) next.until = Picoseconds(json["until"].get<std::uint64_t>());
  if (const auto live = json.find("live"); live != json.end())
    next.live = {.tcp = {.host = live->at("host"), .port = live->at("port")}, .path = live->at("path")};
  for (const nlohmann::json& fault : json.at("faults")) next.faults.push_back(fault_of(fault));
  return next;
}

Continuation serve_runs() {
  while (const auto line = receive_line(STDIN_FILENO)) {
    const pid_t child = fork();
    if (child == 0) {
      Continuation next = continuation_of(*line);
      move_output_to(next.out + ".log");
      return next;
    }
    if (!send_line(STDOUT_FILENO, std::to_string(child > 0 ? status_of(child) : -1))) break;
  }
  _exit(0);
}

RunServer::RunServer(const fs::path& snapshot, const fs::path& folder, const fs::path& log)
    : folder_(folder) {
  std::vector<std::string> words{"asterism", "run",     "--restore", snapshot.string(), "--serve-runs",
                                 "--quiet",  "--alone", "--out",     folder.string()};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot start a run");
  socket_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  // The process that requested the runs handles Ctrl-C, and it may block signals that this process needs.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawn(&process_, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start a run");
}

RunServer::~RunServer() {
  close(socket_);
  if (process_ > 0) status_of(process_);
  std::error_code unused;
  fs::remove_all(fs::path(folder_) += ".partial", unused);
}

std::optional<int> RunServer::run(const Continuation& next, const std::stop_token& stop) {
  const std::stop_callback end(stop, [group = process_] { kill(-group, SIGKILL); });
  if (!send_line(socket_, to_text(next))) return std::nullopt;
  const auto reply = receive_line(socket_);
  return reply ? std::optional(std::stoi(*reply)) : std::nullopt;
}

}  // namespace asterism
