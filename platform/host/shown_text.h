// What a run has already shown on the terminal, shared by all processes of the run.
//
// A process that continues from a live snapshot (snapshot/live_snapshots.h) executes again what was executed
// before, and writes the same text again. Files are restored with the snapshot; a terminal cannot be. This
// class says which part of a text was not shown yet. A text that differs from what was shown at its place is
// shown from the first difference on.
#pragma once

#include <cstdint>
#include <string_view>

namespace asterism {

class ShownText {
 public:
  // Throws std::system_error.
  ShownText();
  ~ShownText();
  ShownText(const ShownText&) = delete;
  ShownText& operator=(const ShownText&) = delete;

  // The process goes on with this text. Returns the part that must be shown.
  std::string_view unseen(std::string_view text);

 private:
  const int file_;        // in memory: all that was shown
  std::uint64_t at_ = 0;  // the length of the text of this process
};

}  // namespace asterism
