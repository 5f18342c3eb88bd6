#include "platform/instruments/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace asterism {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// The share in hundredths of a percent, rounded down. It is computed in integers, so that the text is the
// same on every machine.
std::string percent(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t share = whole == 0 ? 0 : scale(part, 10'000, whole);
  return fmt::format("{}.{:02}%", share / 100, share % 100);
}

std::string microseconds(Picoseconds time) {
  return fmt::format("{}.{:03}", time.count() / 1'000'000, time.count() / 1'000 % 1'000);
}

std::string to_text(const ProfileCost& cost, bool has_caches) {
  return fmt::format(
      "{} instructions, {} us{}", cost.instructions, microseconds(cost.time),
      has_caches ? fmt::format(", {} L1 misses, {} L2 misses", cost.l1_misses, cost.l2_misses) : "");
}

void sort_by_time(std::vector<CoreProfile::Share>& shares) {
  const auto key = [](const CoreProfile::Share& of, const CoreProfile::Share& name) {
    return std::tuple(of.self.time, of.self.instructions, of.total.time, of.total.instructions,
                      std::string_view(name.name));
  };
  std::ranges::sort(shares, [&](const auto& a, const auto& b) { return key(b, a) < key(a, b); });
}

}  // namespace

ProfileCost& ProfileCost::operator+=(const ProfileCost& more) {
  instructions += more.instructions;
  time += more.time;
  l1_misses += more.l1_misses;
  l2_misses += more.l2_misses;
  return *this;
}

ProfileCost ProfileCost::operator-(const ProfileCost& less) const {
  return {.instructions = instructions - less.instructions,
          .time = time - less.time,
          .l1_misses = l1_misses - less.l1_misses,
          .l2_misses = l2_misses - less.l2_misses};
}

// ---- the code ----

ProfiledCode::ProfiledCode(const FunctionSymbols& symbols, bool with_lines)
    : symbols_(symbols), boundaries_(symbols.boundaries()) {
  const std::vector<SourceRow> rows = with_lines ? symbols.source_rows() : std::vector<SourceRow>();
  if (rows.empty()) return;
  for (const SourceRow& row : rows) boundaries_.push_back(row.address);
  std::ranges::sort(boundaries_);
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
  std::map<std::string, std::size_t> numbers;
  function_of_region_ = line_of_region_ = {0};
  auto row = rows.begin();
  std::size_t function = 0, line = no_line;
  for (const std::uint64_t at : boundaries_) {
    if (function < symbols.boundaries().size() && symbols.boundaries()[function] == at) ++function;
    if (row != rows.end() && row->address == at) {
      line = no_line;
      if (row->source.line != 0) {
        const std::string name = fmt::format("{}:{}", row->source.file, row->source.line);
        const auto [found, is_new] = numbers.try_emplace(name, lines_.size());
        if (is_new) lines_.push_back(name);
        line = found->second;
      }
      ++row;
    }
    function_of_region_.push_back(function);
    line_of_region_.push_back(line);
  }
}

const std::string& ProfiledCode::name_of(Function function) const {
  static const std::string programs = "[user]";
  return function == user ? programs : symbols_.name_of(function);
}

// ---- while the core runs ----

void CoreProfile::goes(const FlowStep& step) {
  const ProfiledCode::Function function = code_.function_of(step);
  const bool stays_in_program =
      function == ProfiledCode::user && step.how != Flow::start && !stack_.empty() && top() == function;
  if (stays_in_program) return;
  const ProfileCost now = costs_(step.instructions);
  if (step.how == Flow::start) charged_.time = now.time;  // the core was off
  charge(now);
  line_ = code_.line_of(step.region);
  if (step.how == Flow::start || stack_.empty()) return begin(function);
  switch (step.how) {
    case Flow::call:
      return push(step, function, false);
    case Flow::exception:
      return push(step, function, true);
    case Flow::ret:
      // The vectors that are mapped while a program is executed (KPTI) enter the kernel by a return.
      if (!pop_call(step.to) && code_.has_tasks() && top() != ProfiledCode::no_symbol) return begin(function);
      break;
    case Flow::exception_return:
      pop_exception();
      if (top() != function && code_.has_tasks()) return begin(function);
      break;
    default:
      break;
  }
  replace_top(function);
}

void CoreProfile::charge(const ProfileCost& until) {
  const ProfileCost spent = until - charged_;
  const std::size_t place = stack_.empty() ? root : stack_.back().place;
  places_[place].self += spent;
  if (code_.has_lines()) by_line_[line_] += spent;
  total_ += spent;
  charged_ = until;
}

std::size_t CoreProfile::below(std::size_t parent, ProfiledCode::Function function) {
  const std::size_t last = places_[parent].last;
  if (last != root && places_[last].function == function) return last;
  const auto [found, is_new] = places_[parent].called.try_emplace(function, places_.size());
  const std::size_t place = places_[parent].last = found->second;
  if (is_new) places_.push_back({.function = function, .parent = parent});
  return place;
}

void CoreProfile::begin(ProfiledCode::Function function) {
  stack_.assign(1, {below(root, function), nowhere, false});
}

void CoreProfile::push(const FlowStep& step, ProfiledCode::Function function, bool is_exception) {
  if (stack_.size() == deepest) return replace_top(function);
  stack_.push_back({below(stack_.back().place, function), step.from, is_exception});
}

// A return ends no call below an exception, because only ERET resumes what the exception interrupted.
bool CoreProfile::pop_call(std::uint64_t to) {
  for (std::size_t at = stack_.size(); at-- > 1 && !stack_[at].is_exception;)
    if (stack_[at].returns_to == to) {
      stack_.resize(at, {root, nowhere, false});
      return true;
    }
  return false;
}

void CoreProfile::pop_exception() {
  for (std::size_t at = stack_.size(); at-- > 1;)
    if (stack_[at].is_exception) return stack_.resize(at, {root, nowhere, false});
}

void CoreProfile::replace_top(ProfiledCode::Function function) {
  std::size_t& place = stack_.back().place;
  if (places_[place].function != function) place = below(places_[place].parent, function);
}

// ---- results ----

// A place comes after its parent in `places_`, so in reverse order each sum is complete before it is added to
// its parent.
std::vector<ProfileCost> CoreProfile::totals() const {
  std::vector<ProfileCost> totals(places_.size());
  for (std::size_t place = places_.size(); place-- > 0;) {
    totals[place] += places_[place].self;
    if (place != root) totals[places_[place].parent] += totals[place];
  }
  return totals;
}

std::vector<CoreProfile::Share> CoreProfile::functions() const {
  const std::vector<ProfileCost> totals = this->totals();
  std::map<std::string, Share> by_name;
  std::vector<Share*> share_of(places_.size());  // of a place; functions with the same name share one
  for (std::size_t place = root + 1; place < places_.size(); ++place) {
    Share& share = by_name[code_.name_of(places_[place].function)];
    share_of[place] = &share;
    share.self += places_[place].self;
    // If a function calls itself, its outermost call counts the total.
    std::size_t above = places_[place].parent;
    while (above != root && share_of[above] != &share) above = places_[above].parent;
    if (above == root) share.total += totals[place];
  }
  std::vector<Share> shares;
  for (auto& [name, share] : by_name)
    if (share.total.instructions != 0) shares.push_back({name, share.self, share.total});
  sort_by_time(shares);
  return shares;
}

std::vector<CoreProfile::Share> CoreProfile::lines() const {
  std::vector<Share> shares;
  for (const auto& [line, cost] : by_line_)
    if (cost.instructions != 0) shares.push_back({code_.name_of_line(line), cost, cost});
  sort_by_time(shares);
  return shares;
}

namespace {

// A semicolon would end the name.
std::string folded_name(std::string name) {
  std::ranges::replace(name, ';', ':');
  return name;
}

}  // namespace

std::string CoreProfile::folded(std::string_view core) const {
  std::map<std::string, std::uint64_t> lines;         // functions with the same name are combined
  std::vector<std::string> paths{std::string(core)};  // to each place, which comes after its parent
  for (std::size_t place = root; place < places_.size(); ++place) {
    const Place& at = places_[place];
    if (place != root) paths.push_back(paths[at.parent] + ";" + folded_name(code_.name_of(at.function)));
    if (at.self.instructions != 0) lines[paths[place]] += at.self.instructions;
  }
  std::string text;
  for (const auto& [path, count] : lines) text += fmt::format("{} {}\n", path, count);
  return text;
}

FlameFrame CoreProfile::frames(const std::string& core, bool has_caches) const {
  const std::vector<ProfileCost> totals = this->totals();
  const auto frame = [&](std::string name, std::size_t place) {
    return FlameFrame{.name = std::move(name),
                      .details = to_text(totals[place], has_caches),
                      .width = totals[place].instructions,
                      .above = {}};
  };
  std::vector<FlameFrame> frames;
  for (std::size_t place = 0; place < places_.size(); ++place)
    frames.push_back(frame(place == root ? core : code_.name_of(places_[place].function), place));
  for (std::size_t place = places_.size(); place-- > 1;) {
    std::ranges::sort(frames[place].above, {}, &FlameFrame::name);
    frames[places_[place].parent].above.push_back(std::move(frames[place]));
  }
  std::ranges::sort(frames[root].above, {}, &FlameFrame::name);
  return std::move(frames[root]);
}

std::string ProfileReport::table(const std::vector<CoreProfile::Share>& shares, const ProfileCost& whole,
                                 std::string_view of) const {
  if (shares.empty()) return "";
  const bool is_flat = of != "function";  // nothing is called
  std::string text = fmt::format("{:>14} {:>8}", "instructions", "share");
  if (!is_flat) text += fmt::format(" {:>14} {:>8}", "with callees", "share");
  text += fmt::format(" {:>14} {:>8}", "time us", "share");
  if (!is_flat) text += fmt::format(" {:>14}", "with callees");
  if (has_caches_) text += fmt::format(" {:>12} {:>12}", "L1 misses", "L2 misses");
  text += fmt::format("  {}\n", of);
  for (const auto& [name, self, total] : shares) {
    text += fmt::format("{:>14} {:>8}", self.instructions, percent(self.instructions, whole.instructions));
    if (!is_flat)
      text +=
          fmt::format(" {:>14} {:>8}", total.instructions, percent(total.instructions, whole.instructions));
    text +=
        fmt::format(" {:>14} {:>8}", microseconds(self.time), percent(self.time.count(), whole.time.count()));
    if (!is_flat) text += fmt::format(" {:>14}", microseconds(total.time));
    if (has_caches_) text += fmt::format(" {:>12} {:>12}", self.l1_misses, self.l2_misses);
    text += fmt::format("  {}\n", name);
  }
  return text;
}

void ProfileReport::add(const std::string& core, const CoreProfile& profile) {
  const ProfileCost& whole = profile.total();
  const std::string title =
      fmt::format("{}{}: {}\n", text_.empty() ? "" : "\n", core, to_text(whole, has_caches_));
  text_ += title + table(profile.functions(), whole, "function");
  lines_ += title + table(profile.lines(), whole, "line");
  folded_ += profile.folded(core);
  FlameFrame frames = profile.frames(core, has_caches_);
  all_.width += frames.width;
  all_.details = fmt::format("{} instructions", all_.width);
  all_.above.push_back(std::move(frames));
}

std::string ProfileReport::flame_graph(const std::string& title) const {
  return asterism::flame_graph(title, "instructions", all_);
}

}  // namespace asterism
