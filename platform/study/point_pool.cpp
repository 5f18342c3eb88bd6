#include "platform/study/point_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "platform/study/ranks.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

constexpr auto stop_timeout = 300ms;  // for points that were asked to stop
constexpr auto between_progress = 250ms;

// Messages over a stream socket, each after its length.
class Frames {
 public:
  explicit Frames(int socket) : socket_(socket) {}

  // False if the other end is closed.
  bool send(const PointMessage& message) const {
    const std::string bytes = to_bytes(message);
    const std::uint64_t size = bytes.size();
    std::string frame(sizeof size, '\0');
    std::memcpy(frame.data(), &size, sizeof size);
    frame += bytes;
    for (std::size_t at = 0; at < frame.size();) {
      const ssize_t sent = ::send(socket_, frame.data() + at, frame.size() - at, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }

  // Reads what has arrived. False if the other end is closed.
  bool fill() {
    std::array<char, 65536> bytes;
    for (;;) {
      const ssize_t got = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0) received_.append(bytes.data(), static_cast<std::size_t>(got));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) return false;
    }
  }
  std::optional<PointMessage> next() {
    std::uint64_t size = 0;
    if (received_.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, received_.data(), sizeof size);
    if (received_.size() - sizeof size < size) return std::nullopt;
    PointMessage message = read_point_message(received_.substr(sizeof size, size));
    received_.erase(0, sizeof size + size);
    return message;
  }

 private:
  int socket_;
  std::string received_;
};

bool is_readable(int socket, std::chrono::milliseconds time) {
  pollfd one{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&one, 1, static_cast<int>(time.count())) > 0;
}

// The worker's side: a thread that runs a point, and this one, which receives messages and reports the
// progress.
class Work {
 public:
  Work(int socket, const PointPool::Points& points) : socket_(socket), frames_(socket), points_(points) {}

  // Serves until the other end is closed. A point that is then under way is dropped.
  [[noreturn]] void serve() {
    for (;;) {
      const bool has_news = is_readable(socket_, between_progress);
      if (has_news && !frames_.fill()) _exit(0);
      while (auto message = frames_.next()) {
        if (auto* task = std::get_if<PointTask>(&*message)) begin(*task);
        if (std::holds_alternative<StopPoints>(*message)) stop_.request_stop();
      }
      if (!has_news) report_progress();
    }
  }

 private:
  void begin(const PointTask& task) {
    if (thread_.joinable()) thread_.join();
    stop_ = {};
    thread_ = std::thread([this, task, stop = stop_.get_token()] { send(outcome(task, stop)); });
  }
  PointOutcome outcome(const PointTask& task, const std::stop_token& stop) {
    try {
      StudyPoint& point = points_(task);
      index_ = task.index;
      under_way_ = &point;
      PointOutcome outcome = run_point(point, task.index, stop);
      under_way_ = nullptr;
      return outcome;
    } catch (...) {
      return {.index = task.index, .error = std::current_exception()};
    }
  }
  void report_progress() {
    // The point exists until the next task, which this thread begins.
    if (const StudyPoint* point = under_way_)
      send(PointProgress{index_, point->share_done(), point->progress()});
  }
  void send(const PointMessage& message) {
    const std::lock_guard lock(sending_);
    if (!frames_.send(message)) _exit(0);
  }

  int socket_;
  Frames frames_;
  const PointPool::Points& points_;
  std::stop_source stop_;
  std::mutex sending_;
  std::atomic<const StudyPoint*> under_way_ = nullptr;
  std::atomic<std::uint64_t> index_ = 0;
  std::thread thread_;
};

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return name ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", WTERMSIG(status));
}

}  // namespace

// The pool's side of a worker.
class PointPool::Worker {
 public:
  explicit Worker(const Points& points) : points_(points) { start(); }
  ~Worker() { end(SIGKILL); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }
  const std::optional<PointTask>& task() const { return task_; }
  void run(const PointTask& task) {
    task_ = task;
    frames_->send(task);  // a dead worker is noticed when the end of its stream is read
  }
  void stop() {
    if (task_) frames_->send(StopPoints{});
  }
  void kill() {
    is_killed_ = true;
    ::kill(process_, SIGKILL);
  }

  void read(const Receiver& receiver) {
    const bool lives = frames_->fill();
    while (auto message = frames_->next()) {
      if (std::holds_alternative<PointOutcome>(*message)) task_.reset();
      receiver(std::move(*message));
    }
    if (lives) return;
    const std::string how = end(0);
    PointOutcome lost{.index = task_ ? task_->index : 0, .crash = is_killed_ ? "" : how};
    const bool had_one = task_.has_value();
    start();
    if (had_one) receiver(std::move(lost));
  }

 private:
  void start() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a socket for a worker");
    std::fflush(nullptr);  // otherwise the child would also write the buffered output
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) throw std::system_error(errno, std::generic_category(), "cannot start a worker");
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(0);  // the parent ended before prctl()
      close(ends[0]);
      RankLaunch::forget();
      Work(ends[1], points_).serve();
    }
    close(ends[1]);
    socket_ = ends[0];
    frames_.emplace(socket_);
    task_.reset();
    is_killed_ = false;
  }
  std::string end(int signal) {
    close(socket_);
    if (signal != 0) ::kill(process_, signal);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0)
      if (errno != EINTR) return "ended";
    return how_it_ended(status);
  }

  const Points& points_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::optional<Frames> frames_;
  std::optional<PointTask> task_;
  bool is_killed_ = false;
};

PointPool::PointPool(unsigned workers, Points points) : points_(std::move(points)) {
  for (unsigned i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>(points_));
}

PointPool::~PointPool() = default;

bool PointPool::has_free_worker() const {
  return std::ranges::any_of(workers_, [](const auto& worker) { return !worker->task(); });
}

void PointPool::run(const PointTask& task) {
  (*std::ranges::find_if(workers_, [](const auto& worker) { return !worker->task(); }))->run(task);
}

void PointPool::stop() {
  if (stopped_) return;
  stopped_ = Clock::now();
  for (const auto& worker : workers_) worker->stop();
}

void PointPool::kill_the_overdue() {
  if (!stopped_ || Clock::now() - *stopped_ < stop_timeout) return;
  for (const auto& worker : workers_)
    if (worker->task() && !worker->task()->keeps_a_part) worker->kill();
}

void PointPool::wait(std::chrono::milliseconds time, const Receiver& receiver) {
  kill_the_overdue();
  std::vector<pollfd> all;
  for (const auto& worker : workers_) all.push_back({.fd = worker->socket(), .events = POLLIN, .revents = 0});
  if (poll(all.data(), all.size(), static_cast<int>(time.count())) <= 0) return;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].revents != 0) workers_[i]->read(receiver);
}

}  // namespace asterism
