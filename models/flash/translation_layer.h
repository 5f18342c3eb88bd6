// A page-mapping flash translation layer: logical pages that can be rewritten and trimmed, on flash that can
// only be programmed in order and erased by the block.
//
// Writes are distributed over the planes, channels first, each to the open block of its plane. Pages that
// a write makes invalid stay until garbage collection (translation_config.h defines when it runs and on
// which block) has moved the valid pages of the block within their plane and erased it. Writes wait for it
// if no page is left, and with `pace_writes` for their share of it, so that none waits long. Writes of one
// logical page are performed in the order given. A block whose program or erase fails is retired: the
// failed data are programmed elsewhere, its valid pages are moved, and it is marked bad in the image. When
// too few blocks are left for the logical pages, the layer becomes read-only: writes end with `failed`,
// and everything that was written before stays readable.
//
// Safety against a power failure at any instant:
//   - the spare area of every page holds its logical number and the sequence number of its write, and the
//     checksum covers both. Of all readable copies of a logical page the one with the highest sequence number
//     is valid;
//   - a copy made by garbage collection keeps the sequence number of its original. A block is erased only
//     after all its valid pages are programmed elsewhere;
//   - the last page of every block lists the logical and sequence numbers of the others, so that power_up()
//     reads one page of a closed block and the spare areas of an open one. A block without a readable list is
//     read page by page.
//
// After power_up() every logical page reads as its newest write that was reported written, or a newer one
// that was under way; if there was none, it is not mapped. A trimmed page may return with any of its
// contents: trims are only kept in the mapping.
//
// A page whose bits can no longer be corrected is lost: it is mapped and unreadable until it is rewritten. It
// stays lost after a power failure: lists name unreadable pages, and collection leaves a mark in place of
// one. Only a page of a block that was still open at the power failure cannot be distinguished from a torn
// one; an older copy, if there is one, then replaces it.
//
// Time: recovery, garbage collection and wear levelling are ordinary operations of the NandArray.
//
// reset: as NandArray. Every kind loses the mapping, until power_up() has read it back.
//
// Sources: what users of SSD simulators expect (MQSim: Tavakkol et al., FAST 2018): page mapping, plane to
// channel parallelism, collection policies and thresholds, static and dynamic wear levelling,
// over-provisioning.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "flash/divisor.h"
#include "flash/nand_array.h"
#include "flash/translation_blocks.h"
#include "flash/translation_config.h"
#include "flash/translation_list.h"
#include "flash/translation_recovery.h"

namespace asterism {

class TranslationLayer final : private NandArray::Sink {
 public:
  using Tag = std::uint64_t;  // identifies a request for the caller
  using Outcome = NandArray::Outcome;

  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    // The data of a write is in the register of the package.
    virtual void left_buffer(Picoseconds at, Tag tag) = 0;
    // The write survives a power failure from now on. If it failed, the layer is read-only and the page
    // unchanged.
    virtual void written(Picoseconds at, Tag tag, Outcome outcome) = 0;
    // If readable, `data` is the page, or empty if the image keeps no contents. Otherwise the page was never
    // written, or is lost.
    virtual void read_done(Picoseconds at, Tag tag, bool is_readable, std::span<const std::byte> data) = 0;
  };

  // Throws std::invalid_argument with a message for the user if the geometry is too small for the config
  // (fewer blocks per plane than garbage collection needs).
  TranslationLayer(const TranslationConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);
  ~TranslationLayer() override;
  // See NandArray.
  void record_in(ActivityLog& activity, const std::string& name) { array_.record_in(activity, name); }

  // The number of logical pages. It is constant, and independent of the contents of the image. pages_of()
  // throws what the constructor would.
  std::uint32_t pages() const;
  static std::uint32_t pages_of(const TranslationConfig& config, const FlashGeometry& geometry);
  Bytes page_size() const;

  // Begins to read the mapping back. Requests are allowed after Sink::recovered.
  void power_up(Picoseconds now);
  bool ready() const;
  bool read_only() const;
  bool is_collecting() const;  // a block is collected, levelled or retired

  // `flows` are those of what is in the page (base/activity_log.h).
  void write(Picoseconds now, std::uint32_t page, std::vector<std::byte> data, Tag tag,
             std::vector<ActivityLog::Flow> flows = {});
  void read(Picoseconds now, std::uint32_t page, Tag tag);
  void trim(std::uint32_t page);
  bool is_mapped(std::uint32_t page) const;

  std::optional<Picoseconds> next_event() const {
    if (answers_.empty() && !nothing_to_read_at_) return array_.next_event();
    return next_of_all();
  }
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Reports page writes of the caller and in total, collections, moved and lost pages, retired blocks, and
  // the spread of wear.
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;

  // The place of a logical page, for tests and fault injection.
  std::optional<FlashAddress> place(std::uint32_t page) const;

 private:
  using Index = std::uint32_t;  // of a slot, a block, a page of the whole array, or a logical page
  static constexpr Index none = TranslationBlocks::none;
  enum class Operation : std::uint8_t { write, list, move_read, move, erase, read, recover };
  enum class State : std::uint8_t { off, recovering, ready };
  enum Stream : std::uint8_t { host, moved, aside, streams };

  // Tags of operations: the operation in the top byte, a flag for the last list page, and a slot, block or
  // plane.
  static constexpr unsigned operation_shift = 56;
  static constexpr NandArray::Tag last_list_page = NandArray::Tag{1} << 48;
  static constexpr NandArray::Tag tag_of(Operation operation, NandArray::Tag index) {
    return static_cast<NandArray::Tag>(operation) << operation_shift | index;
  }
  static constexpr Operation operation_of(NandArray::Tag tag) {
    return static_cast<Operation>(tag >> operation_shift);
  }

  // A request of the caller, or a page that is moved.
  struct Slot {
    Tag tag = 0;
    std::uint64_t sequence = 0;
    Picoseconds answer_at;
    Index page = none;
    Index place = none;   // of a write or move while it is programmed, or of a read
    Index source = none;  // of a move
    Index next = none;    // in a queue
    Index later = none;   // the next request for the same page
    Index last = none;    // of the first request for a page: the last one
    bool is_write = false;
    bool has_left = false;
    bool is_trimmed = false;
    std::vector<std::byte> data;
    std::vector<ActivityLog::Flow> flows;
  };
  struct Queue {
    Index first = none, last = none;
    bool empty() const { return first == none; }
  };
  // A block being filled, with the sequence numbers for its list.
  struct Open {
    Index block = none;
    std::vector<std::uint64_t> sequences;
  };
  struct Job {
    enum class Kind : std::uint8_t { collect, level, retire };
    Index block = none;
    Index page = 0;  // the next page to check
    std::uint32_t moving = 0;
    std::uint32_t valid = 0;  // pages of the block at the beginning
    Kind kind = Kind::collect;
    bool erasing = false;
    bool aborted = false;
    bool active() const { return block != none; }
  };
  struct Plane {
    std::array<Open, streams> open;
    Job job;
    std::uint64_t used = 0;      // valid pages and writes under way
    std::uint64_t capacity = 0;  // the maximum of `used`
  };

  // Requests: translation_layer.cpp.
  Index take_slot();
  void give_slot(Index slot);
  void append(Queue& queue, Index slot);
  Index take_first(Queue& queue);
  void request(Picoseconds now, Index slot);
  void begin(Picoseconds now, Index slot);
  bool dispatch(Picoseconds now, Index slot);
  Index choose_plane() const;
  bool takes_writes(Index plane) const;
  bool keeps_pace(Index plane) const;
  void pump(Picoseconds now);
  std::optional<Picoseconds> next_of_all() const;
  void answer_later(Picoseconds now, Index slot);
  void answer(Picoseconds at);
  void write_done(Picoseconds at, Index slot, Outcome outcome);
  void next_of_page(Picoseconds at, Index slot);
  void read_flash(Picoseconds now, Index place, Operation operation, Index slot);
  void finish_read(Picoseconds at, Index slot, const NandArray::Read& read);
  void program(Picoseconds now, Index plane, Stream stream, Index slot, TranslationPage kind,
               std::vector<std::byte>&& data);
  void close_if_full(Picoseconds now, Index plane, Stream stream);
  void write_list(Picoseconds now, Index plane, const Open& open);
  void list_done(Picoseconds at, Index block, bool is_last, Outcome outcome);
  void map(Index page, Index place, Index block);
  void unmap(Index page);
  void check_request(Index page) const;

  // Collection: translation_collection.cpp.
  bool open_block(Index plane, Stream stream) {
    return planes_[plane].open[stream].block != none || open_new_block(plane, stream);
  }
  bool open_new_block(Index plane, Stream stream);
  std::uint64_t room(Index plane, bool last_too) const;
  // Starts a job if one is due and none is under way.
  void collect(Picoseconds now, Index plane) {
    if (!planes_[plane].job.active() && !read_only_) start_due_job(now, plane);
  }
  void start_due_job(Picoseconds now, Index plane);
  void start_job(Picoseconds now, Index plane, Index block, Job::Kind kind);
  void continue_job(Picoseconds now, Index plane);
  void end_job(Picoseconds now, Index plane);
  void merge_aside_block(Index plane);
  void move_read_done(Picoseconds at, Index slot, const NandArray::Read& read);
  void move_done(Picoseconds at, Index slot, Outcome outcome);
  void drop_move(Picoseconds at, Index slot);
  void erase_done(Picoseconds at, Index plane, Outcome outcome);
  void level_wear(Picoseconds now, Index plane, Index worn);
  void block_failed(Picoseconds now, Index block);
  void retire(Picoseconds now, Index block);
  void update_capacity(Index plane);
  void check_capacity(Picoseconds now);
  void become_read_only(Picoseconds now);
  void check_progress(Picoseconds now);

  // Power-up: translation_power_up.cpp.
  void take_over(Picoseconds now);
  void take_over_plane(Index plane);
  void resume(Index plane, Stream stream, Index block);

  void transferred(Picoseconds at, NandArray::Tag tag) override;
  void programmed(Picoseconds at, NandArray::Tag tag, Outcome outcome) override;
  void erased(Picoseconds at, NandArray::Tag tag, Outcome outcome) override;
  void read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) override;

  Index block_of(Index place) const { return place / pages_per_block_; }
  FlashAddress address(Index place) const;
  std::vector<std::byte> blank() const;

  TranslationConfig config_;
  FlashGeometry geometry_;
  TranslationList list_;
  Divisor pages_per_block_;
  NandArray array_;
  Sink& sink_;
  bool keeps_contents_;
  Index pages_ = 0;

  State state_ = State::off;
  bool read_only_ = false;
  std::optional<Picoseconds> nothing_to_read_at_;  // the recovery of a flash whose blocks are all bad
  std::unique_ptr<TranslationRecovery> recovery_;
  TranslationBlocks blocks_;
  std::vector<Index> places_;   // of logical pages
  std::vector<Index> logical_;  // of pages in flash: the logical page last programmed there
  // Of logical pages: the first pending request, if there is a write among them.
  std::vector<Index> busy_;
  std::vector<Plane> planes_;
  std::vector<Index> order_;  // the order of planes for writes
  std::uint32_t next_in_order_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t under_way_ = 0;  // operations of the array

  std::vector<Slot> slots_;
  Index free_slot_ = none;
  Queue waiting_;  // writes that wait for a free page
  Queue answers_;  // requests without a flash operation

  struct Counters {
    std::uint64_t writes = 0, reads = 0, trims = 0, programs = 0, lists = 0;
    std::uint64_t collections = 0, levelled = 0, moved = 0, lost = 0, unreadable = 0, retired = 0,
                  recoveries = 0;
  } count_;
};

}  // namespace asterism
