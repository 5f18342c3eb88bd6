// Counts where a core's instructions are executed, and what they cost: by function, by the functions that
// called it, and on request by line of source.
//
// Every instruction is counted, in the function whose symbol covers it; there is no sampling. Simulated time
// and cache misses are charged to the function in which the core is when they pass, also if it waits there.
// The call stack follows calls and returns: BL and BLR make a call; a RET to the return address of a call
// ends that call and all calls above it. Any other way out of a function, such as a tail call, replaces the
// function by the new one. An interrupt or a fault puts its handler above the function that it interrupts,
// until ERET. A core that restarts begins a new stack.
//
// Of Linux, the functions of the kernel are distinguished. All programs together are one function, "[user]",
// because nothing says which program a page belongs to; modules are "[no symbol]". When the kernel has
// switched to another task, its functions return to calls that were made on that task's stack; then a new
// stack begins, without the callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "core/flow_observer.h"
#include "platform/firmware/function_symbols.h"
#include "platform/instruments/flame_graph.h"

namespace asterism {

struct ProfileCost {
  std::uint64_t instructions = 0;
  Picoseconds time = {};  // simulated
  std::uint64_t l1_misses = 0, l2_misses = 0;

  ProfileCost& operator+=(const ProfileCost& more);
  ProfileCost operator-(const ProfileCost& less) const;
  bool operator==(const ProfileCost&) const = default;
};

// The code of a firmware, divided into functions and lines of source.
class ProfiledCode {
 public:
  // A region of FunctionSymbols.
  using Function = std::size_t;

  // With lines, each line is a region of its own, so that a core reports every change of line.
  ProfiledCode(const FunctionSymbols& symbols, bool with_lines);

  // What a core has to report.
  FlowQuestion question(bool instructions) const {
    return {.boundaries = boundaries_, .are_physical = symbols_.is_kernel(), .instructions = instructions};
  }
  static constexpr Function no_symbol = 0, user = ~Function{0};  // the programs of Linux
  Function function_of(const FlowStep& step) const {
    if (symbols_.is_kernel() && !symbols_.is_in_kernel(step.to, step.physical))
      return step.to >> 63 ? no_symbol : user;
    return function_of_region_.empty() ? step.region : function_of_region_[step.region];
  }
  const std::string& name_of(Function function) const;
  // Whether a core may continue on another stack.
  bool has_tasks() const { return symbols_.is_kernel(); }

  static constexpr std::size_t no_line = 0;
  bool has_lines() const { return lines_.size() > 1; }
  std::size_t line_of(std::size_t region) const {
    return line_of_region_.empty() ? no_line : line_of_region_[region];
  }
  // "solver.c:41"; "[no line]" for no_line.
  const std::string& name_of_line(std::size_t line) const { return lines_[line]; }

 private:
  FunctionSymbols symbols_;
  std::vector<std::uint64_t> boundaries_;
  std::vector<std::size_t> function_of_region_, line_of_region_;  // empty without lines
  std::vector<std::string> lines_ = {"[no line]"};
};

class CoreProfile final : public FlowObserver {
 public:
  // Calls deeper than this are counted in the place of their caller. This limits the memory of a stack that
  // never ends (threads that are switched without a return, endless recursion).
  static constexpr std::size_t deepest = 512;
  // What the core has spent in all when it has retired so many instructions. It is called at that count.
  using Costs = std::function<ProfileCost(std::uint64_t instructions)>;

  // `code` must exist as long as this object.
  CoreProfile(const ProfiledCode& code, Costs costs) : code_(code), costs_(std::move(costs)) {}

  void goes(const FlowStep& step) override;
  // Ends the profile with the total number of instructions that the core has retired.
  void finish(std::uint64_t instructions) { charge(costs_(instructions)); }

  const ProfileCost& total() const { return total_; }
  struct Share {
    std::string name;
    // In the function itself; in the function and all that it called.
    ProfileCost self, total;
  };
  // Sorted by the time of `self`, then by its instructions, the largest first, then by name. Functions
  // without instructions are omitted.
  std::vector<Share> functions() const;
  // Likewise; `total` is `self`.
  std::vector<Share> lines() const;
  // Lines such as "core0;main;solve 1234" in alphabetical order, the input of tools that draw flame graphs.
  std::string folded(std::string_view core) const;
  // The tree of calls; its width is instructions.
  FlameFrame frames(const std::string& core, bool has_caches) const;

 private:
  static constexpr std::size_t root = 0;
  struct Place {  // a node of the tree of calls
    ProfiledCode::Function function = 0;
    std::size_t parent = root;
    ProfileCost self = {};
    std::map<ProfiledCode::Function, std::size_t> called = {};  // from function to place
    std::size_t last = root;                                    // the one of them that was entered last
  };
  struct Frame {
    std::size_t place;
    std::uint64_t returns_to;
    bool is_exception;
  };

  void charge(const ProfileCost& until);
  std::size_t below(std::size_t parent, ProfiledCode::Function function);
  void push(const FlowStep& step, ProfiledCode::Function function, bool is_exception);
  ProfiledCode::Function top() const { return places_[stack_.back().place].function; }
  void begin(ProfiledCode::Function function);
  bool pop_call(std::uint64_t to);  // false: to the return address of no call
  void pop_exception();
  void replace_top(ProfiledCode::Function function);
  // By place: its cost with all that it called. A place without instructions below has none.
  std::vector<ProfileCost> totals() const;

  const ProfiledCode& code_;
  Costs costs_;
  std::vector<Place> places_{Place{}};
  std::vector<Frame> stack_;
  std::map<std::size_t, ProfileCost> by_line_;
  std::size_t line_ = ProfiledCode::no_line;
  ProfileCost charged_, total_;
};

// Collects the profiles of all cores.
class ProfileReport {
 public:
  explicit ProfileReport(bool has_caches) : has_caches_(has_caches) {}
  void add(const std::string& core, const CoreProfile& profile);
  const std::string& text() const { return text_; }
  const std::string& lines() const { return lines_; }
  const std::string& folded() const { return folded_; }
  std::string flame_graph(const std::string& title) const;

 private:
  std::string table(const std::vector<CoreProfile::Share>& shares, const ProfileCost& whole,
                    std::string_view of) const;

  const bool has_caches_;
  std::string text_, lines_, folded_;
  FlameFrame all_{.name = "all cores"};
};

}  // namespace asterism
