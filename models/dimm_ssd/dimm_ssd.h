// The DIMM-SSD's controller: executes one command at a time on lists of memory pages.
//
//   checkpoint  stop-and-copy: reads the pages from memory, one cache line after the other, into
//               buffers of a flash page each, programs them, and commits them as one under
//               (name, version)
//   find        the newest complete version of a name, not above a limit
//   restore     writes a checkpoint back to the given pages
//   discard     forgets one
//
// A command is a request descriptor in memory, 8-byte aligned (little endian):
//   char name[32], zero padded; u64 version; u32 page_count; u32 zero;
//   u64 pages[page_count], each 4 KiB aligned
// Four memory pages share a flash page of 16 KiB. A page buffer is taken while it is filled and sent to its
// package; copying waits when all are taken (double buffering: abeyratne2017 Table 5.1). A checkpoint that a
// reset interrupts at any instant leaves what was complete before and nothing else
// (dimm_ssd/checkpoint_store.h).
//
// reset: drops the command, its result and the buffers, on every kind; power_up(now) begins recovery, which
// holds back the first command. Complete checkpoints survive every kind.
#pragma once

#include <boost/crc.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/event_log.h"
#include "dimm_ssd/checkpoint_store.h"
#include "dimm_ssd/dimm_ssd_config.h"

namespace asterism {

class DimmSsd final : private CheckpointStore::Sink {
 public:
  static constexpr Bytes line{64};
  static constexpr Bytes memory_page{4096};
  static constexpr unsigned descriptor_header_bytes = 48;

  enum class Operation : std::uint32_t { checkpoint = 1, find = 2, restore = 3, discard = 4 };
  enum class Error : std::uint32_t {
    none = 0,
    bad_descriptor = 1,  // no name, no or too many pages, a page that is not aligned, an unknown operation
    bus_error = 2,       // memory did not answer for the descriptor or a page
    no_space = 3,        // the flash is full of complete checkpoints
    not_found = 4,
    uncorrectable = 5,  // flash pages that cannot be read, or contents whose CRC is wrong
    busy = 6,           // a command was given before the one before it ended; it goes on
  };

  // The memory that the controller reads and writes, in lines of 64 bytes.
  struct Memory {
    struct Outcome {
      bool ok;
      Picoseconds time;  // until the line is there
    };
    virtual ~Memory() = default;
    virtual Outcome read_line(Address address, std::span<std::byte> data) = 0;
    virtual Outcome write_line(Address address, std::span<const std::byte> data) = 0;
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void completed(Picoseconds at) = 0;
  };

  DimmSsd(const DimmSsdConfig& config, const FlashPart& part, FlashImage& image, Memory& memory,
          std::string name, EventLog& events);

  void power_up(Picoseconds now) { store_.power_up(now); }
  void command(Picoseconds now, std::uint32_t operation, Address descriptor);

  bool busy() const { return job_.has_value(); }
  Error error() const { return error_; }
  std::uint64_t result_version() const { return result_version_; }
  std::uint32_t result_pages() const { return result_pages_; }
  const CheckpointTable& table() const { return store_.table(); }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  enum class Stage {
    waiting_for_recovery,
    fetching,
    waiting_for_space,
    copying,
    draining,
    committing,
    restoring,
    failing
  };
  struct Job {
    Job(Operation what, Address where) : operation(what), descriptor(where) {}

    Operation operation;
    Address descriptor;
    Stage stage = Stage::waiting_for_recovery;
    std::vector<std::byte> raw;  // the descriptor, fetched so far
    std::string name;
    std::uint64_t version = 0;
    std::vector<Address> pages;
    bool line_in_flight = false;                  // the memory has been asked for the line at lines_done
    std::uint64_t lines_done = 0;                 // of the pages
    std::uint32_t pages_sent = 0;                 // flash pages given to, or asked of, the store
    std::uint32_t pages_done = 0;                 // of those, answered by the store
    std::uint32_t buffers = 0;                    // page buffers taken
    std::vector<std::byte> buffer;                // checkpoint: being filled from memory
    std::vector<std::vector<std::byte>> arrived;  // restore: by flash page, until written to memory
    Error failure = Error::none;  // failing: ends with this once the store has answered everything
    boost::crc_32_type crc;
  };

  void step(Picoseconds now);
  void line_asked(Picoseconds now, Memory::Outcome outcome);
  void fetch_line(Picoseconds now);
  void fetched(Picoseconds now);
  bool parse_descriptor();
  void start_operation(Picoseconds now);
  void start_checkpoint(Picoseconds now);
  void start_restore(Picoseconds now);
  void copy_line(Picoseconds now);
  void copied(Picoseconds now);
  void ask_for_pages(Picoseconds now);
  void restore_line(Picoseconds now);
  void restored(Picoseconds now);
  void commit(Picoseconds now);
  void fail(Picoseconds now, Error error);
  void finish(Picoseconds now, Error error);

  std::uint32_t flash_pages() const;
  std::uint64_t lines_per_flash_page() const;
  Address line_address(std::uint64_t line_index) const;

  void recovered(Picoseconds at) override;
  void space_freed(Picoseconds at) override;
  void page_left_buffer(Picoseconds at) override;
  void page_written(Picoseconds at) override;
  void committed(Picoseconds at) override;
  void page_read(Picoseconds at, std::uint32_t index, std::span<const std::byte> data) override;

  DimmSsdConfig config_;
  CheckpointStore store_;
  Memory& memory_;
  std::string name_;
  EventLog& events_;
  Sink* sink_ = nullptr;  // while advance_to runs
  std::optional<Job> job_;
  std::optional<Picoseconds> step_at_;
  bool completed_ = false;  // a command ended outside advance_to and is not told yet
  Error error_ = Error::none;
  std::uint64_t result_version_ = 0;
  std::uint32_t result_pages_ = 0;
  std::uint64_t commands_ = 0, checkpoints_ = 0, restores_ = 0, checkpoints_cut_ = 0, lines_read_ = 0,
                lines_written_ = 0;
};

}  // namespace asterism
