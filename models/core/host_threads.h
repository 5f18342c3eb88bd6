// Worker threads of the host beside the simulation thread, for work that may be done early.
//
// The simulation thread offers a task to one of the workers, each of which executes its tasks in the order
// of the offers. It gets a task that no worker has begun back with finish(). A worker without tasks spins for
// some microseconds, then sleeps.
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
    // Called by a worker. Throws nothing.
    virtual void run() = 0;
    std::atomic<Phase> phase_ = Phase::idle;
    Worker* worker_ = nullptr;  // while it is offered
  };

  // `count` includes the simulation thread, and is at least 2. The workers are started by the first
  // offers.
  explicit HostThreads(unsigned count);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;
  unsigned count() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // All that follows is for the simulation thread.

  // `thread` is 1 or higher; 0 is the simulation's own.
  void offer(Task& task, unsigned thread);
  // Ends an offer: withdraws a task that no worker has begun, waits for one that is being executed. True: it
  // was executed.
  static bool finish(Task& task);
  // Stops the workers until the next offer, before the process forks or is saved. No task may be offered.
  void stop();

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace asterism
