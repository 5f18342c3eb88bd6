#include "core/host_threads.h"

#include <algorithm>
#include <mutex>

namespace asterism {
namespace {

constexpr unsigned spins =
    4000;  // before a thread sleeps, or leaves the processor to the one that it waits for

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void HostThreads::offer(Task& task) {
  if (threads_.empty())
    for (unsigned i = 1; i < count_; ++i) threads_.emplace_back([this] { work(); });
  task.phase_.store(Task::Phase::offered, std::memory_order_relaxed);
  {
    const std::scoped_lock held(lock_);
    line_.push_back(&task);
    waiting_.store(line_.size(), std::memory_order_relaxed);
  }
  ++offers_;
  if (sleepers_ != 0) offers_.notify_one();
}

bool HostThreads::settle(Task& task) {
  using enum Task::Phase;
  if (task.phase_.load(std::memory_order_acquire) == offered) {
    const std::scoped_lock held(lock_);
    if (task.phase_.load(std::memory_order_relaxed) == offered) {
      line_.erase(std::ranges::find(line_, &task));
      waiting_.store(line_.size(), std::memory_order_relaxed);
      task.phase_.store(idle, std::memory_order_relaxed);
      return false;
    }
  }
  for (unsigned i = 0; task.phase_.load(std::memory_order_acquire) == running; ++i)
    i < spins ? relax() : std::this_thread::yield();
  return task.phase_.exchange(idle, std::memory_order_relaxed) == done;
}

void HostThreads::stop() {
  stopping_ = true;
  ++offers_;
  offers_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  stopping_ = false;
}

HostThreads::Task* HostThreads::take() {
  if (waiting_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::scoped_lock held(lock_);
  if (line_.empty()) return nullptr;
  const auto taken = line_.begin() + (line_.size() > 1 ? 1 : 0);
  Task* task = *taken;
  line_.erase(taken);
  waiting_.store(line_.size(), std::memory_order_relaxed);
  task->phase_.store(Task::Phase::running, std::memory_order_relaxed);
  return task;
}

void HostThreads::work() {
  while (!stopping_) {
    const std::uint32_t seen = offers_;
    Task* task = take();
    for (unsigned i = 0; !task && i < spins && !stopping_; ++i) {
      relax();
      task = take();
    }
    if (task) {
      task->run_ahead();
      task->phase_.store(Task::Phase::done, std::memory_order_release);
      continue;
    }
    ++sleepers_;
    if (!stopping_) offers_.wait(seen);
    --sleepers_;
  }
}

}  // namespace asterism
