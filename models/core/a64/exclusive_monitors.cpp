#include "core/a64/exclusive_monitors.h"

#include <algorithm>
#include <bit>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t lines_a_page = Memory::page_size / Memory::line;

}  // namespace

void ExclusiveMonitors::leave(Cpu& cpu) {
  for (auto& [page, writers] : writers_)
    std::erase_if(writers, [&](const Writer& each) { return each.memory == &cpu.memory; });
  for (auto& [line, watchers] : watchers_) std::erase(watchers, &cpu);
}

void ExclusiveMonitors::add_writer(Memory& memory, PageInfo& info, std::uint64_t physical) {
  writers_[physical / Memory::page_size].push_back({&memory, &info});
}

void ExclusiveMonitors::watch(Cpu& cpu, std::uint64_t physical) {
  const std::uint64_t page = physical / Memory::page_size, number = physical / Memory::line;
  if (const auto writers = writers_.find(page); writers != writers_.end())
    std::erase_if(writers->second, [&](const Writer& each) {
      if (each.memory == &cpu.memory) return false;
      for (std::uint64_t marks = each.memory->revoke_writer(*each.info); marks != 0; marks &= marks - 1)
        clear_monitors(page * lines_a_page + static_cast<std::uint64_t>(std::countr_zero(marks)), cpu, each);
      return true;
    });
  std::vector<Cpu*>& watchers = watchers_[number];
  if (std::ranges::find(watchers, &cpu) == watchers.end()) watchers.push_back(&cpu);
}

// Clears the monitors of a line, except that of the core that begins to monitor it and that of the core that
// has stored there.
void ExclusiveMonitors::clear_monitors(std::uint64_t number, const Cpu& but, const Writer& writer) {
  const auto watchers = watchers_.find(number);
  if (watchers == watchers_.end()) return;
  std::erase_if(watchers->second, [&](Cpu* watcher) {
    if (watcher == &but || &watcher->memory == writer.memory) return false;
    if (watcher->speculation) watcher->speculation->roll_back();
    if (watcher->monitor.physical / Memory::line == number) watcher->monitor.armed = false;
    return true;
  });
}

bool ExclusiveMonitors::is_lost(const Cpu& cpu, std::uint64_t physical) const {
  const auto page = writers_.find(physical / Memory::page_size);
  const std::uint64_t at = physical % Memory::page_size / Memory::line;
  return page != writers_.end() && std::ranges::any_of(page->second, [&](const Writer& each) {
           return each.memory != &cpu.memory && (each.info->dirty[at] & is_marked) != 0;
         });
}

}  // namespace asterism::a64
