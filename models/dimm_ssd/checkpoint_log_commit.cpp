// The commit of a checkpoint: its metadata, the root, and the space for both.
#include <algorithm>
#include <set>
#include <utility>

#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {

void CheckpointLog::continue_work(Picoseconds now) {
  if (!ready_) return;
  do {
    issue_waiting(now);
    write_metadata(now);
    write_root(now);
  } while (make_space(now));
}

void CheckpointLog::issue_waiting(Picoseconds now) {
  while (!waiting_.empty()) {
    const auto is_open = [this](const Entry& entry) { return find_open(entry.checkpoint) != nullptr; };
    const std::vector<Entry>& entries = waiting_.front().entries;
    if (pages_.free() <= reserve(entries) && std::ranges::any_of(entries, is_open)) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    for (const Entry& entry : next.entries)
      if (Open* open = find_open(entry.checkpoint)) --open->waiting;
    issue(now, next.entries, std::move(next.data), next.tag);
  }
}

std::uint32_t CheckpointLog::reserve(std::span<const Entry> next) const {
  std::uint32_t pages = stored_metadata_ + 1 + (collection_ ? collection_->reserved : 0);
  for (const auto& open : opens_) {
    const auto added = static_cast<std::size_t>(std::ranges::count(next, open->handle, &Entry::checkpoint));
    const bool is_written = open->phase > Phase::closed;
    pages += (is_written ? 1u : 2u) * chain_pages(open->body->entries.size() + added);
  }
  return pages;
}

std::uint32_t CheckpointLog::chain_pages(std::size_t entries) const {
  return static_cast<std::uint32_t>((entries + entries_per_metadata_ - 1) / entries_per_metadata_);
}

void CheckpointLog::write_metadata(Picoseconds now) {
  for (const auto& open : opens_) {
    if (open->unwritten != 0 || open->waiting != 0) continue;
    if (open->phase == Phase::closed) {
      const std::uint32_t pages = chain_pages(open->body->entries.size());
      if (pages_.free() < pages + (collection_ ? collection_->reserved : 0)) continue;
      open->phase = Phase::metadata;
      open->unwritten = pages;
      open->body->entries.shrink_to_fit();
      PageWrite write;
      write.owners.push_back(open->handle);
      write_chain(now, *open->body, write);
    }
    if (open->phase == Phase::metadata && open->unwritten == 0) open->phase = Phase::ready;
  }
}

// From the last page to the first, because each has the checksum of the next.
void CheckpointLog::write_chain(Picoseconds now, CheckpointBody& body, const PageWrite& write) {
  const std::uint32_t pages = chain_pages(body.entries.size());
  counts_.metadata_pages += pages;
  for (std::uint32_t i = 0; i < pages; ++i) body.metadata.push_back(pages_.take());
  std::uint32_t next = 0;
  for (std::uint32_t i = pages; i-- > 0; next = body.metadata[i]) {
    std::vector<std::byte> data;
    if (keeps_contents_) {
      const std::size_t first = std::size_t{i} * entries_per_metadata_;
      const auto entries = std::span(body.entries).subspan(first);
      data = encode_metadata(entries.first(std::min<std::size_t>(entries.size(), entries_per_metadata_)),
                             next, body.metadata_crc, page_size().count());
      body.metadata_crc = page_crc(data);
    }
    PageWrite one = write;
    one.page = body.metadata[i];
    start_write(now, std::move(one), std::move(data));
  }
}

void CheckpointLog::write_root(Picoseconds now) {
  if (root_) return;
  is_root_full_ = false;
  const bool has_collection = collection_ && collection_->stage == Collection::Stage::ready;
  const auto is_ready = [](const auto& open) { return open->phase == Phase::ready; };
  if (!has_collection && discards_.empty() && std::ranges::none_of(opens_, is_ready)) return;

  RootWrite root{directory_, discards_.size(), has_collection};
  if (has_collection) apply_collection(root.directory);
  for (const std::uint64_t sequence : discards_) root.directory.hide(sequence);
  prune(root.directory);
  const bool has_commits = add_ready(now, root.directory);
  if (has_collection || !discards_.empty() || has_commits) start_root(now, std::move(root));
}

// Commits of one name keep their order: one that cannot proceed delays those after it.
bool CheckpointLog::add_ready(Picoseconds now, CheckpointDirectory& directory) {
  bool any = false;
  std::set<std::string> held;
  for (std::size_t i = 0; i < opens_.size();) {
    Open& open = *opens_[i];
    if (open.phase != Phase::ready || held.contains(open.info.name)) {
      held.insert(open.info.name);
      ++i;
      continue;
    }
    if (!open.info.full && !directory.can_continue(open.info.name)) {
      fail(now, open.handle, Error::uncorrectable);
      continue;
    }
    CheckpointDirectory with = directory;
    with.add(open.info, open.body, config_.versions);
    if (needs_lost_page(with, with.stored().size() - 1)) {
      fail(now, open.handle, Error::uncorrectable);
      continue;
    }
    prune(with);
    if (fits(with)) {
      directory = std::move(with);
      open.phase = Phase::committing;
      any = true;
    } else {
      is_root_full_ = true;
      held.insert(open.info.name);
    }
    ++i;
  }
  return any;
}

bool CheckpointLog::fits(const CheckpointDirectory& directory) const {
  return root_bytes(directory.to_root(0, 0)) <= page_size().count();
}

// The base of an open checkpoint must stay, and so must the possible base of the next one.
void CheckpointLog::prune(CheckpointDirectory& directory) const {
  directory.prune([&](const std::string& name) {
    const auto& bodies = directory.bodies();
    const auto next = std::ranges::find_if(opens_, [&](const std::unique_ptr<Open>& open) {
      return open->info.name == name && std::find(bodies.begin(), bodies.end(), open->body) == bodies.end();
    });
    if (next != opens_.end()) return !(*next)->info.full;
    const auto is_visible = [&](const Stored& c) { return c.visible && c.name == name; };
    return continued_.contains(name) && std::ranges::any_of(directory.stored(), is_visible);
  });
}

void CheckpointLog::start_root(Picoseconds now, RootWrite root) {
  const Root contents =
      root.directory.to_root(++generation_, static_cast<std::uint32_t>(config_.line.count()));
  const std::vector<std::byte> page =
      keeps_contents_ ? encode_root(contents, page_size().count()) : std::vector<std::byte>{};
  root.outstanding = LogPages::roots;
  root_ = std::move(root);
  ++counts_.roots;
  for (std::uint32_t slot = 0; slot < LogPages::roots; ++slot)
    layer_.write(now, slot, page, tag_of(Purpose::root_write, slot));
}

void CheckpointLog::finish_root(Picoseconds at) {
  RootWrite root = std::move(*root_);
  root_.reset();
  if (root.written == 0) return root_failed(at, root);
  adopt(std::move(root.directory));
  if (recovery_) return finish_recovery(at);
  if (root.has_collection) collection_.reset();
  for (std::size_t i = 0; i < root.discards; ++i) notify(Notice::Kind::discarded, at);
  discards_.erase(discards_.begin(), discards_.begin() + static_cast<std::ptrdiff_t>(root.discards));
  last_found_ = nullptr;
  std::erase_if(opens_, [&](const std::unique_ptr<Open>& open) {
    if (open->phase != Phase::committing) return false;
    ++counts_.commits;
    if (open->is_abandoned) return true;
    notify(Notice::Kind::committed, at, open->handle);
    unreported_[open->handle] = {open->info.name, false};
    return true;
  });
}

void CheckpointLog::root_failed(Picoseconds at, const RootWrite& root) {
  if (recovery_) return finish_recovery(at);
  if (root.has_collection) cancel_collection();
  for (std::size_t i = 0; i < root.discards; ++i) {
    directory_.hide(discards_.front());
    discards_.pop_front();
    notify(Notice::Kind::discarded, at);
  }
  std::vector<Handle> committing;
  for (const auto& open : opens_) {
    if (open->phase != Phase::committing) continue;
    open->phase = Phase::ready;
    committing.push_back(open->handle);
  }
  for (const Handle handle : committing) {
    const Open* open = find_open(handle);
    if (open && open->is_abandoned)
      drop_from(std::string(open->info.name), handle);
    else
      fail(at, handle, Error::worn_out);
  }
}

void CheckpointLog::adopt(CheckpointDirectory directory) {
  const CheckpointDirectory old = std::exchange(directory_, std::move(directory));
  const std::set<CheckpointDirectory::Body> kept(directory_.bodies().begin(), directory_.bodies().end());
  for (const auto& body : old.bodies())
    if (!kept.contains(body)) pages_.release(*body);
  stored_metadata_ = 0;
  for (const auto& body : directory_.bodies())
    stored_metadata_ += static_cast<std::uint32_t>(body->metadata.size());
  is_collected_ = false;
  mark_unreadable();
}

bool CheckpointLog::needs_lost_page(const CheckpointDirectory& directory, std::size_t index) const {
  if (lost_.empty()) return false;
  const auto is_lost = [this](const ImagePiece& piece) { return lost_.contains(piece.entry.data_page); };
  return std::ranges::any_of(image_of(directory.chain_bodies(index)), is_lost);
}

void CheckpointLog::mark_unreadable() {
  for (std::size_t i = 0; i < directory_.stored().size(); ++i)
    if (directory_.stored()[i].readable && needs_lost_page(directory_, i)) directory_.set_readable(i, false);
}

// Returns true if the state has changed for those that wait.
bool CheckpointLog::make_space(Picoseconds now) {
  if (layer_.read_only()) return fail_one(now);
  const auto is_root_due = [this] {
    return !root_ && collection_ && collection_->stage == Collection::Stage::ready;
  };
  if (is_out_of_space()) {
    if (is_space_coming()) return false;
    return collect(now, true) ? is_root_due() : fail_one(now);
  }
  const std::uint64_t enough = std::uint64_t{pages_.size()} * config_.merge_below;
  if (collection_ || is_collected_ || pages_.free() * std::uint64_t{1000} >= enough) return false;
  is_collected_ = !collect(now, false);
  return is_root_due();
}

bool CheckpointLog::is_out_of_space() const {
  const auto is_without_metadata = [](const auto& open) {
    return open->phase == Phase::closed && open->unwritten == 0 && open->waiting == 0;
  };
  return !waiting_.empty() || is_root_full_ || std::ranges::any_of(opens_, is_without_metadata);
}

bool CheckpointLog::is_space_coming() const {
  const auto goes_on = [](const auto& open) {
    return open->phase == Phase::metadata ||
           (open->phase == Phase::closed && open->waiting == 0 && open->unwritten != 0);
  };
  return collection_ || root_ || pages_.dying() != 0 || std::ranges::any_of(opens_, goes_on);
}

// The checkpoint opened last fails first, so that those before it may get the space. If the root is full, the
// error is not a lack of space.
bool CheckpointLog::fail_one(Picoseconds now) {
  const Error error = layer_.read_only() ? Error::worn_out : Error::no_space;
  const auto may_fail = [&](const std::unique_ptr<Open>& open) { return open->phase != Phase::committing; };
  const auto is_ready = [](const std::unique_ptr<Open>& open) { return open->phase == Phase::ready; };
  Handle handle = 0;
  if (is_root_full_ && error == Error::no_space) {
    handle = (*std::ranges::find_if(opens_, is_ready))->handle;
  } else {
    const auto last = std::find_if(opens_.rbegin(), opens_.rend(), may_fail);
    if (last == opens_.rend()) return false;
    handle = (*last)->handle;
  }
  fail(now, handle, error);
  return true;
}

}  // namespace asterism
