#include "core/host_threads.h"

#include <algorithm>
#include <mutex>

namespace asterism {
namespace {

// Before a thread sleeps, or yields the processor to the thread that it waits for.
constexpr unsigned spins = 4000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

class alignas(64) HostThreads::Worker {
 public:
  void offer(Task& task) {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    task.worker_ = this;
    task.phase_.store(Task::Phase::offered, std::memory_order_relaxed);
    {
      const std::scoped_lock held(mutex_);
      queue_.push_back(&task);
    }
    ++offers_;
    if (is_sleeping_) offers_.notify_one();
  }

  bool withdraw(Task& task) {
    const std::scoped_lock held(mutex_);
    if (task.phase_.load(std::memory_order_relaxed) != Task::Phase::offered) return false;
    queue_.erase(std::ranges::find(queue_, &task));
    task.phase_.store(Task::Phase::idle, std::memory_order_relaxed);
    return true;
  }

  void stop() {
    if (!thread_.joinable()) return;
    is_stopping_ = true;
    ++offers_;
    offers_.notify_one();
    thread_.join();
    is_stopping_ = false;
  }

 private:
  void work() {
    for (std::uint32_t seen = offers_; !is_stopping_; seen = offers_) {
      while (Task* task = take()) {
        task->run();
        task->phase_.store(Task::Phase::done, std::memory_order_release);
      }
      for (unsigned i = 0; i < spins && offers_.load(std::memory_order_relaxed) == seen; ++i) relax();
      if (offers_ != seen) continue;
      is_sleeping_ = true;
      offers_.wait(seen);
      is_sleeping_ = false;
    }
  }

  Task* take() {
    const std::scoped_lock held(mutex_);
    if (queue_.empty()) return nullptr;
    Task* task = queue_.front();
    queue_.pop_front();
    task->phase_.store(Task::Phase::running, std::memory_order_relaxed);
    return task;
  }

  std::mutex mutex_;
  std::deque<Task*> queue_;  // under mutex_
  alignas(64) std::atomic<std::uint32_t> offers_ = 0;
  std::atomic<bool> is_sleeping_ = false, is_stopping_ = false;
  std::thread thread_;
};

HostThreads::HostThreads(unsigned count) {
  for (unsigned i = 1; i < count; ++i) workers_.push_back(std::make_unique<Worker>());
}

HostThreads::~HostThreads() { stop(); }

void HostThreads::offer(Task& task, unsigned thread) { workers_[thread - 1]->offer(task); }

bool HostThreads::finish(Task& task) {
  using enum Task::Phase;
  if (task.phase_.load(std::memory_order_acquire) == offered && task.worker_->withdraw(task)) return false;
  for (unsigned i = 0; task.phase_.load(std::memory_order_acquire) == running; ++i)
    i < spins ? relax() : std::this_thread::yield();
  return task.phase_.exchange(idle, std::memory_order_relaxed) == done;
}

void HostThreads::stop() {
  for (const auto& worker : workers_) worker->stop();
}

}  // namespace asterism
