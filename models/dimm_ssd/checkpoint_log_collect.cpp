// Merging, and the common part of a merge and a compaction: one root replaces old bodies by new ones.
#include <algorithm>
#include <utility>

#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {

// `is_needed` says that a write waits for space. Returns false if nothing can be gained.
bool CheckpointLog::collect(Picoseconds now, bool is_needed) {
  if (layer_.read_only()) return false;
  if (merge(now)) return true;
  if (is_needed && drop_useless(now)) return true;
  return !is_root_full_ && compact(now, is_needed);
}

bool CheckpointLog::merge(Picoseconds now) {
  auto collection = std::make_unique<Collection>();
  PageWrite write;
  write.of_collection = true;
  for (auto& run : directory_.runs()) {
    std::vector<const CheckpointBody*> bodies(run.size());
    std::ranges::transform(run, bodies.begin(), [this](std::uint64_t sequence) {
      return &directory_.body(directory_.index_of(sequence));
    });
    auto body = std::make_shared<CheckpointBody>();
    body->entries = merge_entries(bodies);
    if (chain_pages(body->entries.size()) > pages_.free()) continue;
    for (const LogEntry& entry : body->entries) pages_.refer(entry.data_page);
    write_chain(now, *body, write);
    collection->unwritten += chain_pages(body->entries.size());
    counts_.merged_checkpoints += run.size();
    collection->outputs.push_back({std::move(run), std::move(body), {}});
  }
  if (collection->outputs.empty()) return false;
  ++counts_.merges;
  if (collection->unwritten == 0) collection->stage = Collection::Stage::ready;
  collection_ = std::move(collection);
  return true;
}

// Drops what cannot be read, and what was kept for a checkpoint that turned out to be full.
bool CheckpointLog::drop_useless(Picoseconds now) {
  RootWrite root{directory_};
  root.directory.hide_unreadable();
  prune(root.directory);
  if (root.directory.stored().size() == stored().size()) return false;
  start_root(now, std::move(root));
  return true;
}

// Checkpoints that were dropped from the directory in the meantime are not restored.
void CheckpointLog::apply_collection(CheckpointDirectory& directory) {
  for (Collection::Output& output : collection_->outputs) {
    if (!output.body || directory.replace(output.run, output.body)) continue;
    pages_.release(*output.body);
    output.body.reset();
  }
}

void CheckpointLog::collection_written(Picoseconds at, bool is_written) {
  if (!collection_) return;
  if (!is_written) return cancel_collection();
  if (--collection_->unwritten != 0) return;
  if (collection_->stage == Collection::Stage::metadata)
    collection_->stage = Collection::Stage::ready;
  else if (collection_->next_move == collection_->victims.size())
    finish_moving(at);
}

void CheckpointLog::cancel_collection() {
  const std::unique_ptr<Collection> cancelled = std::move(collection_);
  for (std::size_t v = cancelled->next_move; v < cancelled->victims.size(); ++v)
    pages_.release_hold(cancelled->victims[v].page);
  for (const std::uint32_t page : cancelled->moved_pages) pages_.release(page);
  for (const Collection::Output& output : cancelled->outputs)
    if (output.body) pages_.release(*output.body);
}

}  // namespace asterism
