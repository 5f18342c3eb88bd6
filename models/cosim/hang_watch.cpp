#include "cosim/hang_watch.h"

#include <csignal>
#include <deque>
#include <map>
#include <new>

namespace asterism {
namespace {

// Never destroyed, since a thread may outlive everything else.
std::mutex& slots_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
template <class Slot>
std::deque<Slot>& all_slots() {
  static auto* slots = new std::deque<Slot>;
  return *slots;
}

}  // namespace

// Slots are not freed: a thread may end while the watching thread reads its slot.
HangWatch::Slot* HangWatch::new_slot() {
  const std::lock_guard lock(slots_mutex());
  return &all_slots<Slot>().emplace_back();
}

HangWatch::HangWatch(std::chrono::milliseconds time_limit, std::function<void(const std::string&)> on_hang,
                     std::function<void()> on_sample)
    : time_limit_(time_limit), on_hang_(std::move(on_hang)), on_sample_(std::move(on_sample)) {
  start();
}

// The content belongs to a thread of another process, which would seem to hang.
void HangWatch::resume() {
  new (&mutex_) std::mutex;
  new (&stop_) std::condition_variable;
  new (&thread_) std::thread;
  start();
}

void HangWatch::start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void HangWatch::pause() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  stop_.notify_all();
  thread_.join();
  over_ = false;
}

HangWatch::~HangWatch() { pause(); }

// Reports a hang if the same call was seen at each check of a time limit.
void HangWatch::watch() {
  struct Seen {
    std::uint64_t steps = 0;
    int times = 0;
  };
  std::map<const Slot*, Seen> seen;
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, time_limit_ / samples, [this] { return over_; })) {
    if (on_sample_) on_sample_();
    const std::lock_guard slots_lock(slots_mutex());
    for (const Slot& slot : all_slots<Slot>()) {
      const std::string* instance = slot.instance.load(std::memory_order_acquire);
      const std::uint64_t steps = slot.steps.load(std::memory_order_relaxed);
      Seen& last = seen[&slot];
      last.times = instance != nullptr && last.steps == steps ? last.times + 1 : 0;
      last.steps = steps;
      if (last.times < samples) continue;
      on_hang_(*instance);
      last.times = 0;
    }
  }
}

}  // namespace asterism
