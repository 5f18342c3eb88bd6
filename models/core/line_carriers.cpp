#include "core/line_carriers.h"

#include <algorithm>
#include <utility>

namespace asterism {
namespace {

constexpr int stack_bytes = 256 << 10;  // the source line of an access that fails is found on it

bool are_ordered(const LineCarriers::Access& a, const LineCarriers::Access& b) {
  using enum LineCarriers::Kind;
  const bool is_held = a.kind == held_write_back || b.kind == held_write_back;
  return a.line == b.line && !is_held && (a.kind == write_back || b.kind == write_back);
}

}  // namespace

LineCarriers::LineCarriers(unsigned most, std::function<void(const Access&)> carry)
    : most_(most), carry_(std::move(carry)), alarm_("lines", [this](Picoseconds now) { ring(now); }) {}

void LineCarriers::add(const Access& access, Picoseconds at) {
  later_.insert({at, access});
  alarm_.arm(later_.begin()->first);
}

void LineCarriers::ring(Picoseconds now) {
  while (!later_.empty() && later_.begin()->first <= now)
    now_.push_back(later_.extract(later_.begin()).mapped());
  if (!later_.empty()) alarm_.arm(later_.begin()->first);
  begin_accesses();
}

void LineCarriers::begin_accesses() {
  for (auto access = now_.begin(); access != now_.end();) {
    if (has_to_follow(access)) {
      ++access;
      continue;
    }
    Process* const process = free_process();
    if (!process) return;
    process->access = *access;
    access = now_.erase(access);
    process->begins.notify();
  }
}

bool LineCarriers::has_to_follow(std::deque<Access>::const_iterator access) const {
  const auto is_first = [&](const Access& other) { return are_ordered(*access, other); };
  return std::any_of(now_.begin(), access, is_first) ||
         std::ranges::any_of(processes_,
                             [&](const auto& each) { return each->access && is_first(*each->access); });
}

LineCarriers::Process* LineCarriers::free_process() {
  if (!free_.empty()) {
    Process* const process = free_.back();
    free_.pop_back();
    return process;
  }
  if (processes_.size() == most_) return nullptr;
  Process& process = *processes_.emplace_back(std::make_unique<Process>());
  sc_core::sc_spawn_options thread;
  thread.set_stack_size(stack_bytes);
  sc_core::sc_spawn([this, &process] { run(process); }, sc_core::sc_gen_unique_name("line"), &thread);
  return &process;
}

void LineCarriers::run(Process& process) {
  for (;;) {
    while (!process.access) sc_core::wait(process.begins);
    carry_(*process.access);
    process.access.reset();
    free_.push_back(&process);
    begin_accesses();
  }
}

void LineCarriers::reset() {
  later_.clear();
  now_.clear();
  alarm_.arm(std::nullopt);
}

}  // namespace asterism
