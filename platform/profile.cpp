#include "platform/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/units.h"

namespace asterism {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// The share in hundredths of a percent, rounded down. It is computed in integers, so that the text is the
// same on every machine.
std::string percent(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t share = whole == 0 ? 0 : scale(part, 10'000, whole);
  return fmt::format("{}.{:02}%", share / 100, share % 100);
}

}  // namespace

// ---- while the core runs ----

void CoreProfile::goes(const FlowStep& step) {
  charge(step.instructions);
  if (step.how == Flow::start || stack_.empty()) {
    stack_.assign(1, {below(root, step.region), nowhere, false});
    return;
  }
  switch (step.how) {
    case Flow::call:
      return push(step, false);
    case Flow::exception:
      return push(step, true);
    case Flow::ret:
      pop_call(step.to);
      break;
    case Flow::exception_return:
      pop_exception();
      break;
    default:
      break;
  }
  replace_top(step.region);
}

void CoreProfile::charge(std::uint64_t instructions) {
  const std::size_t place = stack_.empty() ? root : stack_.back().place;
  places_[place].self += instructions - charged_;
  charged_ = instructions;
}

std::size_t CoreProfile::below(std::size_t parent, std::size_t region) {
  const auto [found, is_new] = places_[parent].called.try_emplace(region, places_.size());
  const std::size_t place = found->second;
  if (is_new) places_.push_back({.region = region, .parent = parent});
  return place;
}

void CoreProfile::push(const FlowStep& step, bool is_exception) {
  if (stack_.size() == deepest) return replace_top(step.region);
  stack_.push_back({below(stack_.back().place, step.region), step.from, is_exception});
}

// A return ends no call below an exception, because only ERET resumes what the exception interrupted.
void CoreProfile::pop_call(std::uint64_t to) {
  for (std::size_t at = stack_.size(); at-- > 1 && !stack_[at].is_exception;)
    if (stack_[at].returns_to == to) return stack_.resize(at, {root, nowhere, false});
}

void CoreProfile::pop_exception() {
  for (std::size_t at = stack_.size(); at-- > 1;)
    if (stack_[at].is_exception) return stack_.resize(at, {root, nowhere, false});
}

void CoreProfile::replace_top(std::size_t region) {
  std::size_t& place = stack_.back().place;
  if (places_[place].region != region) place = below(places_[place].parent, region);
}

// ---- results ----

std::vector<CoreProfile::Share> CoreProfile::functions(const FunctionSymbols& symbols) const {
  // A place comes after its parent in `places_`, so in reverse order each sum is complete before it is added
  // to its parent.
  std::vector<std::uint64_t> totals(places_.size());
  std::map<std::string, Share> by_name;
  for (std::size_t place = places_.size(); place-- > 0;) {
    const Place& here = places_[place];
    totals[place] += here.self;
    if (place != root) totals[here.parent] += totals[place];
    const std::string& name = symbols.name_of(here.region);
    by_name[name].self += here.self;
    // If a function calls itself, its outermost call counts the total.
    bool is_outermost = true;
    for (std::size_t above = place; is_outermost && above != root;) {
      above = places_[above].parent;
      is_outermost = above == root || symbols.name_of(places_[above].region) != name;
    }
    if (is_outermost && place != root) by_name[name].total += totals[place];
  }
  std::vector<Share> shares;
  for (auto& [name, share] : by_name)
    if (share.total != 0) shares.push_back({name, share.self, share.total});
  std::ranges::sort(shares, [](const Share& a, const Share& b) {
    return std::tie(b.self, b.total, a.name) < std::tie(a.self, a.total, b.name);
  });
  return shares;
}

std::string CoreProfile::folded(std::string_view core, const FunctionSymbols& symbols) const {
  std::map<std::string, std::uint64_t> lines;  // regions with the same name are combined
  for (const Place& place : places_) {
    if (place.self == 0) continue;
    std::string path;
    for (const Place* at = &place; at != &places_[root]; at = &places_[at->parent])
      path.insert(0, ";" + symbols.name_of(at->region));
    lines[std::string(core) + path] += place.self;
  }
  std::string text;
  for (const auto& [path, count] : lines) text += fmt::format("{} {}\n", path, count);
  return text;
}

void ProfileReport::add(const std::string& core, const CoreProfile& profile) {
  text_ += fmt::format("{}{}: {} instructions\n", text_.empty() ? "" : "\n", core, profile.instructions());
  const std::vector<CoreProfile::Share> functions = profile.functions(symbols_);
  if (!functions.empty())
    text_ += fmt::format("{:>14} {:>8} {:>14} {:>8}  {}\n", "instructions", "share", "with callees", "share",
                         "function");
  for (const CoreProfile::Share& each : functions)
    text_ +=
        fmt::format("{:>14} {:>8} {:>14} {:>8}  {}\n", each.self, percent(each.self, profile.instructions()),
                    each.total, percent(each.total, profile.instructions()), each.name);
  folded_ += profile.folded(core, symbols_);
}

}  // namespace asterism
