// Where a core's instructions go: by function, and by the functions that called it.
//
// Every instruction is counted, in the function whose symbol covers it; nothing is sampled. Who called whom is what calls and returns say:
// BL and BLR call, a RET to where a call returns to ends it with all above it. Another way out of a function, a tail call among
// them, has the new function stand in the place of the old one. What an interrupt or a fault leads to stands above the
// function that it came in, until ERET. A core that starts again begins a new stack.
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
  // Calls deeper than this are counted, but stand in the place of their caller: a stack that never ends (threads that are switched
  // without a return, endless recursion) costs no more memory.
  static constexpr std::size_t deepest = 512;

  void goes(const FlowStep& step) override;
  // The instructions that the core has retired in all.
  void finish(std::uint64_t instructions) { charge(instructions); }

  std::uint64_t instructions() const { return charged_; }
  struct Share {
    std::string name;
    std::uint64_t self = 0, total = 0;  // of the function; with all that it called
  };
  // By `self`, the largest first, then by name; none without instructions.
  std::vector<Share> functions(const FunctionSymbols& symbols) const;
  // "core0;main;solve 1234" a line, in the order of the text: what flame graphs are drawn from.
  std::string folded(std::string_view core, const FunctionSymbols& symbols) const;

 private:
  static constexpr std::size_t root = 0;
  struct Place {  // in the tree of calls
    std::size_t region = 0, parent = root;
    std::uint64_t self = 0;
    std::map<std::size_t, std::size_t> called = {};  // region to place
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
  void stand_in(std::size_t region);

  std::vector<Place> places_{Place{}};
  std::vector<Frame> stack_;
  std::uint64_t charged_ = 0;
};

// profile.txt, of all cores.
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
