// The disk behind an NVMe controller: logical blocks of 4 KiB in the pages of a flash translation layer, with
// a volatile write cache in front of it.
//
// A write is accepted when the cache has its data. From then on reads return them, and a power failure loses
// them, unless persist() has reported that they are durable. Each logical block is either written as a whole
// or not at all. The cache holds whole flash pages: one that was written completely is programmed at once, in
// the order of the writes; another one waits for `linger` for the rest, unless persist() asks for it or the
// cache is more than half full, and is then completed with what flash has. If the cache is full, writes wait.
//
// A flash page that was not written completely and whose old contents cannot be read any more is not
// programmed, because that would make up data: persist() fails until the rest has been written. If flash has
// become read-only, writes fail, also those that waited for room.
//
// deallocate() drops whole flash pages from cache and mapping: they read as zeros. After a power failure
// such a page may have any of its contents again (flash/translation_layer.h). Parts of pages stay.
//
// reset: a power loss or a cold reset loses the cache, and whatever flash was programming
// (flash/nand_array.h). A warm one keeps the cache and drops the requests. Requests are allowed after
// Sink::ready.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/statistics.h"
#include "flash/flash_failure.h"
#include "flash/translation_layer.h"
#include "nvme/nvme_config.h"

namespace asterism {

class NvmeDisk final : private TranslationLayer::Sink {
 public:
  using Tag = std::uint64_t;  // identifies a request for the caller
  static constexpr Bytes block{4096};

  struct Sink {
    virtual ~Sink() = default;
    virtual void ready(Picoseconds at) = 0;
    virtual void accepted(Picoseconds at, Tag tag, bool ok) = 0;
    virtual void durable(Picoseconds at, Tag tag, bool ok) = 0;
    // Without contents (FlashImage::Contents::none) `data` is empty.
    virtual void read_done(Picoseconds at, Tag tag, bool ok, std::span<const std::byte> data) = 0;
  };

  // Throws std::invalid_argument as the translation layer does.
  NvmeDisk(const NvmeConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);

  // What a disk offers: blocks(), in bytes. Throws as the constructor does.
  static Bytes size_of(const NvmeConfig& config, const FlashPart& part);
  std::uint64_t blocks() const { return std::uint64_t{layer_.pages()} * blocks_per_page_; }
  std::uint32_t blocks_per_page() const { return blocks_per_page_; }
  // The blocks from `first` to the end of its flash page: a request does not cross it.
  std::uint32_t room_in_page(std::uint64_t first) const {
    return blocks_per_page_ - static_cast<std::uint32_t>(first % blocks_per_page_);
  }

  void power_up(Picoseconds now) { layer_.power_up(now); }
  bool is_ready() const { return layer_.ready(); }
  bool read_only() const { return layer_.read_only(); }

  void read(Picoseconds now, std::uint64_t first, std::uint32_t count, Tag tag);
  void write(Picoseconds now, std::uint64_t first, std::uint32_t count, std::vector<std::byte> data, Tag tag);
  // Reports when all writes that were accepted until now are durable; the second, those of some blocks.
  void persist(Picoseconds now, Tag tag);
  void persist(Picoseconds now, std::uint64_t first, std::uint32_t count, Tag tag);
  void deallocate(Picoseconds now, std::uint64_t first, std::uint64_t count);
  // Where it is; nullopt: the disk is not ready, or nothing of the page is in flash.
  std::optional<FlashAddress> inject(const FlashFailure& failure);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;
  // The activity of its channels and dies.
  void record_in(ActivityLog& activity, const std::string& name) { layer_.record_in(activity, name); }

  std::uint64_t unreadable() const { return count_.unreadable; }  // reads that failed

 private:
  using Mask = std::uint32_t;  // of the blocks of a flash page
  using Sequence = std::uint64_t;
  static constexpr Sequence none = ~Sequence{0};
  enum class Operation : std::uint8_t { read, complete, save };
  enum class Stage : std::uint8_t { waiting, completing, saving };

  // A flash page in the cache.
  struct Entry {
    std::vector<std::byte> data;
    Mask dirty = 0;                // not durable yet
    Mask fresh = 0;                // of these, not in the program that is under way
    Sequence first = none;         // of the oldest write in `fresh`
    Sequence saving_first = none;  // of the oldest write that is being programmed
    Sequence urgent = 0;           // writes until this one are to be programmed
    Picoseconds since;             // of the oldest write in `fresh`
    Stage stage = Stage::waiting;
    std::uint64_t operation = 0;  // under way
    bool is_blocked = false;      // programming it has failed
  };
  struct Waiting {
    std::uint64_t first;
    std::uint32_t count;
    std::vector<std::byte> data;
    Tag tag;
  };
  struct Reading {
    Tag tag = 0;
    std::uint32_t page = 0;
    std::uint32_t first = 0, count = 0;  // blocks of the page
    bool is_in_flash = false;            // there is something to read
    Mask cached = 0;
    std::vector<std::byte> data = {};
  };
  struct Persisting {
    Tag tag;
    Sequence until;
    std::uint64_t first_page, last_page;
  };
  struct Answer {
    enum class Kind : std::uint8_t { accepted, durable, read } kind;
    Picoseconds at;
    Tag tag;
    bool ok = true;
    std::vector<std::byte> data = {};
  };

  static constexpr unsigned operation_shift = 56;
  static TranslationLayer::Tag tag_of(Operation operation, std::uint64_t number) {
    return static_cast<TranslationLayer::Tag>(operation) << operation_shift | number;
  }
  static constexpr Mask mask_of(std::uint32_t first, std::uint32_t count) {
    return static_cast<Mask>(((std::uint64_t{1} << count) - 1) << first);
  }

  bool take(Picoseconds now, const Waiting& write);
  void admit(Picoseconds now);
  void schedule(Picoseconds now);
  std::optional<std::uint64_t> choose(Picoseconds now) const;
  void list(std::uint64_t page, const Entry& entry);
  void unlist(std::uint64_t page, const Entry& entry);
  bool is_due(const Entry& entry) const { return entry.dirty == whole_ || entry.first <= entry.urgent; }
  void begin_save(Picoseconds now, std::uint64_t page, Entry& entry);
  void program(Picoseconds now, std::uint64_t page, Entry& entry);
  void block_entry(Picoseconds now, std::uint64_t page, Entry& entry);
  void answer_persisted(Picoseconds now);
  std::optional<bool> result_of(const Persisting& request) const;
  bool is_stuck() const { return blocked_ == entries_.size(); }

  void recovered(Picoseconds at) override;
  void left_buffer(Picoseconds, TranslationLayer::Tag) override {}
  void written(Picoseconds at, TranslationLayer::Tag tag, TranslationLayer::Outcome outcome) override;
  void read_done(Picoseconds at, TranslationLayer::Tag tag, bool is_readable,
                 std::span<const std::byte> data) override;
  void completed(Picoseconds at, std::uint64_t operation, bool is_readable, std::span<const std::byte> data);

  const bool keeps_contents_;
  const std::uint32_t blocks_per_page_;
  const Mask whole_;
  const std::size_t capacity_, max_operations_;
  const Picoseconds linger_;
  Sink& sink_;
  FlashImage& image_;
  TranslationLayer layer_;

  Sequence sequence_ = 0;
  std::uint64_t next_operation_ = 1;
  std::map<std::uint64_t, Entry> entries_;                    // by flash page
  std::set<std::pair<Sequence, std::uint64_t>> order_, due_;  // entries that may be saved; of them, at once
  std::map<std::uint64_t, std::uint64_t> operations_;         // that complete or save a page
  std::size_t blocked_ = 0;
  std::deque<Waiting> waiting_;
  std::unordered_map<std::uint64_t, Reading> readings_;
  std::list<Persisting> persisting_;
  Sequence flush_until_ = 0;
  std::deque<Answer> answers_;
  std::optional<Picoseconds> schedule_at_;

  struct Counters {
    std::uint64_t read = 0, hits = 0, written = 0, overwritten = 0, pages = 0, completed = 0, waited = 0,
                  persisted = 0, failed = 0, unreadable = 0, deallocated = 0;
  } count_;
};

}  // namespace asterism
