#include "dimm_ssd/checkpoint_log_directory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace asterism {

const StoredCheckpoint* CheckpointDirectory::newest(const std::string& name, std::uint64_t limit) const {
  const StoredCheckpoint* best = nullptr;
  for (const StoredCheckpoint& c : stored_)
    if (c.name == name && c.visible && c.readable && c.version <= limit &&
        (!best || c.version > best->version))
      best = &c;
  return best;
}

const StoredCheckpoint* CheckpointDirectory::find(const std::string& name, std::uint64_t version) const {
  const auto found = std::ranges::find_if(stored_, [&](const StoredCheckpoint& c) {
    return c.name == name && c.version == version && c.visible;
  });
  return found == stored_.end() ? nullptr : &*found;
}

std::size_t CheckpointDirectory::index_of(std::uint64_t sequence) const {
  return static_cast<std::size_t>(std::ranges::find(stored_, sequence, &StoredCheckpoint::sequence) -
                                  stored_.begin());
}

std::vector<std::size_t> CheckpointDirectory::chain(std::size_t index) const {
  std::vector<std::size_t> chain;
  for (std::size_t i = index + 1; i-- > 0;) {
    if (stored_[i].name != stored_[index].name) continue;
    if (bodies_[i]->lost) return {};
    chain.push_back(i);
    if (stored_[i].full) {
      std::ranges::reverse(chain);
      return chain;
    }
  }
  return {};
}

std::vector<const CheckpointBody*> CheckpointDirectory::chain_bodies(std::size_t index) const {
  const std::vector<std::size_t> links = chain(index);
  std::vector<const CheckpointBody*> bodies(links.size());
  std::ranges::transform(links, bodies.begin(), [this](std::size_t link) { return bodies_[link].get(); });
  return bodies;
}

bool CheckpointDirectory::can_continue(const std::string& name) const {
  for (std::size_t i = stored_.size(); i-- > 0;)
    if (stored_[i].name == name) return !chain(i).empty();
  return false;
}

void CheckpointDirectory::add(StoredCheckpoint checkpoint, Body body, std::uint32_t versions) {
  checkpoint.sequence = next_sequence_++;
  std::uint32_t visible = 1;
  for (std::size_t i = stored_.size(); i-- > 0;) {
    StoredCheckpoint& older = stored_[i];
    if (older.name != checkpoint.name || !older.visible) continue;
    if (older.version == checkpoint.version || visible == versions)
      older.visible = false;
    else
      ++visible;
  }
  stored_.push_back(std::move(checkpoint));
  bodies_.push_back(std::move(body));
}

void CheckpointDirectory::hide(std::uint64_t sequence) {
  if (const std::size_t i = index_of(sequence); i < stored_.size()) stored_[i].visible = false;
}

bool CheckpointDirectory::hide_unreadable() {
  bool any = false;
  for (StoredCheckpoint& c : stored_)
    if (c.visible && !c.readable) any = true, c.visible = false;
  return any;
}

void CheckpointDirectory::prune(const std::function<bool(const std::string& name)>& is_continued) {
  std::vector<bool> is_needed(stored_.size());
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    last[stored_[i].name] = i;
    if (!stored_[i].visible || !stored_[i].readable) continue;
    for (const std::size_t needed : chain(i)) is_needed[needed] = true;
  }
  for (const auto& [name, index] : last)
    if (is_continued(name))
      for (const std::size_t needed : chain(index)) is_needed[needed] = true;

  for (std::size_t i = stored_.size(); i-- > 0;) {
    if (is_needed[i]) continue;
    if (!stored_[i].visible) {
      erase(i);
    } else if (!bodies_[i]->lost) {
      auto lost = std::make_shared<CheckpointBody>();
      lost->lost = true;
      bodies_[i] = std::move(lost);
    }
  }
}

std::vector<std::vector<std::uint64_t>> CheckpointDirectory::runs() const {
  struct Run {
    std::vector<std::uint64_t> sequences;
    bool is_lost = true;  // until the full one at its start is found
  };
  std::map<std::string, Run> open;
  std::vector<std::vector<std::uint64_t>> runs;
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    Run& run = open[stored_[i].name];
    if (stored_[i].full) run = {{}, false};
    if (bodies_[i]->lost) run.is_lost = true;
    run.sequences.push_back(stored_[i].sequence);
    if (!stored_[i].visible) continue;
    if (run.sequences.size() > 1 && !run.is_lost) runs.push_back(run.sequences);
    run.sequences.clear();
  }
  return runs;
}

bool CheckpointDirectory::holds(const std::vector<std::uint64_t>& run) const {
  return std::ranges::all_of(run, [this](std::uint64_t sequence) {
    const std::size_t index = index_of(sequence);
    return index < stored_.size() && !bodies_[index]->lost;
  });
}

bool CheckpointDirectory::replace(const std::vector<std::uint64_t>& run, Body body) {
  if (!holds(run)) return false;
  const bool full = stored_[index_of(run.front())].full;
  for (std::size_t i = 0; i + 1 < run.size(); ++i) erase(index_of(run[i]));
  const std::size_t place = index_of(run.back());
  stored_[place].full = full;
  bodies_[place] = std::move(body);
  return true;
}

void CheckpointDirectory::erase(std::size_t index) {
  stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(index));
  bodies_.erase(bodies_.begin() + static_cast<std::ptrdiff_t>(index));
}

Root CheckpointDirectory::to_root(std::uint64_t generation, std::uint32_t line_bytes) const {
  Root root{generation, next_sequence_, line_bytes, {}};
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    const StoredCheckpoint& c = stored_[i];
    const CheckpointBody& b = *bodies_[i];
    root.records.push_back(
        {c.name, c.version, c.sequence, c.memory_pages, static_cast<std::uint32_t>(b.entries.size()),
         static_cast<std::uint32_t>(b.metadata.size()), b.metadata.empty() ? 0 : b.metadata.front(),
         b.metadata_crc, c.full, c.visible, b.lost});
  }
  return root;
}

CheckpointDirectory CheckpointDirectory::from_root(const Root& root, std::vector<Body> bodies) {
  CheckpointDirectory directory;
  directory.next_sequence_ = root.next_sequence;
  directory.bodies_ = std::move(bodies);
  for (const RootRecord& r : root.records)
    directory.stored_.push_back({r.name, r.version, r.sequence, r.memory_pages, r.full, r.visible, true});
  for (std::size_t i = 0; i < directory.stored_.size(); ++i)
    directory.stored_[i].readable = !directory.chain(i).empty();
  return directory;
}

}  // namespace asterism
