// Executes code of others in a copy of this process, so that what crashes, ends the process or never returns
// ends only the copy.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

namespace asterism {

// An object in memory that both processes have, and that outlives the copy.
template <class T>
class SharedObject {
 public:
  SharedObject() {
    void* const page = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    object_ = new (page) T;
  }
  ~SharedObject() { munmap(object_, sizeof(T)); }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  T* object_;
};

// What the body of a trial sends to the process that waits for it.
class TrialPipe {
 public:
  explicit TrialPipe(int descriptor) : descriptor_(descriptor) {}
  void send(std::string_view bytes) const;

 private:
  int descriptor_;
};

struct TrialEnd {
  enum class How { returned, exited, crashed, stopped } how;
  int number = 0;               // the status of `exited`, the signal of `crashed`
  std::string last_words = {};  // the last line of its output, such as the message of an assertion
};

// Forks, and waits for the end of `body`, which must not throw. A process whose number of `beats`, in shared
// memory, is the same for `patience` of the host's time is stopped. `receive` gets what the body sends. The
// output of the process is not shown.
TrialEnd run_forked(const std::function<void(const TrialPipe&)>& body,
                    const std::function<void(std::string_view)>& receive,
                    const std::atomic<std::uint64_t>& beats, std::chrono::milliseconds patience);

}  // namespace asterism
