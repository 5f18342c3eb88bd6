// Threads of the host beside that of the simulation, for work that may be done before its turn comes.
//
// The simulation's thread offers tasks to one of them, which does them in the order of the offers. One that has not been begun when
// its turn comes is the simulation's again. Threads that find nothing to do spin for some microseconds, then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

namespace asterism {

class HostThreads {
  class Worker;

 public:
  class Task {
   protected:
    ~Task() = default;
    bool is_done() const { return phase_.load(std::memory_order_acquire) == Phase::done; }

   private:
    friend HostThreads;
    friend Worker;
    enum class Phase : std::uint8_t { idle, offered, running, done };
    // In another thread. Throws nothing.
    virtual void run_ahead() = 0;
    std::atomic<Phase> phase_ = Phase::idle;
    Worker* worker_ = nullptr;  // while it is offered
  };

  // `count` with the simulation's own, at least 2. The others begin with the first offer.
  explicit HostThreads(unsigned count);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;
  unsigned count() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // What follows is for the simulation's thread.

  // `thread` from 1 on: 0 is the simulation's own.
  void offer(Task& task, unsigned thread);
  // Ends an offer: takes it back when nobody has begun, waits for one that is under way. True: it was done.
  static bool settle(Task& task);
  // Ends the threads, until the next offer: before the process forks or is saved. No task may be offered.
  void stop();

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace asterism
