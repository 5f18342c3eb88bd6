// Detects RTL that hangs: a call into a block that takes seconds of host time, for example because of an
// endless loop in the model. Nothing in the process can end such a call, so the only reaction is to end the
// process.
//
//   const HangWatch watch(10s, [](const std::string& instance) { ...report it and _exit(); });
//   ...
//   const HangWatch::Scope scope(instance.name());  // around the evaluation of a block: a few stores, and
//                                                   // no system call
//
// Code that may take long calls alive() from time to time. Nothing in a scope waits for simulated time.
// Without a HangWatch the scopes have no effect. The host's clock has no influence on results.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace asterism {

class HangWatch {
  struct Slot {  // one per thread
    std::atomic<std::uint64_t> steps = 0;
    std::atomic<const std::string*> instance = nullptr;
  };

 public:
  class Scope {
   public:
    explicit Scope(const std::string& instance) : slot_(slot()), outer_(slot_.instance) {
      slot_.instance.store(&instance, std::memory_order_release);
      alive();
    }
    ~Scope() { slot_.instance.store(outer_, std::memory_order_release); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    void alive() const {
      slot_.steps.store(slot_.steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

   private:
    Slot& slot_;
    const std::string* outer_;
  };

  // `on_hang` runs in a separate thread, again for each time that passes. All signals are blocked there.
  // `on_sample` runs there `samples` times per limit, for code that has no scopes.
  HangWatch(std::chrono::milliseconds time_limit, std::function<void(const std::string& instance)> on_hang,
            std::function<void()> on_sample = {});
  static constexpr int samples = 8;
  ~HangWatch();
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;
  // Stops watching until resume().
  void pause();
  // Also works in a process that is a copy of the one that constructed this, and does not have its thread.
  void resume();

 private:
  static Slot& slot() {
    if (own_slot_ == nullptr) own_slot_ = new_slot();
    return *own_slot_;
  }
  static Slot* new_slot();
  void start();
  void watch();

  static inline constinit thread_local Slot* own_slot_ = nullptr;

  std::chrono::milliseconds time_limit_;
  std::function<void(const std::string&)> on_hang_;
  std::function<void()> on_sample_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace asterism
