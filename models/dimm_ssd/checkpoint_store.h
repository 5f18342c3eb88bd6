// Checkpoints on NAND flash, committed atomically.
//
// A row is the set of blocks with one number in all packages; a checkpoint owns whole rows, its pages go
// round the packages, so that forgetting it is erasing its rows and nothing ever moves. The table of complete
// checkpoints (dimm_ssd/checkpoint_table.h) is written anew, as one page with CRC and a growing sequence
// number, into a log that alternates between two blocks of row 0. That one page program is the commit: cut
// before its end, the page is torn and recovery finds the table before it. The full log block is erased only
// after the other one holds a valid table.
//
// Rows that no table names are erased in the background, so that a cut leaves no trace but their wear. New
// checkpoints take the erased row with the lowest erase count.
//
// reset: every kind drops the work in flight and the copy of the table in the controller; power_up reads the
// table back from the flash. What finding the end of the log costs is not charged, reading its pages is.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "dimm_ssd/checkpoint_table.h"
#include "flash/nand_array.h"

namespace asterism {

class CheckpointStore final : private NandArray::Sink {
 public:
  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;    // the table is there, commands may start
    virtual void space_freed(Picoseconds at) = 0;  // a row became free: begin() may work now
    virtual void page_left_buffer(Picoseconds at) = 0;
    virtual void page_written(Picoseconds at) = 0;
    virtual void committed(Picoseconds at) = 0;
    // data is empty when the page cannot be read.
    virtual void page_read(Picoseconds at, std::uint32_t index, std::span<const std::byte> data) = 0;
  };
  enum class Space { granted, wait, none };

  CheckpointStore(const FlashPart& part, FlashImage& image, unsigned versions_kept, Sink& sink);

  void power_up(Picoseconds now);
  bool ready() const { return ready_; }
  const CheckpointTable& table() const { return table_; }
  Bytes page_size() const { return nand_.geometry().page; }
  Bytes capacity() const { return nand_.geometry().all_pages() * page_size(); }

  // Takes rows for a checkpoint of so many flash pages. `wait`: rows are being erased, space_freed will tell.
  Space begin(std::uint32_t flash_pages);
  void write(Picoseconds now, std::uint32_t index, std::vector<std::byte> page);
  // The entry's rows are filled in here. False when the table has no room for another entry.
  bool commit(Picoseconds now, CheckpointEntry entry);
  bool discard(Picoseconds now, const std::string& name, std::uint64_t version);
  // Gives the rows taken by begin() back.
  void abandon(Picoseconds now);
  void read(Picoseconds now, const CheckpointEntry& entry, std::uint32_t index);

  std::optional<Picoseconds> next_event() const { return nand_.next_event(); }
  void advance_to(Picoseconds now, Sink&) { nand_.advance_to(now, *this); }
  void reset(Reset kind);
  void report(Statistics& statistics) const { nand_.report(statistics); }

 private:
  static constexpr std::uint32_t log_blocks = 2;
  struct LogPosition {
    std::uint32_t package = 0;  // the log alternates between block 0 of packages 0 and 1
    std::uint32_t page = 0;
  };

  void transferred(Picoseconds at, NandArray::Tag tag) override;
  void programmed(Picoseconds at, NandArray::Tag tag, NandArray::Outcome) override;
  void erased(Picoseconds at, NandArray::Tag tag, NandArray::Outcome) override;
  void read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) override;

  FlashAddress place(const std::vector<std::uint32_t>& rows, std::uint32_t index) const;
  void read_log(Picoseconds now, std::uint32_t package, std::uint32_t page);
  void log_page_read(Picoseconds at, std::uint32_t package, std::uint32_t page,
                     std::span<const std::byte> data);
  bool fits(const CheckpointTable& table) const;
  void finish_recovery(Picoseconds now);
  bool write_table(Picoseconds now, CheckpointTable next);
  void erase_unused(Picoseconds now);
  bool blank(std::uint32_t row) const;
  std::uint64_t wear(std::uint32_t row) const;

  NandArray nand_;
  Sink& sink_;
  unsigned versions_kept_;
  bool ready_ = false;
  CheckpointTable table_;
  std::optional<CheckpointTable> table_being_written_;
  LogPosition log_;
  std::uint32_t logs_to_read_ = 0;
  std::vector<std::uint32_t> rows_in_use_;                     // of the checkpoint being written
  std::set<std::pair<std::uint32_t, std::uint32_t>> erasing_;  // row, package
};

}  // namespace asterism
