// Recovery of the directory from flash: roots, metadata chains, and free logical pages.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {

void CheckpointLog::start_recovery(Picoseconds at) {
  recovery_ = std::make_unique<Recovery>();
  pages_.clear();
  if (keeps_contents_)
    for (std::uint32_t slot = 0; slot < LogPages::roots; ++slot) {
      if (!layer_.is_mapped(slot)) continue;
      ++recovery_->roots_left;
      recovery_->is_mapped[slot] = true;
      layer_.read(at, slot, tag_of(Purpose::root_read, slot));
    }
  if (recovery_->roots_left == 0) choose_root(at);
}

void CheckpointLog::root_read(Picoseconds at, std::uint32_t slot, std::span<const std::byte> data) {
  recovery_->roots[slot] = decode_root(data);
  if (--recovery_->roots_left == 0) choose_root(at);
}

void CheckpointLog::choose_root(Picoseconds at) {
  Recovery& r = *recovery_;
  for (const auto& root : r.roots)
    if (root && root->generation >= r.root.generation) r.root = *root;
  if (!r.root.records.empty() && r.root.line_bytes != config_.line.count())
    throw std::runtime_error("the flash holds checkpoints of another size of line (" +
                             std::to_string(r.root.line_bytes) + " bytes)");
  generation_ = r.root.generation;
  for (const RootRecord& record : r.root.records) {
    r.chains.push_back(
        {record, std::make_shared<CheckpointBody>(), record.first_metadata, record.metadata_crc});
    r.chains.back().body->lost = record.lost;
    r.chains.back().body->metadata_crc = record.metadata_crc;
    r.chains_left += !record.lost && record.metadata_pages != 0;
  }
  if (r.chains_left == 0) return chains_done(at);
  for (std::uint32_t i = 0; i < r.chains.size(); ++i)
    if (!r.chains[i].record.lost && r.chains[i].record.metadata_pages != 0)
      layer_.read(at, r.chains[i].page, tag_of(Purpose::chain_read, i));
}

void CheckpointLog::chain_read(Picoseconds at, std::uint32_t index, std::span<const std::byte> data) {
  Recovery& r = *recovery_;
  Recovery::Chain& chain = r.chains[index];
  const bool is_good = take_chain_page(index, data);
  if (is_good && chain.page != 0) return layer_.read(at, chain.page, tag_of(Purpose::chain_read, index));
  if (!is_good || chain.body->metadata.size() != chain.record.metadata_pages ||
      chain.body->entries.size() != chain.record.entries) {
    *chain.body = {};
    chain.body->lost = true;
    ++counts_.lost_pages;
  }
  if (--r.chains_left == 0) chains_done(at);
}

// Takes a page of a chain and advances to the next one, 0 at the end. Returns false if it is not the
// committed page.
bool CheckpointLog::take_chain_page(std::uint32_t index, std::span<const std::byte> data) {
  Recovery::Chain& chain = recovery_->chains[index];
  const auto page = decode_metadata(data, chain.crc);
  if (!page || chain.body->metadata.size() == chain.record.metadata_pages) return false;
  const auto is_possible = [&](const LogEntry& entry) {
    return entry.page < chain.record.memory_pages && entry.data_page >= LogPages::roots &&
           entry.data_page < layer_.pages() && entry.first_line + entry.line_count() <= lines_per_page_;
  };
  if (!std::ranges::all_of(page->entries, is_possible) || page->next >= layer_.pages()) return false;
  CheckpointBody& body = *chain.body;
  if (body.entries.empty()) body.entries.reserve(chain.record.entries);
  body.entries.insert(body.entries.end(), page->entries.begin(), page->entries.end());
  body.metadata.push_back(chain.page);
  chain.page = page->next;
  chain.crc = page->next_crc;
  return true;
}

void CheckpointLog::chains_done(Picoseconds at) {
  Recovery& r = *recovery_;
  std::vector<CheckpointDirectory::Body> bodies;
  for (const Recovery::Chain& chain : r.chains) {
    bodies.push_back(chain.body);
    pages_.refer(*chain.body);
    for (const LogEntry& entry : chain.body->entries)
      if (!layer_.is_mapped(entry.data_page) && lost_.insert(entry.data_page).second) ++counts_.lost_pages;
  }
  pages_.complete_recovery();
  adopt(CheckpointDirectory::from_root(r.root, std::move(bodies)));

  CheckpointDirectory pruned = directory_;
  prune(pruned);
  const bool is_same = r.roots[0] && r.roots[1] && r.roots[0]->generation == r.roots[1]->generation;
  const bool is_fresh = !r.is_mapped[0] && !r.is_mapped[1];
  if (layer_.read_only() || is_fresh || (is_same && pruned.stored().size() == stored().size()))
    return finish_recovery(at);
  RootWrite root;
  root.directory = std::move(pruned);
  start_root(at, std::move(root));
}

void CheckpointLog::finish_recovery(Picoseconds at) {
  recovery_.reset();
  pages_.trim_free();
  ready_ = true;
  notify(Notice::Kind::recovered, at);
}

}  // namespace asterism
