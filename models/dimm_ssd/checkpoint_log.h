// Checkpoints in flash: what is stored of which page, when a checkpoint is durable, and how its image is put
// together again.
//
// A checkpoint belongs to a name and is full, or holds what was modified since the one before of the same
// name. It consists of entries: some lines of one page, packed in ascending order. Entries of many pages, and
// of several checkpoints that are being taken at once, share the data pages that they are written in; a later
// entry of a page covers the lines of an earlier one. The image of a version is that of all entries from the
// newest full checkpoint up to it.
//
// On flash, all in logical pages of the TranslationLayer:
//   data      lines of entries, nothing else
//   metadata  of one checkpoint: its entries in their order, 20 bytes each (section 5.3.2.3): page and a
//             check of the lines (6), bitmap of its lines (8), place of the lines (6: logical page and first
//             line in it); a chain of pages, each checked by the one before it (checkpoint_log_format.h)
//   root      the directory of all checkpoints. Writing it is the commit of a checkpoint, of a merge, of a
//             discard: before that instant it has not happened, from then on it has. It is written twice,
//             into logical pages 0 and 1 at the same time, with a generation: the first of the two to be
//             durable is the instant, and one of them that is lost to bit errors loses nothing. A commit is
//             reported, and logical pages that the root does not name any more are given back, when both are
//             durable; recovery writes both when they differ, before it gives back anything.
//
// Checkpoints of a name are committed in the order in which they were opened: when all data of it is written,
// its metadata is, then the root.
//
// Merging (figure 5.7) gains space back: checkpoints older than the oldest version that is kept become one
// full checkpoint of that version, newest first, so that lines that were overwritten since are met too late
// and left out; no line is copied for that. Data pages at most half full of lines that count are then
// compacted: read, and these lines written into new ones. Both are part of the garbage collection: they begin
// when less than `merge_below` of the logical pages are free, or the root is full, or a write waits for
// space.
//
// Space, in logical pages beside the two of the root (what the layer below keeps for its own collection is
// not among them). Data is written only where afterwards are left
//   - the metadata that open checkpoints have still to write,
//   - as many pages again as all metadata takes, stored and open: to write it anew in a merge or a
//     compaction,
//   - one, for a compaction to move into.
// So merging can always go on and, when writes wait, every data page that is not full can be compacted. What
// waits after that does not fit: the checkpoint opened last fails with no_space, and those before it stay.
// However many were open at once, what can be taken one after the other can be taken behind them.
//
// A data page that a compaction or a restore is still to read is held: it is not given back, whatever becomes
// of the checkpoints that name it. So a read finds what was written there, or bit errors, and never another
// checkpoint's lines.
//
// What cannot be read any more (bit errors, a lost page) takes the checkpoints with it whose image needs it,
// and no others; a restore says so, and older versions stay.
//
// Lines and pages are of any size that divides: 64-byte lines of 4 KiB pages for a memory, 8-byte version
// tags in the place of lines for a study. A log on an image without contents measures time alone, and cannot
// restore.
//
// All calls of the sinks come out of advance_to(), at their times; next_event() says so when a call has
// caused one.
//
// reset: every kind drops what is open and what is in flight; power_up() reads the directory and all metadata
// back.
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
  std::uint32_t versions = 2;       // kept of every name
  std::uint32_t merge_below = 250;  // permille of the logical pages that are free
  Bytes line{64};                   // 64 of them are a memory page
};
void describe(Fields& f, CheckpointLogConfig& config);

class CheckpointLog final : private TranslationLayer::Sink {
 public:
  static constexpr std::size_t name_bytes = Root::name_bytes;  // with its terminating zero

  using Handle = std::uint32_t;  // of an open checkpoint
  using Tag = std::uint64_t;     // of a data page, the caller's
  using Stored = StoredCheckpoint;

  // no_space: does not fit beside what is kept. uncorrectable: of a checkpoint, the one that it continues is
  // gone or cannot be read; of a restore, a page of the image. worn_out: the flash takes no writes any more.
  enum class Error : std::uint8_t { none, no_space, uncorrectable, worn_out };

  // What is stored of a page, in the order in which the lines stand in the data page.
  struct Entry {
    Handle checkpoint;
    std::uint32_t page;
    std::uint64_t lines;
  };

  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    // Of a data page; comes for every write, also when its checkpoints have failed meanwhile.
    virtual void left_buffer(Picoseconds at, Tag tag) = 0;
    virtual void committed(Picoseconds at, Handle checkpoint) = 0;
    // This checkpoint and all that were opened after it under its name are gone; nothing of them is or will
    // be durable. One call for all of them; what is still said of them is ignored.
    virtual void failed(Picoseconds at, Handle checkpoint, Error error) = 0;
    virtual void discarded(Picoseconds at) = 0;
  };
  struct RestoreSink {
    virtual ~RestoreSink() = default;
    // The lines of a page, packed; every line of the image comes once. Calls from one flash page come at one
    // time; the next flash page is read after next_piece().
    virtual void restored(Picoseconds at, std::uint32_t page, std::uint64_t lines,
                          std::span<const std::byte> data) = 0;
    virtual void piece_ended(Picoseconds at) = 0;
    virtual void restore_ended(Picoseconds at, Error error) = 0;
  };

  // Throws std::invalid_argument with words for a user: too small a geometry, a line that does not fit.
  CheckpointLog(const CheckpointLogConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);
  ~CheckpointLog() override;

  void power_up(Picoseconds now);
  bool ready() const { return ready_; }

  std::uint32_t lines_per_data_page() const { return lines_per_page_; }
  Bytes page_size() const { return layer_.page_size(); }
  Bytes capacity() const { return pages_.size() * page_size(); }  // of data pages, with their metadata
  std::uint32_t pages() const { return pages_.size(); }           // the same in flash pages
  std::uint32_t free_pages() const { return pages_.free(); }      // of these

  // Opens the next checkpoint of a name (at most 31 characters). Several may be open, of one name. An
  // incremental one continues the one before; discarding all versions of a name while none is open under it
  // forgets that one, too, and it fails when it is closed.
  Handle open(const std::string& name, std::uint32_t memory_pages, bool full);
  // One data page with lines of entries; `data` holds them, or is empty where the image keeps no contents.
  // Waits for space when a merge or a collection is making some; when none can be made, the checkpoint opened
  // last fails, then the one before.
  void write(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data, Tag tag);
  // No entry follows. Replaces a version of the same number.
  void close(Picoseconds now, Handle checkpoint, std::uint64_t version);
  // As if it had never been opened, with all that were opened after it. Does not call the sink for them. One
  // whose root is being written is committed all the same.
  void abandon(Picoseconds now, Handle checkpoint);

  // In the order of their commits.
  const std::vector<Stored>& stored() const { return directory_.stored(); }
  // The newest readable visible version of a name that is not above a limit.
  const Stored* newest(const std::string& name, std::uint64_t limit) const {
    return directory_.newest(name, limit);
  }
  // A visible one.
  const Stored* find(const std::string& name, std::uint64_t version) const {
    return directory_.find(name, version);
  }
  // An increment that is opened now continues this version: it is the last of its name, can be read, and is
  // not being discarded. What an open increment continues is kept, whatever is discarded afterwards.
  bool can_continue(const std::string& name, std::uint64_t version) const;
  // False: there is none. Sink::discarded says when it is durable; in a worn-out device it lasts until the
  // next power-up.
  bool discard(Picoseconds now, const std::string& name, std::uint64_t version);

  // One restore at a time. False: no such version.
  bool restore(Picoseconds now, const std::string& name, std::uint64_t version, RestoreSink& sink);
  void next_piece(Picoseconds now);
  void stop_restore();

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Commits, data and metadata pages, merges, lines moved, space; the translation layer's in a group.
  void report(Statistics& statistics) const;

  const TranslationLayer& translation() const { return layer_; }
  const CheckpointDirectory& directory() const { return directory_; }
  bool is_collecting() const { return collection_ != nullptr; }  // a merge or a compaction is under way
  // What is under way, for who cuts the power at it.
  struct Activity {
    bool merges = false, compacts = false;
    bool data = false, metadata = false;     // of open checkpoints: on their way to flash
    bool commits = false, discards = false;  // by the root that is being written
  };
  Activity activity() const;

 private:
  // What a request of the layer is for; in its tag, above the index.
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
    std::size_t discards = 0;  // the first so many of them
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
  struct Untold {
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

  // checkpoint_log.cpp: what is open
  Open* find_open(Handle handle);
  void issue(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data, Tag tag);
  std::uint32_t take_page();
  void start_write(Picoseconds now, PageWrite write, std::vector<std::byte> data);
  void page_written(Picoseconds at, std::uint32_t slot, bool is_written);
  void fail(Picoseconds at, Handle handle, Error error);
  void drop_from(const std::string& name, Handle first);
  void notify(Notice::Kind kind, Picoseconds at, std::uint64_t value = 0, Error error = Error::none);
  void deliver(Picoseconds now);

  // checkpoint_log_commit.cpp: metadata, root, space
  void go_on(Picoseconds now);
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
  bool is_starved() const;
  bool is_space_coming() const;
  bool fail_one(Picoseconds now);
  // Pages that must be left when a data page of these entries is written (Space, above).
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
  std::set<std::string> continued_;  // names under which something was opened since power-up
  std::set<std::uint32_t> lost_;     // data pages that could not be read
  std::uint64_t generation_ = 0;
  std::uint32_t stored_metadata_ = 0;  // pages

  Handle next_handle_ = 1;
  std::vector<std::unique_ptr<Open>> opens_;  // in the order in which they were opened
  Open* last_found_ = nullptr;
  std::map<Handle, Untold> untold_;  // whose commit or failure is still in notices_
  std::deque<Waiting> waiting_;
  std::vector<PageWrite> writes_;
  std::vector<std::uint32_t> free_writes_;
  std::deque<std::uint64_t> discards_;  // sequences
  std::optional<RootWrite> root_;
  bool is_root_full_ = false;

  std::unique_ptr<Collection> collection_;
  bool is_collected_ = false;  // nothing to gain until the directory changes
  std::unique_ptr<Recovery> recovery_;
  std::shared_ptr<Restore> restore_;
  std::uint32_t restores_ = 0;  // begun since power-up: names the reads of each
  Counts counts_;
};

}  // namespace asterism
