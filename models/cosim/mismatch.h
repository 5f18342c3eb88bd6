// The first difference between a model and its RTL: what is told of it, and what keeps it.
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
  std::string asked;     // "requests {0, 2, 3}", "read 0x018"; "" of an interrupt
  // Both answers: "grants 2", "0x00000001", "rises at 12.400345 us"; no model's where the RTL stands alone.
  std::string model, rtl;
  std::vector<std::string> history;  // the last transactions with the model's answers, the differing one last
  std::string trace;                 // file of the window; "" when there is none
  Picoseconds window;                // of the trace
  std::string trace_error;           // why it could not be written
  std::string text() const;          // several lines, as printed at the end of a run
};

// Keeps the first one and writes its window.
class FirstMismatch {
 public:
  using WriteWindow = std::function<void(const std::string& file, Picoseconds window)>;

  // Where the window before it goes, and who writes it; none without this.
  void trace_to(std::string file, Picoseconds window, WriteWindow write);
  // Nothing was kept before. What is said of the trace is filled in.
  const LockstepMismatch& keep(LockstepMismatch mismatch);
  const std::optional<LockstepMismatch>& mismatch() const { return mismatch_; }

 private:
  std::string file_;
  Picoseconds window_;
  WriteWindow write_;
  std::optional<LockstepMismatch> mismatch_;
};

// The last 16 of what there was.
template <class T>
class LastFew {
 public:
  T& next() { return ring_[count_++ % ring_.size()]; }  // as it was left by an older one
  std::uint64_t count() const { return count_; }        // of all that there were
  // The newest last.
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
