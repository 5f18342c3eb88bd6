// For tests: a kind of points that end in every possible way, and ranks that are processes started by the
// test, without MPI.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/study/point_ranks.h"
#include "platform/study/study_under_test.h"

namespace asterism {

enum class HowItEnds { well, abort, segv, exit, mistake, failure, endless, deaf };
constexpr auto enum_names(HowItEnds) {
  using enum HowItEnds;
  return std::to_array<EnumName<HowItEnds>>({{well, "well"},
                                             {abort, "abort"},
                                             {segv, "segv"},
                                             {exit, "exit"},
                                             {mistake, "mistake"},
                                             {failure, "failure"},
                                             {endless, "endless"},
                                             {deaf, "deaf"}});
}
struct Fragile {
  HowItEnds ends = HowItEnds::well;
  std::uint32_t size = 1;
};
inline void describe(Fields& f, Fragile& c) {
  f("ends", c.ends, "How the point ends.", one_of<HowItEnds>());
  f("size", c.size, "The size of the detail.", within(1, 10'000'000));
}

inline void* shared_page() {
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("there is no page to share");
  return page;
}
// How many points that do not end by themselves have begun, in any process.
inline std::atomic<int>& begun_without_end = *new (shared_page()) std::atomic<int>(0);

class FragilePoint final : public StudyPointOf<Fragile> {
 public:
  void prepare(const ConfigLibrary&) override { is_prepared_ = true; }
  bool keeps_a_part() const override { return config_.ends == HowItEnds::endless; }
  std::vector<Cell> run(const std::stop_token& stop) override {
    using enum HowItEnds;
    if (!is_prepared_) throw std::logic_error("it is not prepared");
    const auto die_of = [](int signal) {
      std::signal(signal, SIG_DFL);  // as in a build without sanitizers
      raise(signal);
    };
    if (config_.ends == abort) die_of(SIGABRT);
    if (config_.ends == segv) die_of(SIGSEGV);
    if (config_.ends == exit) _exit(3);
    if (config_.ends == mistake) throw StudyMistake("size", "is not wanted", {"ends"});
    if (config_.ends == failure) throw StudyFailure("found");
    if (config_.ends == deaf || config_.ends == endless) ++begun_without_end;
    while (config_.ends == deaf) std::this_thread::sleep_for(std::chrono::seconds(1));
    while (config_.ends == endless && !stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {std::uint64_t{config_.size}, config_.size / 3.0};
  }
  std::string detail() const override { return '"' + std::string(config_.size, 'x') + '"'; }

 private:
  bool is_prepared_ = false;
};

inline const StudyKind fragile_kind{
    .name = "fragile",
    .meaning = "Points that may crash",
    .coordinates = {"ends"},
    .columns = {{"size", "size", "", "As it was"}, {"third", "third", "", "Of it"}},
    .x = "size",
    .y = "third",
    .x_key = "size",
    .bars = {"third"},
    .make = make_study_point<FragilePoint>};
inline const StudyUnderTest fragile(fragile_kind, R"({"kind": "fragile"})");

inline std::unique_ptr<StudyPoint> make_fragile(std::string_view kind) {
  return kind == fragile_kind.name ? fragile_kind.make() : nullptr;
}

// One end of a star of sockets: rank 0 is connected to all others.
class SocketRanks final : public Ranks {
 public:
  SocketRanks(int rank, std::vector<int> sockets) : rank_(rank), sockets_(std::move(sockets)) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(sockets_.size()) + (rank_ == 0 ? 1 : 0); }
  void send(int to, const std::string& bytes) override {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::send(socket(to), bytes.data(), bytes.size(), MSG_NOSIGNAL) != size)
      throw std::runtime_error("a rank is gone");
  }
  std::optional<Message> receive() override {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      const ssize_t got = recv(sockets_[i], buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (got == 0) _exit(1);  // rank 0 has ended
      if (got < 0) continue;
      return Message{rank_ == 0 ? static_cast<int>(i) + 1 : 0,
                     buffer_.substr(0, static_cast<std::size_t>(got))};
    }
    return std::nullopt;
  }

 private:
  int socket(int rank) const { return sockets_.at(rank_ == 0 ? static_cast<std::size_t>(rank - 1) : 0); }

  int rank_;
  std::vector<int> sockets_;
  std::string buffer_ = std::string(1 << 20, '\0');
};

// The test is rank 0; the other ranks serve until the object is destroyed.
class TestRanks {
 public:
  explicit TestRanks(int count, const PointMaker& make = make_fragile) {
    std::vector<int> mine;
    for (int rank = 1; rank < count; ++rank) {
      std::array<int, 2> ends{};
      if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) throw std::runtime_error("no sockets");
      processes_.push_back(fork());
      if (processes_.back() == 0) {
        for (const int other : mine) close(other);
        close(ends[0]);
        SocketRanks own(rank, {ends[1]});
        serve_points(
            own, [] { return shipped_configs; }, make);
        _exit(0);
      }
      close(ends[1]);
      mine.push_back(ends[0]);
    }
    ranks_.emplace(0, std::move(mine));
  }
  // Checks that each process has ended with status 0.
  ~TestRanks() {
    dismiss_ranks(*ranks_);
    for (const pid_t process : processes_) {
      int status = 0;
      EXPECT_EQ(waitpid(process, &status, 0), process);
      EXPECT_EQ(status, 0);
    }
  }
  TestRanks(const TestRanks&) = delete;
  TestRanks& operator=(const TestRanks&) = delete;

  PointRun run(const Study& study, unsigned workers = 1) {
    return run_study(study, {.threads = workers, .show_progress = false, .ranks = &*ranks_});
  }
  pid_t process(int rank) const { return processes_.at(static_cast<std::size_t>(rank - 1)); }

 private:
  std::vector<pid_t> processes_;
  std::optional<SocketRanks> ranks_;
};

}  // namespace asterism
