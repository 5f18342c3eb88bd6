// Checkpoints in flash: which lines of which page are stored, when a checkpoint is durable, and how its image
// is restored.
//
// A checkpoint belongs to a name. It is full, or holds what was modified since the one before of the same
// name. It consists of entries: some lines of one page, packed in ascending order. Entries of many pages, and
// of several checkpoints that are being taken at once, share data pages; a later entry of a page overrides
// the lines of an earlier one. The image of a version consists of all entries from the newest full checkpoint
// up to the version.
//
// On flash, all in logical pages of the TranslationLayer:
//   data      lines of entries, nothing else
//   metadata  of one checkpoint: its entries in their order, 20 bytes each (section 5.3.2.3): page and a
//             check of the lines (6), bitmap of its lines (8), place of the lines (6: logical page and first
//             line in it); a chain of pages, each checked by the one before it (checkpoint_log_format.h)
//   root      the directory of all checkpoints. Writing it is the commit of a checkpoint, of a merge or of a
//             discard: before that instant it has not happened, and afterwards it has. The root is written
//             twice, to logical pages 0 and 1 at the same time, with a generation. The commit takes place
//             when the first of the two is durable, and if one of them is lost to bit errors nothing is lost.
//             A commit is reported, and logical pages that the root no longer names are freed, when both are
//             durable. Recovery writes both if they differ, before it frees any page.
//
// Checkpoints of a name are committed in the order in which they were opened: after all data of a checkpoint
// its metadata are written, and then the root.
//
// Merging (figure 5.7) reclaims space: checkpoints older than the oldest version that is kept become one full
// checkpoint of that version. Entries are taken newest first, so that lines that were overwritten are found
// later and left out; no line is copied for this. Data pages at most half full of valid lines are then
// compacted: they are read, and these lines written to new pages. Both are part of garbage collection: they
// begin when less than `merge_below` of the logical pages are free, the root is full, or a write waits for
// space.
//
// Space, in logical pages besides the two of the root (the space that the layer below keeps for its own
// collection is not included). Data are only written if afterwards these pages are left:
//   - the metadata that open checkpoints still have to write,
//   - as many pages again as all metadata takes, stored and open: to rewrite it in a merge or a compaction,
//   - one, for a compaction to move lines to.
// Merging can therefore always proceed and, when writes wait, every data page that is not full can be
// compacted. A write that still has to wait does not fit: the checkpoint opened last fails with no_space, and
// those before it stay. However many were open at once, checkpoints that can be taken one after the other can
// be taken after them.
//
// A data page that a compaction or a restore still has to read is held: it is not freed, whatever happens to
// the checkpoints that name it. A read therefore finds what was written there, or bit errors, and never lines
// of another checkpoint.
//
// Data that can no longer be read (bit errors, a lost page) invalidate the checkpoints whose image needs
// them, and no others. A restore reports this, and older versions stay.
//
// The sizes of lines and pages may be any that divide each other: 64-byte lines of 4 KiB pages for a memory,
// 8-byte version tags in place of lines for a study. A log on an image without contents only measures time,
// and cannot restore.
//
// All calls of the sinks are made by advance_to(), at their times. next_event() takes into account reports
// that a call has caused.
//
// reset: every kind drops what is open and under way; power_up() reads back the directory and all metadata.
//
// Sources: abeyratne2017 section 5.3.2.3, figures 5.6 and 5.7. Root, chains and compaction are this model's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "dimm_ssd/checkpoint_log_directory.h"
#include "dimm_ssd/checkpoint_log_pages.h"
#include "flash/translation_layer.h"

namespace asterism {

class Fields;

struct CheckpointLogConfig {
  TranslationConfig translation;
  std::uint32_t versions = 2;       // kept per name
  std::uint32_t merge_below = 250;  // permille of the logical pages that are free
  Bytes line{64};                   // 64 of them are a memory page
};
void describe(Fields& f, CheckpointLogConfig& config);

class CheckpointLog final : private TranslationLayer::Sink {
 public:
  static constexpr std::size_t name_bytes = Root::name_bytes;  // including the terminating zero

  using Handle = std::uint32_t;  // of an open checkpoint
  using Tag = std::uint64_t;     // identifies a data page for the caller
  using Stored = StoredCheckpoint;

  // no_space: the checkpoint does not fit beside what is kept. uncorrectable: the base of a checkpoint has
  // gone or cannot be read; or, for a restore, a page of the image. worn_out: the flash can no longer be
  // written.
  enum class Error : std::uint8_t { none, no_space, uncorrectable, worn_out };

  // The stored lines of a page, in the order of the lines in the data page.
  struct Entry {
    Handle checkpoint;
    std::uint32_t page;
    std::uint64_t lines;
    ActivityLog::Flow flow = 0;  // of the page (base/activity_log.h); 0: none
  };

  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    // A data page has left its buffer. Called for every write, even if its checkpoints have failed meanwhile.
    virtual void left_buffer(Picoseconds at, Tag tag) = 0;
    virtual void committed(Picoseconds at, Handle checkpoint) = 0;
    // This checkpoint and all that were opened after it under its name have failed; nothing of them is or
    // will be durable. There is one call for all of them; later calls with them are ignored.
    virtual void failed(Picoseconds at, Handle checkpoint, Error error) = 0;
    virtual void discarded(Picoseconds at) = 0;
  };
  struct RestoreSink {
    virtual ~RestoreSink() = default;
    // The packed lines of a page; every line of the image comes once. All calls for one flash page come at
    // the same time; the next flash page is read after next_piece().
    virtual void restored(Picoseconds at, std::uint32_t page, std::uint64_t lines,
                          std::span<const std::byte> data) = 0;
    virtual void piece_ended(Picoseconds at) = 0;
    virtual void restore_ended(Picoseconds at, Error error) = 0;
  };

  // Throws std::invalid_argument with a message for the user if the geometry is too small or a line does not
  // fit.
  CheckpointLog(const CheckpointLogConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);
  ~CheckpointLog() override;
  // See NandArray.
  void record_in(ActivityLog& activity, const std::string& name) { layer_.record_in(activity, name); }

  void power_up(Picoseconds now);
  bool ready() const { return ready_; }

  std::uint32_t lines_per_data_page() const { return lines_per_page_; }
  Bytes page_size() const { return layer_.page_size(); }
  Bytes capacity() const { return pages_.size() * page_size(); }  // of data pages and their metadata
  std::uint32_t pages() const { return pages_.size(); }           // the same, in flash pages
  std::uint32_t free_pages() const { return pages_.free(); }      // of these

  // Opens the next checkpoint of a name (at most 31 characters). Several may be open, also of one name. An
  // incremental one continues the one before. If all versions of a name are discarded while none is open
  // under it, its base is removed, too, and the checkpoint fails when it is closed.
  Handle open(const std::string& name, std::uint32_t memory_pages, bool full);
  // Writes one data page with lines of entries; `data` holds them, or is empty if the image keeps no
  // contents. It waits for space while a merge or a collection frees some. If none can be freed, the
  // checkpoint opened last fails, and then the one before.
  void write(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data, Tag tag);
  // No further entry follows. The checkpoint replaces a version of the same number.
  void close(Picoseconds now, Handle checkpoint, std::uint64_t version);
  // Removes the checkpoint and all that were opened after it, without a call of the sink. A checkpoint whose
  // root is being written is committed all the same.
  void abandon(Picoseconds now, Handle checkpoint);

  // All stored checkpoints, in the order of their commits.
  const std::vector<Stored>& stored() const { return directory_.stored(); }
  // The newest readable visible version of a name that is not above a limit.
  const Stored* newest(const std::string& name, std::uint64_t limit) const {
    return directory_.newest(name, limit);
  }
  // A visible version.
  const Stored* find(const std::string& name, std::uint64_t version) const {
    return directory_.find(name, version);
  }
  // Whether an increment that is opened now would continue this version: it is the last one of its name,
  // readable, and not being discarded. The base of an open increment is kept, whatever is discarded
  // afterwards.
  bool can_continue(const std::string& name, std::uint64_t version) const;
  // Returns false if there is no such version. Sink::discarded reports when the discard is durable; in a
  // worn-out device it only lasts until the next power-up.
  bool discard(Picoseconds now, const std::string& name, std::uint64_t version);

  // Begins a restore; one at a time. Returns false if there is no such version.
  bool restore(Picoseconds now, const std::string& name, std::uint64_t version, RestoreSink& sink);
  void next_piece(Picoseconds now);
  void stop_restore();

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Reports commits, data and metadata pages, merges, moved lines and space, and the translation layer in a
  // group.
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;

  const TranslationLayer& translation() const { return layer_; }
  const CheckpointDirectory& directory() const { return directory_; }
  bool is_collecting() const { return collection_ != nullptr; }  // a merge or a compaction is under way
  // The operations under way, for tests that let the power fail during them.
  struct Activity {
    bool merges = false, compacts = false;
    bool data = false, metadata = false;     // of open checkpoints, being written
    bool commits = false, discards = false;  // by the root that is being written
  };
  Activity activity() const;

 private:
  // The purpose of a request of the layer; in its tag, above the index.
  enum class Purpose : std::uint8_t {
    page_write,
    root_write,
    root_read,
    chain_read,
    restore_read,
    move_read
  };
  enum class Phase : std::uint8_t { open, closed, metadata, ready, committing };
  struct Open;
  struct Collection;
  struct Recovery;
  struct Restore;
  struct PageWrite {
    std::uint32_t page = 0;
    std::optional<Tag> tag;  // of a caller's data page
    bool of_collection = false;
    std::vector<Handle> owners;
  };
  struct Waiting {
    std::vector<Entry> entries;
    std::vector<std::byte> data;
    Tag tag;
  };
  struct RootWrite {
    CheckpointDirectory directory;
    std::size_t discards = 0;  // the number of pending discards that it commits
    bool has_collection = false;
    unsigned outstanding = 0, written = 0;
  };
  struct Notice {
    enum class Kind : std::uint8_t {
      recovered,
      left_buffer,
      committed,
      failed,
      discarded,
      piece,
      restore_ended
    };
    Kind kind;
    Picoseconds at;
    std::uint64_t value = 0;
    Error error = Error::none;
  };
  struct Unreported {
    std::string name;
    bool has_failed;
  };
  struct Counts {
    std::uint64_t commits = 0, failures = 0, data_pages = 0, metadata_pages = 0, roots = 0, merges = 0;
    std::uint64_t merged_checkpoints = 0, compactions = 0, pages_compacted = 0, lines_moved = 0;
    std::uint64_t restores = 0, lost_pages = 0;
  };

  void recovered(Picoseconds at) override;
  void left_buffer(Picoseconds at, Tag tag) override;
  void written(Picoseconds at, Tag tag, TranslationLayer::Outcome outcome) override;
  void read_done(Picoseconds at, Tag tag, bool is_readable, std::span<const std::byte> data) override;

  static constexpr unsigned index_bits = 32;
  static constexpr Tag tag_of(Purpose purpose, std::uint32_t index) {
    return Tag{static_cast<std::uint8_t>(purpose)} << index_bits | index;
  }
  static constexpr Purpose purpose_of(Tag tag) { return static_cast<Purpose>(tag >> index_bits); }
  static constexpr std::uint32_t index_of(Tag tag) { return static_cast<std::uint32_t>(tag); }

  // checkpoint_log.cpp: open checkpoints
  Open* find_open(Handle handle);
  void issue(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data, Tag tag);
  std::uint32_t take_page();
  void start_write(Picoseconds now, PageWrite write, std::vector<std::byte> data,
                   std::vector<ActivityLog::Flow> flows = {});
  void page_written(Picoseconds at, std::uint32_t slot, bool is_written);
  void fail(Picoseconds at, Handle handle, Error error);
  void drop_from(const std::string& name, Handle first);
  void notify(Notice::Kind kind, Picoseconds at, std::uint64_t value = 0, Error error = Error::none);
  void deliver(Picoseconds now);

  // checkpoint_log_commit.cpp: metadata, root, space
  void continue_work(Picoseconds now);
  void issue_waiting(Picoseconds now);
  void write_metadata(Picoseconds now);
  std::uint32_t chain_pages(std::size_t entries) const;
  void write_chain(Picoseconds now, CheckpointBody& body, const PageWrite& write);
  void write_root(Picoseconds now);
  bool add_ready(Picoseconds now, CheckpointDirectory& directory);
  void start_root(Picoseconds now, RootWrite root);
  void finish_root(Picoseconds at);
  void root_failed(Picoseconds at, const RootWrite& root);
  void adopt(CheckpointDirectory directory);
  bool needs_lost_page(const CheckpointDirectory& directory, std::size_t index) const;
  void mark_unreadable();
  bool make_space(Picoseconds now);
  bool is_out_of_space() const;
  bool is_space_coming() const;
  bool fail_one(Picoseconds now);
  // The pages that must be left when a data page of these entries is written (see Space above).
  std::uint32_t reserve(std::span<const Entry> next) const;
  bool fits(const CheckpointDirectory& directory) const;
  void prune(CheckpointDirectory& directory) const;

  // checkpoint_log_collect.cpp: merging and compaction
  bool collect(Picoseconds now, bool is_needed);
  bool merge(Picoseconds now);
  bool drop_useless(Picoseconds now);
  void apply_collection(CheckpointDirectory& directory);
  void collection_written(Picoseconds at, bool is_written);
  void cancel_collection();

  // checkpoint_log_compact.cpp
  bool compact(Picoseconds now, bool is_needed);
  std::unique_ptr<Collection> find_victims(std::uint32_t max_lines) const;
  std::uint32_t choose_victims(Collection& collection, std::uint32_t budget) const;
  void read_victims(Picoseconds now);
  void victim_read(Picoseconds at, std::uint32_t victim, bool is_readable, std::span<const std::byte> data);
  void move_victim(Picoseconds now, std::size_t victim);
  void flush_moved(Picoseconds now);
  void finish_moving(Picoseconds now);

  // checkpoint_log_recovery.cpp
  void start_recovery(Picoseconds at);
  void root_read(Picoseconds at, std::uint32_t slot, std::span<const std::byte> data);
  void choose_root(Picoseconds at);
  void chain_read(Picoseconds at, std::uint32_t chain, std::span<const std::byte> data);
  bool take_chain_page(std::uint32_t chain, std::span<const std::byte> data);
  void chains_done(Picoseconds at);
  void finish_recovery(Picoseconds at);

  // checkpoint_log_restore.cpp
  void read_piece(Picoseconds now);
  void restore_read(Picoseconds at, std::uint32_t serial, std::span<const std::byte> data);
  void deliver_piece(Picoseconds at);
  void end_restore(Picoseconds at, Error error);
  void page_lost(std::uint32_t page);

  CheckpointLogConfig config_;
  bool keeps_contents_;
  TranslationLayer layer_;
  Sink& sink_;
  std::uint32_t lines_per_page_, entries_per_metadata_;

  bool ready_ = false;
  std::deque<Notice> notices_;
  LogPages pages_;
  CheckpointDirectory directory_;
  std::set<std::string> continued_;  // names under which a checkpoint was opened since power-up
  std::set<std::uint32_t> lost_;     // data pages that could not be read
  std::uint64_t generation_ = 0;
  std::uint32_t stored_metadata_ = 0;  // pages

  Handle next_handle_ = 1;
  std::vector<std::unique_ptr<Open>> opens_;  // in the order in which they were opened
  Open* last_found_ = nullptr;
  std::map<Handle, Unreported> unreported_;  // checkpoints whose commit or failure is still in notices_
  std::deque<Waiting> waiting_;
  std::vector<PageWrite> writes_;
  std::vector<std::uint32_t> free_writes_;
  std::deque<std::uint64_t> discards_;  // sequences
  std::optional<RootWrite> root_;
  bool is_root_full_ = false;

  std::unique_ptr<Collection> collection_;
  bool is_collected_ = false;  // a collection is useless until the directory changes
  std::unique_ptr<Recovery> recovery_;
  std::shared_ptr<Restore> restore_;
  std::uint32_t restores_ = 0;  // begun since power-up; identifies the reads of each
  Counts counts_;
};

}  // namespace asterism
