// Copies pages of 4 KiB between a node's memory and its PCRAM, as firmware asks.
//
//   save  1  pages of memory, one behind the other, go to PCRAM from the page `place` on. Done when they
//         survive a loss of power
//   load  2  the other way
//
// Beside the DRAM (PCRAM-DIMM) any page may go anywhere, each page is fetched from memory in its time, and
// the next is fetched while it is written. On top of it (3D-PCRAM) a page goes to the place above it, in any
// layer: `place` is layer * layer_pages() + the page's number in memory, and nothing passes the memory bus,
// neither way.
//
// A bit a page says that memory was written since the page was saved to a layer, or loaded from it; an
// incremental save leaves clean pages out. Without layers there are no such bits, and every page is copied.
//
// One command at a time: another is refused, and the first goes on. A command that fails has copied some of
// its pages, and bad_index() says the first that it could not. There is no more than the pages: which of them
// make a checkpoint, and whether all of it is there, is the firmware's to know. PcramArray says what a cut
// leaves.
//
// reset: the command is dropped on every kind, and all pages are dirty; the cells survive. At the time of the
// last advance_to().
#pragma once

#include <array>
#include <vector>

#include "base/event_log.h"
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
    bus_error = 2,      // memory did not answer, or would not be written to
    uncorrectable = 3,  // cells that cannot be read
    worn_out = 4,       // lines that cannot be written any more
  };
  struct Memory {
    struct Outcome {
      bool ok;
      Picoseconds time;  // until it is there
    };
    virtual ~Memory() = default;
    virtual Outcome read_page(Picoseconds now, Address page, std::span<std::byte> data) = 0;
    virtual Outcome write_page(Picoseconds now, Address page, std::span<const std::byte> data) = 0;
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

  PcramCopier(const PcramConfig& config, const PcramPart& part, AddressRange memory_range, Memory& memory,
              Sink& sink, std::string name, EventLog& events);

  void command(Picoseconds now, const Command& command);
  bool busy() const { return job_.has_value(); }
  bool refused() const { return refused_; }  // the last command
  Error error() const { return error_; }     // of the last that was not
  std::uint32_t bad_index() const { return bad_index_; }
  std::uint32_t copied() const { return copied_; }  // pages, by the last command
  std::uint64_t pages() const { return array_.capacity() / page; }
  std::uint64_t layer_pages() const { return layer_pages_; }  // 0: there are no layers

  // Memory was written to; of interest where there are layers.
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
    Picoseconds memory_free;                // from then on
    bool stopped = false;                   // by an error
  };

  bool is_sound(const Command& command) const;
  bool is_clean(std::uint64_t place) const { return layer_pages_ != 0 && !dirty_[place]; }
  void step(Picoseconds now);
  void give(Picoseconds now);
  void fail(Error error, std::uint32_t index);
  void finish_if_done(Picoseconds now);

  void written(Picoseconds at, PcramArray::Tag tag, std::uint32_t worn_lines) override;
  void read_done(Picoseconds at, PcramArray::Tag tag, const PcramArray::Read& read) override;

  const AddressRange memory_range_;
  Memory& memory_;
  Sink& sink_;
  const std::string name_;
  EventLog& events_;
  PcramArray array_;
  const std::uint64_t layer_pages_;
  std::vector<bool> dirty_;  // of each page of the PCRAM, where there are layers
  std::optional<Job> job_;
  std::optional<Picoseconds> step_at_;
  bool refused_ = false;
  Error error_ = Error::none;
  std::uint32_t bad_index_ = no_index, copied_ = 0;
  std::uint64_t saves_ = 0, loads_ = 0, saved_ = 0, loaded_ = 0, left_out_ = 0, cut_ = 0;
};

constexpr auto enum_names(PcramCopier::Error) {
  return std::to_array<EnumName<PcramCopier::Error>>({{PcramCopier::Error::none, "none"},
                                                      {PcramCopier::Error::bad_argument, "bad_argument"},
                                                      {PcramCopier::Error::bus_error, "bus_error"},
                                                      {PcramCopier::Error::uncorrectable, "uncorrectable"},
                                                      {PcramCopier::Error::worn_out, "worn_out"}});
}

}  // namespace asterism
