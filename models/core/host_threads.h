// Threads of the host beside that of the simulation, for work that may be done before its turn comes.
//
// The simulation's thread offers tasks, in the order in which it will want them. Another thread takes one, the second in
// line where there are two: the first is what the simulation comes to next, and does itself if nobody has begun with it.
// Threads that find nothing spin for some microseconds, then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace asterism {

class HostThreads {
 public:
  class Task {
   public:
    bool is_offered() const { return phase_.load(std::memory_order_relaxed) != Phase::idle; }

   protected:
    ~Task() = default;

   private:
    friend HostThreads;
    enum class Phase : std::uint8_t { idle, offered, running, done };
    // In another thread. Throws nothing.
    virtual void run_ahead() = 0;
    std::atomic<Phase> phase_ = Phase::idle;
  };

  // `count` with the simulation's own, at least 2. The others begin with the first offer.
  explicit HostThreads(unsigned count) : count_(count) {}
  ~HostThreads() { stop(); }
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  // What follows is for the simulation's thread.

  void offer(Task& task);
  // Ends an offer: takes it back when nobody has begun, waits for one that is under way. True: it was done.
  bool settle(Task& task);
  // Ends the threads, until the next offer: before the process forks or is saved. No task may be offered.
  void stop();

 private:
  // Held for some instructions at a time.
  class Lock {
   public:
    void lock() {
      while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() { flag_.clear(std::memory_order_release); }

   private:
    std::atomic_flag flag_;
  };

  void work();
  Task* take();

  const unsigned count_;
  std::vector<std::thread> threads_;
  Lock lock_;
  std::deque<Task*> line_;                // under lock_
  std::atomic<std::size_t> waiting_ = 0;  // length of line_
  std::atomic<std::uint32_t> offers_ = 0;
  std::atomic<unsigned> sleepers_ = 0;
  std::atomic<bool> stopping_ = false;
};

}  // namespace asterism
