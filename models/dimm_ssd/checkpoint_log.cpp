#include "dimm_ssd/checkpoint_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/fields.h"
#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {
namespace {

constexpr std::uint32_t lines_of_memory_page = 64;

}  // namespace

static_assert(member_count<CheckpointLogConfig>() == 4);
void describe(Fields& f, CheckpointLogConfig& c) {
  f("translation", c.translation, "Layout and garbage collection of the flash below the log.");
  f("versions", c.versions,
    "The number of complete checkpoints kept under one name. After the commit of one more, the oldest is "
    "discarded or merged into the next.",
    within(1, 100));
  f("merge_below", c.merge_below,
    "The permille of logical pages below which checkpoints are merged and data pages compacted. More merges "
    "earlier and writes more.",
    within(0, 1000));
  f("line", c.line, "The unit in which a memory page is stored or left out. 64 lines are a page.",
    within(1_B, 4_KiB));
}

CheckpointLog::CheckpointLog(const CheckpointLogConfig& config, const FlashPart& part, FlashImage& image,
                             Sink& sink)
    : config_(config),
      keeps_contents_(image.keeps_contents()),
      layer_(config.translation, part, image, *this),
      sink_(sink),
      lines_per_page_(static_cast<std::uint32_t>(layer_.page_size() / config.line)),
      entries_per_metadata_(entries_per_metadata_page(layer_.page_size().count())),
      pages_(layer_) {
  const std::uint64_t page = layer_.page_size().count(), line = config.line.count();
  if (page % line != 0 || lines_per_page_ < lines_of_memory_page)
    throw std::invalid_argument(fmt::format(
        "a flash page of {} bytes does not hold 64 lines of {} bytes, or not a whole number of them", page,
        line));
  const std::size_t records = config.versions + 3u;  // records of one name during a merge
  if (Root::header_bytes + Root::name_bytes + records * Root::record_bytes > page)
    throw std::invalid_argument(fmt::format(
        "a flash page of {} bytes has no space for a directory of {} versions", page, config.versions));
  if (layer_.pages() < LogPages::roots + 6)
    throw std::invalid_argument(
        fmt::format("{} logical flash pages are too few for checkpoints", layer_.pages()));
}

CheckpointLog::~CheckpointLog() = default;

void CheckpointLog::power_up(Picoseconds now) { layer_.power_up(now); }

CheckpointLog::Handle CheckpointLog::open(const std::string& name, std::uint32_t memory_pages, bool full) {
  if (name.size() >= name_bytes) throw std::logic_error("a name longer than its place in the root");
  auto open = std::make_unique<Open>();
  open->handle = next_handle_++;
  open->info.name = name;
  // An earlier checkpoint has failed, which is not reported yet: this one has failed, too.
  const auto has_failed = [&](const auto& unreported) {
    return unreported.second.has_failed && unreported.second.name == open->info.name;
  };
  if (std::ranges::any_of(unreported_, has_failed)) return open->handle;
  open->info.memory_pages = memory_pages;
  open->info.full = full;
  continued_.insert(open->info.name);
  opens_.push_back(std::move(open));
  return opens_.back()->handle;
}

CheckpointLog::Open* CheckpointLog::find_open(Handle handle) {
  if (last_found_ && last_found_->handle == handle) return last_found_;
  for (const auto& open : opens_)
    if (open->handle == handle) return last_found_ = open.get();
  return nullptr;
}

void CheckpointLog::write(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data,
                          Tag tag) {
  std::uint32_t lines = 0;
  for (const Entry& entry : entries) {
    lines += static_cast<std::uint32_t>(std::popcount(entry.lines));
    const Open* open = find_open(entry.checkpoint);
    if (open && entry.page >= open->info.memory_pages)
      throw std::logic_error("an entry of a page that the checkpoint does not have");
  }
  if (lines > lines_per_page_ || (!data.empty() && data.size() < lines * config_.line.count()))
    throw std::logic_error("entries of a data page that do not fit it");

  if (ready_ && waiting_.empty() && pages_.free() > reserve(entries) && !layer_.read_only())
    return issue(now, entries, std::move(data), tag);
  waiting_.push_back({{entries.begin(), entries.end()}, std::move(data), tag});
  for (const Entry& entry : entries)
    if (Open* open = find_open(entry.checkpoint)) ++open->waiting;
  continue_work(now);
}

void CheckpointLog::issue(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data,
                          Tag tag) {
  const std::size_t line = config_.line.count();
  PageWrite write;
  write.tag = tag;
  Open* owner = nullptr;
  std::uint32_t first = 0;
  std::vector<ActivityLog::Flow> flows;
  for (const Entry& entry : entries) {
    const auto count = static_cast<std::uint32_t>(std::popcount(entry.lines));
    const std::uint32_t at = std::exchange(first, first + count);
    Open* open = find_open(entry.checkpoint);
    if (!open || open->phase > Phase::closed || count == 0) continue;
    if (write.owners.empty()) write.page = take_page();
    LogEntry& stored = open->body->entries.emplace_back();
    stored.page = entry.page;
    stored.data_page = write.page;
    stored.set_lines(entry.lines);
    stored.first_line = static_cast<std::uint16_t>(at);
    if (!data.empty()) stored.check = lines_check(std::span(data).subspan(at * line, count * line));
    pages_.refer(write.page);
    if (entry.flow != 0) flows.push_back(entry.flow);
    if (open == owner) continue;
    owner = open;
    if (std::ranges::find(write.owners, open->handle) == write.owners.end()) {
      write.owners.push_back(open->handle);
      ++open->unwritten;
    }
  }
  if (write.owners.empty()) return notify(Notice::Kind::left_buffer, now, tag);
  pages_.release(write.page);  // the reference of take(): the entries refer to the page now
  ++counts_.data_pages;
  if (!data.empty()) data.resize(page_size().count());
  start_write(now, std::move(write), std::move(data), std::move(flows));
}

std::uint32_t CheckpointLog::take_page() {
  const std::uint32_t page = pages_.take();
  if (!lost_.empty()) lost_.erase(page);  // the loss concerned its earlier contents
  return page;
}

void CheckpointLog::start_write(Picoseconds now, PageWrite write, std::vector<std::byte> data,
                                std::vector<ActivityLog::Flow> flows) {
  if (free_writes_.empty()) {
    free_writes_.push_back(static_cast<std::uint32_t>(writes_.size()));
    writes_.emplace_back();
  }
  const std::uint32_t slot = free_writes_.back();
  free_writes_.pop_back();
  const std::uint32_t page = write.page;
  writes_[slot] = std::move(write);
  layer_.write(now, page, std::move(data), tag_of(Purpose::page_write, slot), std::move(flows));
}

void CheckpointLog::page_written(Picoseconds at, std::uint32_t slot, bool is_written) {
  const PageWrite write = std::move(writes_[slot]);
  free_writes_.push_back(slot);
  pages_.written(write.page);
  if (write.tag)
    notify(Notice::Kind::left_buffer, at, *write.tag);  // a read-only layer does not take the data
  if (write.of_collection) return collection_written(at, is_written);
  for (const Handle owner : write.owners) {
    Open* open = find_open(owner);
    if (!open) continue;
    --open->unwritten;
    if (!is_written) fail(at, owner, Error::worn_out);
  }
}

void CheckpointLog::close(Picoseconds now, Handle checkpoint, std::uint64_t version) {
  Open* open = find_open(checkpoint);
  if (!open || open->phase != Phase::open) return;
  open->info.version = version;
  open->phase = Phase::closed;
  continue_work(now);
}

void CheckpointLog::abandon(Picoseconds now, Handle checkpoint) {
  const Open* open = find_open(checkpoint);
  const auto unreported = unreported_.find(checkpoint);
  if (!open && unreported == unreported_.end()) return;
  const std::string name = open ? open->info.name : unreported->second.name;
  std::erase_if(unreported_, [&](const auto& u) { return u.first >= checkpoint && u.second.name == name; });
  std::erase_if(notices_, [&](const Notice& notice) {
    return (notice.kind == Notice::Kind::committed || notice.kind == Notice::Kind::failed) &&
           !unreported_.contains(static_cast<Handle>(notice.value));
  });
  drop_from(name, checkpoint);
  continue_work(now);
}

void CheckpointLog::fail(Picoseconds at, Handle handle, Error error) {
  const Open* open = find_open(handle);
  if (!open) return;
  const std::string name = open->info.name;
  ++counts_.failures;
  notify(Notice::Kind::failed, at, handle, error);
  unreported_[handle] = {name, true};
  drop_from(name, handle);
}

// The root that commits a checkpoint cannot be cancelled; the pages that it names must stay.
void CheckpointLog::drop_from(const std::string& name, Handle first) {
  last_found_ = nullptr;
  std::erase_if(opens_, [&](const std::unique_ptr<Open>& open) {
    if (open->handle < first || open->info.name != name) return false;
    open->is_abandoned = true;
    if (open->phase == Phase::committing) return false;
    pages_.release(*open->body);
    return true;
  });
}

// A root that is being written may already omit the version that is being discarded.
bool CheckpointLog::can_continue(const std::string& name, std::uint64_t version) const {
  const Stored* base = find(name, version);
  if (base == nullptr || !base->readable || std::ranges::count(discards_, base->sequence) != 0) return false;
  return std::ranges::none_of(
      stored(), [&](const Stored& other) { return other.name == name && other.sequence > base->sequence; });
}

bool CheckpointLog::discard(Picoseconds now, const std::string& name, std::uint64_t version) {
  const Stored* stored = find(name, version);
  if (!stored) return false;
  discards_.push_back(stored->sequence);
  continue_work(now);
  return true;
}

void CheckpointLog::notify(Notice::Kind kind, Picoseconds at, std::uint64_t value, Error error) {
  notices_.push_back({kind, at, value, error});
}

void CheckpointLog::deliver(Picoseconds now) {
  while (!notices_.empty() && notices_.front().at <= now) {
    const Notice notice = notices_.front();
    notices_.pop_front();
    switch (notice.kind) {
      case Notice::Kind::recovered:
        sink_.recovered(notice.at);
        break;
      case Notice::Kind::left_buffer:
        sink_.left_buffer(notice.at, notice.value);
        break;
      case Notice::Kind::committed:
        unreported_.erase(static_cast<Handle>(notice.value));
        sink_.committed(notice.at, static_cast<Handle>(notice.value));
        break;
      case Notice::Kind::failed:
        unreported_.erase(static_cast<Handle>(notice.value));
        sink_.failed(notice.at, static_cast<Handle>(notice.value), notice.error);
        break;
      case Notice::Kind::discarded:
        sink_.discarded(notice.at);
        break;
      case Notice::Kind::piece:
        deliver_piece(notice.at);
        break;
      case Notice::Kind::restore_ended:
        if (restore_ && restores_ == notice.value) end_restore(notice.at, notice.error);
        break;
    }
  }
}

std::optional<Picoseconds> CheckpointLog::next_event() const {
  if (!notices_.empty()) return earlier(notices_.front().at, layer_.next_event());
  return layer_.next_event();
}

void CheckpointLog::advance_to(Picoseconds now) {
  deliver(now);
  for (auto next = layer_.next_event(); next && *next <= now; next = layer_.next_event()) {
    layer_.advance_to(*next);
    continue_work(*next);
    deliver(*next);
  }
}

void CheckpointLog::recovered(Picoseconds at) { start_recovery(at); }

void CheckpointLog::left_buffer(Picoseconds at, Tag tag) {
  if (purpose_of(tag) != Purpose::page_write) return;
  if (auto& caller = writes_[index_of(tag)].tag)
    notify(Notice::Kind::left_buffer, at, *std::exchange(caller, std::nullopt));
}

void CheckpointLog::written(Picoseconds at, Tag tag, TranslationLayer::Outcome outcome) {
  const bool is_written = outcome == TranslationLayer::Outcome::done;
  if (purpose_of(tag) == Purpose::page_write) return page_written(at, index_of(tag), is_written);
  root_->written += is_written;
  if (--root_->outstanding == 0) finish_root(at);
}

void CheckpointLog::read_done(Picoseconds at, Tag tag, bool is_readable, std::span<const std::byte> data) {
  const std::uint32_t index = index_of(tag);
  if (!is_readable) data = {};
  switch (purpose_of(tag)) {
    case Purpose::root_read:
      return root_read(at, index, data);
    case Purpose::chain_read:
      return chain_read(at, index, data);
    case Purpose::restore_read:
      return restore_read(at, index, data);
    case Purpose::move_read:
      return victim_read(at, index, is_readable, data);
    case Purpose::page_write:
    case Purpose::root_write:
      break;
  }
}

CheckpointLog::Activity CheckpointLog::activity() const {
  Activity now;
  now.compacts = collection_ && !collection_->victims.empty();
  now.merges = collection_ && !now.compacts;
  for (const auto& open : opens_) {
    now.data = now.data || (open->phase <= Phase::closed && open->unwritten != 0);
    now.metadata = now.metadata || open->phase == Phase::metadata;
    now.commits = now.commits || open->phase == Phase::committing;
  }
  now.discards = root_ && root_->discards != 0;
  return now;
}

void CheckpointLog::reset(Reset kind) {
  layer_.reset(kind);
  ready_ = false;
  notices_.clear();
  directory_ = {};
  continued_.clear();
  lost_.clear();
  opens_.clear();
  unreported_.clear();
  last_found_ = nullptr;
  waiting_.clear();
  writes_.clear();
  free_writes_.clear();
  discards_.clear();
  root_.reset();
  is_root_full_ = is_collected_ = false;
  collection_.reset();
  recovery_.reset();
  restore_.reset();
}

void CheckpointLog::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("commits", counts_.commits);
  statistics.add("failures", counts_.failures);
  statistics.add("data_pages", counts_.data_pages);
  statistics.add("metadata_pages", counts_.metadata_pages);
  statistics.add("roots", counts_.roots);
  statistics.add("merges", counts_.merges);
  statistics.add("merged_checkpoints", counts_.merged_checkpoints);
  statistics.add("compactions", counts_.compactions);
  statistics.add("pages_compacted", counts_.pages_compacted);
  statistics.add("lines_moved", counts_.lines_moved);
  statistics.add("restores", counts_.restores);
  statistics.add("lost_pages", counts_.lost_pages);
  statistics.add("stored", stored().size());
  statistics.add("logical_pages", pages_.size());
  statistics.add("free_pages", pages_.free());
  layer_.report(statistics.group("translation"), now);
}

}  // namespace asterism
