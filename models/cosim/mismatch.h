// The first difference between a model and its RTL: its description, and the class that records it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct LockstepMismatch {
  Picoseconds at;
  std::string instance;  // "node.fabric.arbiter.XB.4"
  std::string what;      // "data", "status", "latency", "interrupt 0", "RTL failed"
  std::string asked;     // "requests {0, 2, 3}", "read 0x018"; "" for an interrupt
  // Both answers: "grants 2", "0x00000001", "rises at 12.400345 us". `model` is empty if the RTL runs alone.
  std::string model, rtl;
  // The last transactions with the model's answers; the different one is the last.
  std::vector<std::string> history;
  std::string trace;         // the file of the window; "" if there is none
  Picoseconds window;        // of the trace
  std::string trace_error;   // why the trace could not be written
  std::string text() const;  // several lines, as printed at the end of a run
};

// Records the first mismatch and writes its window.
class FirstMismatch {
 public:
  using WriteWindow = std::function<void(const std::string& file, Picoseconds window)>;

  // Sets the file for the window before the mismatch, and the function that writes it; without it there is no
  // window.
  void trace_to(std::string file, Picoseconds window, WriteWindow write);
  // Records the first mismatch and fills in what concerns the trace. None may have been recorded before.
  const LockstepMismatch& keep(LockstepMismatch mismatch);
  const std::optional<LockstepMismatch>& mismatch() const { return mismatch_; }

 private:
  std::string file_;
  Picoseconds window_;
  WriteWindow write_;
  std::optional<LockstepMismatch> mismatch_;
};

// A ring of the last 16 elements.
template <class T>
class LastFew {
 public:
  T& next() { return ring_[count_++ % ring_.size()]; }  // still has the content of an older element
  std::uint64_t count() const { return count_; }        // of all elements so far
  // From the oldest to the newest.
  template <class Body>
  void for_each(const Body& body) const {
    for (std::uint64_t i = count_ < ring_.size() ? 0 : count_ - ring_.size(); i < count_; ++i)
      body(ring_[i % ring_.size()]);
  }

 private:
  std::array<T, 16> ring_;
  std::uint64_t count_ = 0;
};

}  // namespace asterism
