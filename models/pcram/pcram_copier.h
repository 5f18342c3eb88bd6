// Copies pages of 4 KiB between a node's memory and its PCRAM, on request of the firmware.
//
//   save  1  copies consecutive pages of memory to PCRAM from the page `place` on. It ends when they survive
//         a power loss
//   load  2  copies in the opposite direction
//
// Beside the DRAM (PCRAM-DIMM) any page may be copied to any place. Each page takes its time to be fetched
// from memory, and the next one is fetched while it is written. On the DRAM (3D-PCRAM) a page is copied to
// the place above it, in any layer: `place` is layer * layer_pages() + the number of the page in memory.
// Nothing then passes the memory bus, in either direction.
//
// A dirty bit per page says that memory was written since the page was saved to a layer, or loaded from it;
// an incremental save skips clean pages. Without layers there are no such bits, and every page is copied.
//
// One command runs at a time: another is refused, and the first continues. A command that fails has copied
// some of its pages, and bad_index() is the first that it could not copy. The PCRAM only stores pages:
// firmware must know which of them form a checkpoint, and whether it is complete. PcramArray describes the
// effect of a power failure.
//
// reset: every kind drops the command, and marks all pages as dirty; the cells survive. It takes place at the
// time of the last advance_to().
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "base/event_log.h"
#include "base/memory_port.h"
#include "pcram/pcram_array.h"
#include "pcram/pcram_node_config.h"

namespace asterism {

class PcramCopier final : private PcramArray::Sink {
 public:
  static constexpr Bytes page{4096};
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  enum class Operation : std::uint32_t { save = 1, load = 2 };
  enum class Error : std::uint32_t {
    none = 0,
    bad_argument = 1,   // no operation, no pages, not aligned, beyond memory or PCRAM, not the place above
    bus_error = 2,      // memory did not answer
    uncorrectable = 3,  // cells cannot be read
    worn_out = 4,       // lines can no longer be written
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void completed(Picoseconds at) = 0;
  };
  struct Command {
    std::uint32_t operation = 0;
    Address memory;
    std::uint64_t place = 0;  // page of the PCRAM
    std::uint32_t pages = 0;
    bool incremental = false;
  };

  PcramCopier(const PcramConfig& config, const PcramPart& part, AddressRange memory_range, MemoryPort& memory,
              Sink& sink, std::string name, EventLog& events);

  void command(Picoseconds now, const Command& command);
  bool busy() const { return job_.has_value(); }
  bool refused() const { return refused_; }  // whether the last command was refused
  Error error() const { return error_; }     // the result of the last command that was not refused
  std::uint32_t bad_index() const { return bad_index_; }
  std::uint32_t copied() const { return copied_; }  // pages copied by the last command
  std::uint64_t pages() const { return array_.capacity() / page; }
  std::uint64_t layer_pages() const { return layer_pages_; }  // 0: there are no layers

  // Memory was written; this matters only if there are layers.
  void written(Address where);
  // The contents of a page of the PCRAM, for a comparison.
  std::array<std::byte, page.count()> peek(std::uint64_t number) const;

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  const PcramArray& array() const { return array_; }
  void report(Statistics& statistics) const;

 private:
  struct Job {
    Command command;
    std::uint32_t next = 0, under_way = 0;  // pages
    std::uint32_t in_memory = 0;            // of these, pages that memory is accessed for
    bool stopped = false;                   // by an error
  };
  // An access to memory that has ended, or whose end is known.
  struct Ended {
    Picoseconds at;
    std::uint32_t index;
    bool is_fetch, ok;
    std::vector<std::byte> data;
  };

  bool is_valid(const Command& command) const;
  bool is_clean(std::uint64_t place) const { return layer_pages_ != 0 && !dirty_[place]; }
  void step(Picoseconds now);
  void start_page(Picoseconds now);
  OnAccessEnd on_end(std::uint32_t index, bool is_fetch);
  void end_accesses(Picoseconds now);
  void fetched(Picoseconds now, const Ended& access);
  void stored(const Ended& access);
  void fail(Error error, std::uint32_t index);
  void finish_if_done(Picoseconds now);

  void written(Picoseconds at, PcramArray::Tag tag, std::uint32_t worn_lines) override;
  void read_done(Picoseconds at, PcramArray::Tag tag, const PcramArray::Read& read) override;

  const AddressRange memory_range_;
  MemoryPort& memory_;
  Sink& sink_;
  const std::string name_;
  EventLog& events_;
  PcramArray array_;
  const std::uint64_t layer_pages_;
  std::vector<bool> dirty_;  // for each page of the PCRAM, if there are layers
  std::optional<Job> job_;
  std::deque<Ended> ended_;  // in order of time
  std::optional<Picoseconds> step_at_;
  bool refused_ = false;
  Error error_ = Error::none;
  std::uint32_t bad_index_ = no_index, copied_ = 0;
  std::uint64_t saves_ = 0, loads_ = 0, saved_ = 0, loaded_ = 0, skipped_ = 0, interrupted_ = 0;
};

constexpr auto enum_names(PcramCopier::Error) {
  return std::to_array<EnumName<PcramCopier::Error>>({{PcramCopier::Error::none, "none"},
                                                      {PcramCopier::Error::bad_argument, "bad_argument"},
                                                      {PcramCopier::Error::bus_error, "bus_error"},
                                                      {PcramCopier::Error::uncorrectable, "uncorrectable"},
                                                      {PcramCopier::Error::worn_out, "worn_out"}});
}

}  // namespace asterism
