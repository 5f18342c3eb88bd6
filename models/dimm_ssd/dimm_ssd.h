// The controller of a DIMM-SSD as firmware sees it: executes one command at a time on lists of memory pages,
// and continues to copy checkpoints that were handed over.
//
//   checkpoint  1  saves the present contents of the pages as a version of a name, by a method of
//                  checkpoint_method.h. The command ends when software may continue: with the methods that
//                  stop software when the version is durable, with copy_on_write when the version before is
//                  durable, with the others at once
//   find        2  finds the newest version of a name, not above a limit
//   restore     3  writes a version back to the given pages; nothing is tracked afterwards
//   discard     4  removes a version
//   abort       5  abandons every checkpoint that is not durable, and ends tracking; reads no descriptor. A
//                  command that is under way ends with `aborted` (a restore leaves memory partly written)
//
// A command is a request descriptor in memory, 8-byte aligned (little-endian):
//
//   char name[32], zero padded; u64 version; u32 page_count; u32 method;
//   u64 pages[page_count], each 4 KiB aligned, in memory, no two the same, none 0, none a shadow frame of
//       another device beside the same memory
//
// `method` is a CheckpointMethod, or 0 for the configured one. A page is identified by its place in the list.
//
// A checkpoint with the same name and list as the one before it is incremental, provided that writes were
// observed in between; any other is full. A command with another name or list, or a restore, ends with `busy`
// while a version that was handed over is not durable. A command that is given while another is under way is
// refused; abort is only refused during a discard. The failure of a version that was handed over is reported
// by Sink::failed; if its command is still under way, by the error of the command.
//
// reset: every kind drops the command, its result, what is open and what is tracked. power_up(now) begins the
// recovery, which delays the first command. Durable versions survive every kind.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/engine.h"
#include "base/enum_names.h"
#include "base/event_log.h"
#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/dimm_ssd_config.h"
#include "dimm_ssd/flash_fault.h"
#include "dimm_ssd/request_descriptor.h"

namespace asterism {

class DimmSsd final : private Checkpointer::Memory,
                      private Checkpointer::Sink,
                      private CheckpointLog::RestoreSink {
 public:
  static constexpr Bytes line{64};
  static constexpr Bytes memory_page{4096};
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  enum class Operation : std::uint32_t { checkpoint = 1, find = 2, restore = 3, discard = 4, abort = 5 };
  enum class Error : std::uint32_t {
    none = 0,
    bad_descriptor = 1,  // no name, no or too many pages, an unknown operation or method, shadow memory that
                         // does not fit, or a bad page (bad_index())
    bus_error = 2,       // memory did not answer for the descriptor or a page
    no_space = 3,        // the flash is full of data that must be kept
    not_found = 4,
    uncorrectable = 5,  // flash pages that cannot be read
    busy = 6,           // an earlier checkpoint is not durable yet; it continues
    aborted = 7,
    worn_out = 8,  // too few good blocks are left: the flash can be read, but no longer written
  };

  // What other devices beside the same memory do not allow: the index of a page that is a shadow frame of
  // theirs; no_index: they track a page of the shadow memory.
  struct Conflict {
    std::uint32_t index;
  };

  // The parts of the device that access memory side by side: commands, copies to flash, copies to shadow
  // frames. Each makes one access after the other.
  enum class Part : std::uint8_t { command, copy, frame };
  // The host's memory controller. Addresses are physical, `page` is 4 KiB aligned, bit i of `lines` is the
  // line at 64 * i, data have the lines packed in ascending order.
  struct Memory {
    virtual ~Memory() = default;
    virtual void read_lines(Part by, Picoseconds now, Address page, std::uint64_t lines,
                            OnAccessEnd ended) = 0;
    virtual void write_lines(Part by, Picoseconds now, Address page, std::uint64_t lines,
                             std::span<const std::byte> data, OnAccessEnd ended) = 0;
    // The same as read_lines() for a tracked page that is copied, with its contents at the end of its
    // interval if memory is already ahead.
    virtual void read_preimage(Part by, Picoseconds now, Address page, std::uint64_t lines,
                               OnAccessEnd ended) {
      read_lines(by, now, page, lines, std::move(ended));
    }
    // The accesses of a part write nothing more and are not reported any more.
    virtual void abandon(Part) {}
    // Whether the pages may be watched and copied to this shadow memory.
    virtual std::optional<Conflict> conflict(std::span<const Address> /*pages*/,
                                             AddressRange /*shadow*/) const {
      return std::nullopt;
    }
    // From now on all writes of others to these pages are reported, by DimmSsd::write before memory changes
    // or by written_lines(); an empty list ends this. Returns false if writes cannot be observed; then every
    // checkpoint is full.
    virtual bool watch(std::span<const Address> pages) = 0;
    // An interval is about to end. Returns true if all writes are on their way to memory and have been
    // reported; otherwise the device waits for DimmSsd::flushed() and calls again.
    virtual bool flush_writes(Picoseconds /*now*/) { return true; }
    // An interval ends: before the next write to each tracked page is_write_allowed() and write() are called
    // again. Writes until now may still be reported by written_lines().
    virtual void interval_ended() = 0;
    // The page is about to be copied: returns its lines that were written and have not been reported yet. The
    // next write to the page asks for permission.
    virtual std::uint64_t written_lines(Address page) = 0;
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void completed(Picoseconds at) = 0;  // the command has ended; error() gives the result
    virtual void durable(Picoseconds at, std::uint64_t version) = 0;
    // This version and all later ones that were handed over are abandoned.
    virtual void failed(Picoseconds at, std::uint64_t version, Error error) = 0;
    virtual void released(Picoseconds at, Address page) = 0;  // a held write may be tried again
  };

  // `memory_range` contains the addresses of pages that can be saved.
  DimmSsd(const DimmSsdConfig& config, const FlashPart& part, FlashImage& image, AddressRange memory_range,
          Memory& memory, Sink& sink, std::string name, EventLog& events);

  void power_up(Picoseconds now);
  void command(Picoseconds now, std::uint32_t operation, Address descriptor);
  // The same by another device, whose request is not in memory: checkpoint, find, restore or discard.
  void command(Picoseconds now, Operation operation, RequestDescriptor request);
  // Refuses a command.
  void refuse() { refused_ = true; }
  // Returns false if the fault hits nothing, because there is no such page or the device is off or
  // recovering.
  bool inject(Picoseconds now, const FlashFault& fault);

  bool busy() const { return job_.has_value(); }  // a command is under way
  Error error() const { return error_; }          // the result of the last command that was not refused
  // Whether the last command was refused because another was under way. It had no effect.
  bool refused() const { return refused_; }
  std::uint64_t result_version() const { return result_version_; }
  std::uint32_t result_pages() const { return result_pages_; }
  // After bad_descriptor: the index of the first bad page in the list; no_index if the error is another.
  std::uint32_t bad_index() const { return bad_index_; }

  // DRAM that copy_on_write may fill: 4 KiB aligned, without pages of the list or pages that another device
  // tracks. It takes effect with the next list that is tracked. The checkpoint that begins this list is
  // refused if the DRAM does not fit.
  void set_shadow(Address first, std::uint32_t pages);
  AddressRange shadow() const { return shadow_; }  // in effect

  // Only for the record of a run: a core is about to store, for the first time since the page was copied or
  // an interval began. The write is reported later, if at all.
  void store_begins(Picoseconds at, Address page, std::string_view core);
  // A write of others to memory: whether and when it may happen. A write to an untracked page is ready.
  Checkpointer::Answer write(Picoseconds now, Address page, std::uint64_t lines);
  // Whether a write would be ready at once, without a copy of the page to a shadow frame.
  bool is_write_allowed(Address page) const;
  // Memory::flush_writes() may return true now.
  void flushed(Picoseconds now);
  // Whether pages are copied within this interval, so that writes should be reported during it.
  bool copies_early() const { return asterism::copies_early(method_in_use_); }
  bool tracks(Address page) const { return index_of(page) != no_index; }
  std::span<const Address> tracked_pages() const { return tracked_pages_; }
  // If false, write() need not be called.
  bool tracking() const { return sees_writes_ && checkpointer_.tracking(); }

  CheckpointMethod method() const { return config_.method; }
  // The number of checkpoints that were handed over and are not durable yet.
  std::uint32_t open() const { return static_cast<std::uint32_t>(open_versions_.size()); }
  // The newest durable version of the tracked name; 0: none.
  std::uint64_t durable_version() const { return durable_version_; }
  std::uint64_t failed_version() const { return failed_version_; }  // the oldest of those abandoned last
  Error failed_error() const { return failed_error_; }
  std::uint32_t checkpoints() const;                            // the number that `find` can find
  std::uint64_t lines_copied() const { return lines_copied_; }  // read from memory by checkpoints
  std::uint64_t flash_pages() const { return checkpointer_.flash_pages(); }
  Checkpointer& checkpointer() { return checkpointer_; }
  const Checkpointer& checkpointer() const { return checkpointer_; }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;

 private:
  enum class Stage { waiting_for_recovery, fetching, flushing, copying, discarding, restoring };
  struct Piece {  // a part of a page, read back from flash
    std::uint32_t page;
    std::uint64_t lines;
    std::vector<std::byte> data;
    bool ends_flash_page = false;
  };
  struct Job {
    Job(Operation what, Address where) : operation(what), descriptor(where) {}

    Operation operation;
    Address descriptor;
    bool is_fetched = false;
    Stage stage = Stage::waiting_for_recovery;
    std::vector<std::byte> raw;  // the part of the descriptor that was fetched
    RequestDescriptor request;
    bool in_flight = false;  // a memory access is under way
    bool ok = true;          // it has succeeded
    std::deque<Piece> pieces;
    std::uint32_t buffers = 0;  // flash pages read back and not yet in memory
    std::uint64_t restored_lines = 0;
    bool next_is_asked = true;    // the log is reading, or has ended
    std::optional<Error> ending;  // of a restore after its last piece
  };

  void begin_job(Picoseconds now, Operation operation, Address descriptor);
  void step(Picoseconds now);
  void accessed(const AccessEnd& end);
  void fetch_line(Picoseconds now);
  void fetched(Picoseconds now);
  void start_operation(Picoseconds now);
  void start_checkpoint(Picoseconds now);
  void end_interval(Picoseconds now);
  bool continues_tracked_list(const RequestDescriptor& request) const;
  bool shadow_fits(std::span<const Address> pages) const;
  void track(Picoseconds now, const RequestDescriptor& request);
  void find();
  void start_discard(Picoseconds now);
  void start_restore(Picoseconds now);
  void write_piece(Picoseconds now);
  void piece_written(Picoseconds now);
  void read_ahead(Picoseconds now);
  void abort(Picoseconds now);
  void stop_tracking(Picoseconds now);
  void forget_list();
  void drop_job();
  void finish(Error error, std::uint32_t bad_index = no_index);
  std::uint32_t index_of(Address page) const {
    if (page < first_tracked_) return no_index;
    const std::uint64_t number = (page - first_tracked_) / memory_page;
    return number < indices_.size() ? indices_[number] : no_index;
  }

  void read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines, OnAccessEnd ended) override;
  std::uint64_t written_lines(std::uint32_t page) override;
  void copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines, std::uint32_t frame,
                     OnAccessEnd ended) override;
  void read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines, OnAccessEnd ended) override;
  void abandon_accesses() override;
  void recovered(Picoseconds at) override;
  void durable(Picoseconds at, std::uint64_t version) override;
  void failed(Picoseconds at, std::uint64_t version, Checkpointer::Error error) override;
  void released(Picoseconds at, std::uint32_t page) override;
  void resumed(Picoseconds at) override;
  void discarded(Picoseconds at) override;
  void restored(Picoseconds at, std::uint32_t page, std::uint64_t lines,
                std::span<const std::byte> data) override;
  void piece_ended(Picoseconds at) override;
  void restore_ended(Picoseconds at, CheckpointLog::Error error) override;

  DimmSsdConfig config_;
  AddressRange memory_range_;
  Memory& memory_;
  Sink& sink_;
  std::string name_;
  EventLog& events_;
  std::optional<PageFlows> flows_;  // if the run is recorded
  FlashImage& image_;
  Checkpointer checkpointer_;

  std::optional<Job> job_;
  std::optional<Picoseconds> step_at_;
  bool completed_ = false;  // not reported to the sink yet
  bool refused_ = false;
  Error error_ = Error::none;
  std::uint64_t result_version_ = 0;
  std::uint32_t result_pages_ = 0;
  std::uint32_t bad_index_ = no_index;

  std::string tracked_name_;
  std::vector<Address> tracked_pages_;
  Address first_tracked_;
  std::vector<std::uint32_t> indices_;  // index in tracked_pages_ by page after first_tracked_
  bool sees_writes_ = false;
  CheckpointMethod method_in_use_ = CheckpointMethod::stop_and_copy;
  std::deque<std::uint64_t> open_versions_;
  std::uint64_t durable_version_ = 0, failed_version_ = 0;
  Error failed_error_ = Error::none;
  AddressRange next_shadow_{Address(), 0_B};
  AddressRange shadow_{Address(), 0_B};

  std::uint64_t commands_ = 0, checkpoints_ = 0, restores_ = 0, checkpoints_interrupted_ = 0, lines_read_ = 0,
                lines_copied_ = 0, lines_written_ = 0, flash_faults_ = 0, flash_faults_missed_ = 0;
};

constexpr auto enum_names(DimmSsd::Part) {
  return std::to_array<EnumName<DimmSsd::Part>>(
      {{DimmSsd::Part::command, "command"}, {DimmSsd::Part::copy, "copy"}, {DimmSsd::Part::frame, "frame"}});
}

}  // namespace asterism
