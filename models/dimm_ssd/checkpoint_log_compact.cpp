// Compaction: the valid lines of data pages with few of them are moved together to new pages.
//
// All checkpoints that name such a page get new metadata, and one root commits all of it. A page that an open
// checkpoint names is not compacted. Victims are read a few at a time and written in order, so that the space
// that they need is known before the first is read. Each is held until its lines are copied, because the
// checkpoints that name it may be dropped in the meantime.
#include <algorithm>
#include <limits>
#include <utility>

#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {

bool CheckpointLog::compact(Picoseconds now, bool is_needed) {
  if (pages_.free() <= stored_metadata_) return false;
  std::unique_ptr<Collection> found = find_victims(is_needed ? lines_per_page_ - 1 : lines_per_page_ / 2);
  const std::uint32_t new_pages = choose_victims(*found, pages_.free() - stored_metadata_);
  std::uint32_t metadata = 0;
  for (const Collection::Output& output : found->outputs)
    metadata += chain_pages(output.source->entries.size());
  const auto freed = static_cast<std::uint32_t>(found->victims.size());
  if (freed <= new_pages || (!is_needed && freed - new_pages < new_pages + metadata)) return false;

  ++counts_.compactions;
  found->stage = Collection::Stage::moving;
  found->reserved = new_pages + metadata;
  collection_ = std::move(found);
  for (const Collection::Victim& victim : collection_->victims) pages_.hold(victim.page);
  read_victims(now);
  return true;
}

// All pages that can be freed, with at most this number of lines, fewest first, and the entries that name
// them.
std::unique_ptr<CheckpointLog::Collection> CheckpointLog::find_victims(std::uint32_t max_lines) const {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Use {
    std::uint32_t lines = 0, references = 0, victim = none;
  };
  std::vector<Use> uses(layer_.pages());
  std::vector<std::vector<std::uint64_t>> counting;
  for (const auto& body : directory_.bodies()) {
    counting.push_back(lines_that_count(*body));
    for (std::size_t i = 0; i < body->entries.size(); ++i) {
      Use& use = uses[body->entries[i].data_page];
      use.lines += static_cast<std::uint32_t>(std::popcount(counting.back()[i]));
      ++use.references;
    }
  }

  auto found = std::make_unique<Collection>();
  for (std::uint32_t page = LogPages::roots; page < uses.size(); ++page) {
    const Use& use = uses[page];
    const bool is_closed = use.references != 0 && use.references == pages_.references(page);
    if (is_closed && use.lines <= max_lines && !lost_.contains(page))
      found->victims.push_back({page, use.lines, 0, 0, false, false, {}});
  }
  std::ranges::stable_sort(found->victims, {}, &Collection::Victim::live_lines);
  std::size_t references = 0;
  for (std::uint32_t v = 0; v < found->victims.size(); ++v) {
    Collection::Victim& victim = found->victims[v];
    uses[victim.page].victim = v;
    victim.first = victim.last = references;
    references += uses[victim.page].references;
  }
  found->references.resize(references);
  for (std::uint32_t b = 0; b < counting.size(); ++b) {
    const std::vector<LogEntry>& entries = directory_.body(b).entries;
    for (std::uint32_t i = 0; i < entries.size(); ++i)
      if (const std::uint32_t v = uses[entries[i].data_page].victim; v != none)
        found->references[found->victims[v].last++] = {b, i, Collection::Fate::stays, counting[b][i], {}};
  }
  return found;
}

// Selects as many victims as the budget of new pages allows. Returns the number of new pages.
std::uint32_t CheckpointLog::choose_victims(Collection& found, std::uint32_t budget) const {
  std::uint32_t pages = 0, lines = lines_per_page_;
  std::size_t chosen = 0;
  for (; chosen < found.victims.size(); ++chosen) {
    const Collection::Victim& victim = found.victims[chosen];
    std::uint32_t pages_with = pages, lines_with = lines;
    for (std::size_t r = victim.first; r < victim.last; ++r) {
      const auto count = static_cast<std::uint32_t>(std::popcount(found.references[r].lines));
      if (lines_with + count > lines_per_page_) ++pages_with, lines_with = 0;
      lines_with += count;
    }
    if (pages_with > budget) break;
    pages = pages_with, lines = lines_with;
  }
  found.victims.resize(chosen);
  found.references.resize(chosen == 0 ? 0 : found.victims.back().last);

  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> output_of(directory_.bodies().size(), none);
  for (Collection::Reference& reference : found.references) {
    std::uint32_t& output = output_of[reference.output];
    if (output == none) {
      const std::uint32_t body = reference.output;
      output = static_cast<std::uint32_t>(found.outputs.size());
      found.outputs.push_back({{stored()[body].sequence}, nullptr, directory_.bodies()[body]});
    }
    reference.output = output;
  }
  return pages;
}

void CheckpointLog::read_victims(Picoseconds now) {
  Collection& c = *collection_;
  while (c.next_read < c.victims.size() && c.next_read < c.next_move + Collection::reads_at_once) {
    Collection::Victim& victim = c.victims[c.next_read];
    if (victim.live_lines == 0)
      victim.is_read = victim.is_readable = true;
    else
      layer_.read(now, victim.page, tag_of(Purpose::move_read, static_cast<std::uint32_t>(c.next_read)));
    ++c.next_read;
    while (c.next_move < c.next_read && c.victims[c.next_move].is_read) move_victim(now, c.next_move++);
  }
  if (c.next_move < c.victims.size()) return;
  flush_moved(now);
  if (c.unwritten == 0) finish_moving(now);
}

void CheckpointLog::victim_read(Picoseconds at, std::uint32_t victim, bool is_readable,
                                std::span<const std::byte> data) {
  if (!collection_) return;
  Collection& c = *collection_;
  c.victims[victim].is_read = true;
  c.victims[victim].is_readable = is_readable;
  c.victims[victim].data.assign(data.begin(), data.end());
  while (c.next_move < c.next_read && c.victims[c.next_move].is_read) move_victim(at, c.next_move++);
  read_victims(at);
}

void CheckpointLog::move_victim(Picoseconds now, std::size_t index) {
  Collection& c = *collection_;
  Collection::Victim& victim = c.victims[index];
  const std::size_t line = config_.line.count();
  for (std::size_t r = victim.first; r < victim.last; ++r) {
    Collection::Reference& reference = c.references[r];
    if (reference.lines == 0) {
      reference.fate = Collection::Fate::dropped;
      continue;
    }
    const LogEntry& entry = c.outputs[reference.output].source->entries[reference.entry];
    const auto stored = std::span<const std::byte>(victim.data);
    if (!victim.is_readable ||
        (keeps_contents_ &&
         lines_check(stored.subspan(entry.first_line * line, entry.line_count() * line)) != entry.check)) {
      page_lost(victim.page);
      continue;
    }
    const auto count = static_cast<std::uint32_t>(std::popcount(reference.lines));
    if (c.buffer_lines + count > lines_per_page_) flush_moved(now);
    LogEntry& moved = reference.moved;
    moved.page = entry.page;
    moved.set_lines(reference.lines);
    moved.first_line = static_cast<std::uint16_t>(c.buffer_lines);
    if (keeps_contents_) {
      append_lines(stored, entry, reference.lines, line, c.buffer);
      moved.check = lines_check(std::span(c.buffer).subspan(c.buffer_lines * line));
    }
    c.buffer_lines += count;
    c.buffered.push_back(r);
    counts_.lines_moved += count;
  }
  victim.data = {};
  pages_.release_hold(victim.page);
}

void CheckpointLog::flush_moved(Picoseconds now) {
  Collection& c = *collection_;
  if (c.buffered.empty()) return;
  PageWrite write;
  write.of_collection = true;
  write.page = take_page();
  --c.reserved;
  c.moved_pages.push_back(write.page);
  for (const std::size_t r : c.buffered) {
    c.references[r].moved.data_page = write.page;
    c.references[r].fate = Collection::Fate::moved;
  }
  c.buffered.clear();
  c.buffer_lines = 0;
  std::vector<std::byte> data = std::exchange(c.buffer, {});
  if (keeps_contents_) data.resize(page_size().count());
  ++c.unwritten;
  start_write(now, std::move(write), std::move(data));
}

// All lines are in their new places: writes the metadata.
void CheckpointLog::finish_moving(Picoseconds now) {
  Collection& c = *collection_;
  std::vector<std::vector<const Collection::Reference*>> changes(c.outputs.size());
  for (const Collection::Reference& reference : c.references) changes[reference.output].push_back(&reference);
  c.stage = Collection::Stage::metadata;
  c.reserved = 0;
  PageWrite write;
  write.of_collection = true;
  for (std::size_t o = 0; o < c.outputs.size(); ++o) {
    Collection::Output& output = c.outputs[o];
    if (!directory_.holds(output.run)) continue;
    std::ranges::sort(changes[o], {}, &Collection::Reference::entry);
    output.body = std::make_shared<CheckpointBody>();
    auto change = changes[o].begin();
    for (std::uint32_t i = 0; i < output.source->entries.size(); ++i) {
      const bool is_changed = change != changes[o].end() && (*change)->entry == i;
      const Collection::Reference* reference = is_changed ? *change++ : nullptr;
      if (reference && reference->fate == Collection::Fate::dropped) continue;
      const bool is_moved = reference && reference->fate == Collection::Fate::moved;
      output.body->entries.push_back(is_moved ? reference->moved : output.source->entries[i]);
      pages_.refer(output.body->entries.back().data_page);
    }
    write_chain(now, *output.body, write);
    c.unwritten += chain_pages(output.body->entries.size());
    output.source.reset();
  }
  for (const std::uint32_t page : std::exchange(c.moved_pages, {})) pages_.release(page);
  counts_.pages_compacted += c.victims.size();
  c.references = {};
  if (c.unwritten == 0) c.stage = Collection::Stage::ready;
}

}  // namespace asterism
