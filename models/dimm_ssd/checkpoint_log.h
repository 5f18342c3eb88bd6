// Checkpoints in flash: what is stored of which page, when a checkpoint is durable, and how its image is put together again.
//
// A checkpoint belongs to a name and is full, or holds what was modified since the one before of the same name. It consists of
// entries: some lines of one page, packed in ascending order. Entries of many pages, and of several checkpoints that are
// being taken at once, share the data pages that they are written in; a later entry of a page covers the lines of an
// earlier one. The image of a version is that of all entries from the newest full checkpoint up to it.
//
// On flash, all in logical pages of the TranslationLayer:
//   data      lines of entries, nothing else
//   metadata  of one checkpoint: its entries in their order, 20 bytes each (section 5.3.2.3): page (6), bitmap of its lines
//             (8), place of the lines (6: logical page and first line in it); a chain of pages with a checksum each
//   root      logical page 0: the directory of all checkpoints. Programming it is the commit of a checkpoint, of a merge, of
//             a discard: before that instant it has not happened, from then on it has. Logical pages are given back only
//             after the root that does not name them any more is durable.
//
// Checkpoints of a name are committed in the order in which they were opened: when all data of it is written, its metadata
// is, then the root.
//
// Merging (figure 5.7) gains space back: checkpoints older than the oldest version that is kept become one full checkpoint of
// that version, newest first, so that lines that were overwritten since are met too late and left out; no line is copied for
// that. Data pages that keep few lines are then compacted: read, and what lives of them written into new ones. Both are part
// of the garbage collection: they begin when less than `merge_below` of the logical pages are free, or the root is full.
//
// What cannot be read any more (bit errors, a lost page) takes the checkpoints with it whose image needs it, and no others; a
// restore says so, and older versions stay.
//
// Lines and pages are of any size that divides: 64-byte lines of 4 KiB pages for a memory, 8-byte version tags in the place
// of lines for a study. A log on an image without contents measures time alone, and cannot restore.
//
// reset: every kind drops what is open and what is in flight; power_up() reads the directory and all metadata back.
//
// Sources: abeyratne2017 section 5.3.2.3, figures 5.6 and 5.7. Root, chains and compaction are this model's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
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
  static constexpr std::size_t name_bytes = 32;  // with its terminating zero
  static constexpr Bytes entry_bytes{20};

  using Handle = std::uint32_t;  // of an open checkpoint
  using Tag = std::uint64_t;     // of a data page, the caller's

  enum class Error : std::uint8_t { none, no_space, uncorrectable, worn_out };

  // What is stored of a page, in the order in which the lines stand in the data page.
  struct Entry {
    Handle checkpoint;
    std::uint32_t page;
    std::uint64_t lines;
  };
  struct Stored {
    std::string name;
    std::uint64_t version = 0;
    std::uint64_t sequence = 0;      // grows with every commit
    std::uint32_t memory_pages = 0;  // of the image
    bool full = false;
    bool visible = true;  // false: discarded or too old, and kept because younger ones need it
    bool readable = true;
  };

  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    virtual void left_buffer(Picoseconds at, Tag tag) = 0;  // of a data page
    virtual void committed(Picoseconds at, Handle checkpoint) = 0;
    // This checkpoint and all that were opened after it under its name are gone; nothing of them is or will be durable.
    virtual void failed(Picoseconds at, Handle checkpoint, Error error) = 0;
    virtual void discarded(Picoseconds at) = 0;
  };
  struct RestoreSink {
    virtual ~RestoreSink() = default;
    // The lines of a page, packed; every line of the image comes once. Calls from one flash page come at one time; the next
    // flash page is read after next_piece().
    virtual void restored(Picoseconds at, std::uint32_t page, std::uint64_t lines,
                          std::span<const std::byte> data) = 0;
    virtual void piece_ended(Picoseconds at) = 0;
    virtual void restore_ended(Picoseconds at, Error error) = 0;
  };

  // Throws std::invalid_argument with words for a user: too small a geometry, a line that does not fit.
  CheckpointLog(const CheckpointLogConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);
  ~CheckpointLog();

  void power_up(Picoseconds now);
  bool ready() const;

  std::uint32_t lines_per_data_page() const;
  Bytes page_size() const;
  Bytes capacity() const;  // of data pages

  // Opens the next checkpoint of a name. Several may be open, of one name.
  Handle open(const std::string& name, std::uint32_t memory_pages, bool full);
  // One data page with lines of entries; `data` holds them, or is empty where the image keeps no contents. Waits for space
  // when a merge or a collection is making some, fails the open checkpoints when none can be made.
  void write(Picoseconds now, std::span<const Entry> entries, std::vector<std::byte> data, Tag tag);
  // No entry follows. Replaces a version of the same number.
  void close(Picoseconds now, Handle checkpoint, std::uint64_t version);
  // As if it had never been opened, with all that were opened after it. Does not call the sink for them.
  void abandon(Picoseconds now, Handle checkpoint);

  // In the order of their commits.
  const std::vector<Stored>& stored() const;
  // The newest readable visible version of a name that is not above a limit.
  const Stored* newest(const std::string& name, std::uint64_t limit) const;
  const Stored* find(const std::string& name, std::uint64_t version) const;
  // False: there is none. Sink::discarded says when it is durable.
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

  const TranslationLayer& translation() const;

  // The private part is the implementation's.
};

}  // namespace asterism
