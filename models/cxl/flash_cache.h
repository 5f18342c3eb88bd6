// The inside of a CXL SSD: flash pages behind a flash translation layer, as memory, with a cache of them in
// DRAM that writes back.
//
// Contents. contents() is what the host sees: memory as its caches have it, from which masters load and to
// which they store directly. A frame of the cache holds what has reached the device: a line gets there from
// contents() when it is written(), for example when a cache of the host writes it back. Flash holds what was
// programmed. When the power fails, contents() is lost, and then read again from flash.
//
// Accesses. A line that is read must be in a frame; if it is not, its page is read from flash. A whole line
// that is written needs no reading: the frame holds that line, and the rest of the page is read when it is
// wanted, or when the frame is written back. A page that was never written has zeros, without reading.
//
// Reading ahead. If the first access to a page comes after that to the page before, among the last eight,
// then up to `read_ahead` of the next pages are read, as far as there are frames without modified lines.
//
// Writing back. A Memory Accesses Tracking Table (matt/matt.h, abeyratne2017 section 5.3) has the lines of
// each 4 KiB page that were written since the page was last programmed. A frame without such lines leaves the
// cache without a program; of the others, a flush() programs just those that the table names. When more than
// half of the frames are modified, those that have been so for the longest time are programmed in the
// background. As flash programs whole pages, lines_written against pages * lines of a page says how much of
// them was new.
//
// Durability. What was written before flush() is in flash when the flush has ended. Other lines are lost with
// the power, unless the device has a reserve of energy (power_loss_protection): then modified frames are
// saved with the table, and there again after power_up(). The time of that is not modelled. A page is
// programmed as a whole or not at all.
//
// A flash page that cannot be read is lost: its lines are poisoned until all of each has been written, in any
// pieces. Its frame is not programmed before the last of them has been written, because that would make up
// data; until then a flush fails. If the flash has become read-only, writes fail, and so do flushes of lines
// that are not in flash yet.
//
// Time: flash is the exact engine. DRAM answers at once (DramSystem, loose); that pages from flash are
// written to it takes nothing from accesses.
//
// reset: warm keeps frames and contents, and drops what flash does. cold and power_loss lose them (see
// above). Requests are allowed after Sink::ready.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/statistics.h"
#include "cxl/cxl_ssd_config.h"
#include "cxl/poison_list.h"
#include "flash/flash_failure.h"
#include "flash/translation_layer.h"
#include "matt/matt.h"
#include "memory/dram_system.h"

namespace asterism {

class FlashCache final : private TranslationLayer::Sink {
 public:
  static constexpr Bytes line{64};
  enum class Answer : std::uint8_t {
    ready,   // the access may be made now
    wait,    // what it needs is under way: ask again after Sink::changed
    failed,  // the flash is read-only, and there is no room for it
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void ready(Picoseconds at) = 0;
    virtual void changed(Picoseconds at) = 0;
    virtual void flushed(Picoseconds at, bool ok) = 0;  // in the order of the flushes
    virtual void lost(Picoseconds at, Bytes page) = 0;  // lines of this page are poisoned from now on
  };

  // Throws std::invalid_argument with a message for the user.
  FlashCache(const CxlSsdConfig& config, const FlashPart& flash, const DramPart& dram, FlashImage& image,
             Sink& sink);

  Bytes size() const { return size_; }
  Bytes page() const { return page_size_; }
  std::span<std::byte> contents() { return {contents_.get(), size_.count()}; }
  bool is_ready() const { return layer_.ready(); }
  bool read_only() const { return layer_.read_only(); }

  // Whether these bytes of one line can be accessed. `is_whole`: all of the line is written.
  Answer prepare(Picoseconds now, Bytes offset, bool is_write, bool is_whole);
  // Whether that would be ready without reading flash; changes nothing.
  bool is_hit(Bytes offset, bool is_write, bool is_whole) const;
  // Bytes of one line, for which prepare() was ready at this time, have come to the device.
  void written(Picoseconds now, Bytes offset, Bytes size);
  // The time that DRAM takes for a line for which prepare() was ready. No request comes at a time before
  // `now` any more.
  Picoseconds time(Picoseconds now, Picoseconds at, Bytes offset, bool is_write, unsigned master);
  bool is_poisoned(Bytes offset) const;
  bool has_poison() const { return !lost_.empty(); }
  // The largest part of the window around a page that has no poison, in whole pages; empty if it has.
  AddressRange sound_around(Bytes offset) const;
  // Writes in zero time, for debuggers: as if it had come to the device.
  void poke(Picoseconds now, Bytes offset, std::span<const std::byte> data);

  // Sink::flushed follows when all that was written until now is in flash.
  void flush(Picoseconds now);
  // Returns the page that it hits, or whose block or die; nullopt: flash has no such page now, or is not
  // ready.
  std::optional<FlashAddress> inject(const FlashFailure& fault);
  bool is_flushing() const { return !flushes_.empty(); }
  std::uint64_t modified_frames() const { return modified_.size(); }

  void power_up(Picoseconds now);
  std::optional<Picoseconds> next_event() const { return layer_.next_event(); }
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;

  struct Counters {
    std::uint64_t reads = 0, writes = 0, misses = 0, pages_read = 0, pages_written = 0, pages_completed = 0,
                  pages_ahead = 0, lines_written = 0, evicted = 0, flushes = 0, failed_flushes = 0, saved = 0,
                  dropped = 0;
  };
  const Counters& counters() const { return count_; }

 private:
  using Lines = std::vector<std::uint64_t>;  // of a page: bit i of word w is line 64 * w + i
  using Page = std::uint32_t;
  static constexpr Page none = ~Page{0};
  // A page in the cache.
  struct Frame {
    std::uint32_t slot = 0;
    std::vector<std::byte> data;
    Lines valid;
    Lines taken;               // lines that the table no longer has, for the next program
    Lines saving;              // lines in the program that is under way
    bool is_modified = false;  // has lines that are neither in it nor in flash
    bool is_filling = false, is_saving = false;
    bool is_ahead = false;            // it was read ahead, and not accessed since
    std::uint64_t saves = 0;          // ended or under way
    std::uint64_t since = 0;          // when it was modified first, in the order of these
    std::list<Page>::iterator place;  // in used_
  };
  using Frames = std::map<Page, Frame>;
  struct Flush {
    std::map<Page, std::uint64_t> left;  // pages with the number of their save that it waits for
    bool ok = true;
  };
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  enum class Operation : std::uint8_t { fill, save };
  static constexpr unsigned operation_shift = 56;
  static TranslationLayer::Tag tag_of(Operation operation, Page page) {
    return static_cast<TranslationLayer::Tag>(operation) << operation_shift | page;
  }

  Page page_of(Bytes offset) const { return static_cast<Page>(offset / page_size_); }
  std::uint32_t line_of(Bytes offset) const { return static_cast<std::uint32_t>(offset % page_size_ / line); }
  static bool has(const Lines& lines, std::uint32_t index) { return lines[index / 64] >> index % 64 & 1; }
  static void set(Lines& lines, std::uint32_t index) { lines[index / 64] |= std::uint64_t{1} << index % 64; }
  bool is_complete(const Frame& frame) const;
  bool is_lost(Page page) const { return lost_.contains(page); }
  Frame* find(Page page);
  Frame& insert(Page page);
  Frame* make_room(Picoseconds now, Page page);
  std::list<Page>::reverse_iterator last_idle();
  void read_ahead(Picoseconds now, Page page);
  void drop(Frames::iterator frame);
  void fill(Picoseconds now, Page page, Frame& frame);
  void modify(Frame& frame, Page page, std::uint32_t part, std::uint64_t lines);
  void schedule(Picoseconds now);
  bool begin_save(Picoseconds now, Page page, Frame& frame);
  void take_lines(Page page, Frame& frame);
  void take_part(std::uint32_t part, Page page, Frame& frame);
  void give_up_flushes();
  void end_flushes(Picoseconds now);
  void load_contents();
  void track_all();

  void recovered(Picoseconds at) override;
  void left_buffer(Picoseconds, TranslationLayer::Tag) override {}
  void written(Picoseconds at, TranslationLayer::Tag tag, TranslationLayer::Outcome outcome) override;
  void read_done(Picoseconds at, TranslationLayer::Tag tag, bool is_readable,
                 std::span<const std::byte> data) override;

  const Bytes size_, page_size_;
  const std::uint32_t parts_;  // 4 KiB pages of a flash page
  const std::size_t capacity_, max_saves_;
  const bool is_protected_;
  const std::uint32_t read_ahead_;
  const Picoseconds latency_;
  FlashImage& image_;
  Sink& sink_;
  TranslationLayer layer_;
  Matt matt_;
  DramSystem dram_;

  std::unique_ptr<std::byte[], Free> contents_;
  Frames frames_;
  std::list<Page> used_;  // the one used last is the first
  std::vector<std::uint32_t> free_slots_;
  std::set<std::pair<std::uint64_t, Page>> modified_;  // frames with is_modified, by since
  std::set<Page> wanted_;                              // of these, those to be saved at once
  std::size_t saving_ = 0, filling_ = 0;
  std::array<Page, 8> first_accesses_{};  // the last pages whose first access has come, in a ring
  std::size_t next_first_ = 0;
  bool is_full_ = false;  // of frames that cannot leave, since the last one has become idle
  std::uint64_t sequence_ = 0;
  std::map<Page, PoisonList> lost_;  // with offsets in the window
  std::list<Flush> flushes_;
  Counters count_;
};

}  // namespace asterism
