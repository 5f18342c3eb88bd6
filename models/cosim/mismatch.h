// A difference between two that have to do the same (a model and its RTL, an interpreter and a translator):
// its description, and the class that counts those of an instance.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/swap_config.h"
#include "base/units.h"

namespace asterism {

struct LockstepMismatch {
  Picoseconds at = {};
  std::string instance = {};  // "node.fabric.arbiter.XB.4"
  std::string what = {};      // "data", "status", "latency", "interrupt 0", "RTL failed"
  std::string asked = {};     // "requests {0, 2, 3}", "read 0x018"; "" for an interrupt
  // Both answers: "grants 2", "0x00000001", "rises at 12.400345 us". `model` is empty if the RTL runs alone.
  std::string model = {}, rtl = {};
  std::string model_name = "model", rtl_name = "RTL";
  // The last transactions with the model's answers; the different one is the last.
  std::vector<std::string> history = {};
  std::vector<std::string> code = {};  // the instructions that have led to it
  std::string trace = {};              // the file of the window; "" if there is none
  Picoseconds window = {};             // of the trace
  std::string trace_error = {};        // why the trace could not be written
  bool stops = true;                   // the run ends with it
  std::string text() const;            // several lines, as printed at the end of a run
};

// Counts the mismatches of one instance, keeps the first ones, and writes the window of the first.
//
// After a mismatch the comparison is over, unless it was asked to continue. After a failure of the RTL it is
// over in any case, because an instance that has ended itself cannot be evaluated again.
class Mismatches {
 public:
  using WriteWindow = std::function<void(const LockstepMismatch& mismatch, Picoseconds window)>;
  static constexpr std::size_t max_kept = 4;  // of an instance, and of those that a run reports

  explicit Mismatches(OnMismatch then = OnMismatch::stop) : then_(then) {}

  // Sets the name of the file of the window before the first mismatch, and the function that writes it;
  // without them there is no window.
  void trace_to(std::string file, Picoseconds window, WriteWindow write);
  // Counts a mismatch. Only the first ones are described: `describe` is not called for the others. Returns
  // the one that was kept, with what concerns the trace filled in, or nullptr.
  const LockstepMismatch* add(bool rtl_failed, const std::function<LockstepMismatch()>& describe);

  bool is_over() const { return over_; }
  std::uint64_t count() const { return count_; }
  const std::optional<LockstepMismatch>& first() const { return first_; }

 private:
  OnMismatch then_;
  std::string file_;
  Picoseconds window_;
  WriteWindow write_;
  std::uint64_t count_ = 0;
  bool over_ = false;
  std::optional<LockstepMismatch> first_, latest_;
};

// "0 mismatches", "1 mismatch".
std::string mismatch_count(std::uint64_t count);

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
