// Counts where a core's instructions are executed: by function, and by the functions that called it.
//
// Every instruction is counted, in the function whose symbol covers it; there is no sampling. The call stack
// follows calls and returns: BL and BLR make a call; a RET to the return address of a call ends that call and
// all calls above it. Any other way out of a function, such as a tail call, replaces the function by the new
// one. An interrupt or a fault puts its handler above the function that it interrupts, until ERET. A core
// that restarts begins a new stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_observer.h"
#include "platform/function_symbols.h"

namespace asterism {

class CoreProfile final : public FlowObserver {
 public:
  // Calls deeper than this are counted in the place of their caller. This limits the memory of a stack that
  // never ends (threads that are switched without a return, endless recursion).
  static constexpr std::size_t deepest = 512;

  void goes(const FlowStep& step) override;
  // Ends the profile with the total number of instructions that the core has retired.
  void finish(std::uint64_t instructions) { charge(instructions); }

  std::uint64_t instructions() const { return charged_; }
  struct Share {
    std::string name;
    // Instructions in the function itself; in the function and all that it called.
    std::uint64_t self = 0, total = 0;
  };
  // Sorted by `self`, the largest first, then by name. Functions without instructions are omitted.
  std::vector<Share> functions(const FunctionSymbols& symbols) const;
  // Lines such as "core0;main;solve 1234" in alphabetical order, the input of tools that draw flame graphs.
  std::string folded(std::string_view core, const FunctionSymbols& symbols) const;

 private:
  static constexpr std::size_t root = 0;
  struct Place {  // a node of the tree of calls
    std::size_t region = 0, parent = root;
    std::uint64_t self = 0;
    std::map<std::size_t, std::size_t> called = {};  // from region to place
  };
  struct Frame {
    std::size_t place;
    std::uint64_t returns_to;
    bool is_exception;
  };

  void charge(std::uint64_t instructions);
  std::size_t below(std::size_t parent, std::size_t region);
  void push(const FlowStep& step, bool is_exception);
  void pop_call(std::uint64_t to);
  void pop_exception();
  void replace_top(std::size_t region);

  std::vector<Place> places_{Place{}};
  std::vector<Frame> stack_;
  std::uint64_t charged_ = 0;
};

// Collects the profiles of all cores for profile.txt.
class ProfileReport {
 public:
  explicit ProfileReport(const FunctionSymbols& symbols) : symbols_(symbols) {}
  void add(const std::string& core, const CoreProfile& profile);
  const std::string& text() const { return text_; }
  const std::string& folded() const { return folded_; }

 private:
  const FunctionSymbols& symbols_;
  std::string text_, folded_;
};

}  // namespace asterism
