// NAND flash packages on their channels: their contents, and the times of their operations.
//
// Each die executes its operations in the order given, one at a time. A die with several planes executes its
// oldest operation together with those of the same kind that are next for other planes. They are also
// combined if they come at the same instant or, for programs, while the first of them is still being
// transferred to its register. A program transfers the page over the channel to the page register of the
// plane (page / bus), and then to the array (`program`). A read goes in the opposite direction (`read`, then
// the channel; read_spare takes no time on the channel). An erase only needs the array. With a cache register
// a page arrives while the previous one is programmed; without it the register is occupied until the array is
// done. A channel serves one transfer at a time, the oldest request first. Eight packages of one die and one
// plane with 660 us programs and a 400 MB/s bus thus accept a page every 82.5 us (87.7 us without cache
// register).
//
// Wear: with a rated endurance, a block fails at an individual erase count, which is reproducible and within
// a tenth of the rating. Half of the blocks fail in the erase that would exceed it, the others in a program
// before, which tears its page. From then on its programs and erases end with `failed`; its contents stay
// readable. The same holds for a block that is marked bad, or broken by a fault. Bit errors
// (FlashImage::add_bit_errors) beyond the page code make a page uncorrectable.
//
// The caller must keep the rules of NAND, which are checked (std::logic_error): a page is programmed once
// between erases, and the pages of a block in order.
//
// reset: every kind drops all queued work and interrupts the operations in the arrays: a page whose program
// was under way is torn, as are all pages of a block whose erase was. A warm reset does so, too, because it
// restarts controller and packages. The image itself survives every kind.
//
// Of a recorded run (base/activity_log.h), each transfer is an interval of its channel, `data in` or `data
// out`, and each operation of an array one of its die, with the flows of what is programmed.
//
// Speed: a program costs two events and no allocation; bench/flash_bench measures it.
//
// Sources: abeyratne2017 section 2.2.3.1 (organisation), Tables 2.1 and 5.1 (latencies, one channel with
// eight packages).
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/activity_log.h"
#include "base/engine.h"
#include "base/statistics.h"
#include "flash/flash_config.h"
#include "flash/flash_image.h"
#include "flash/nand_calendar.h"

namespace asterism {

class NandArray {
 public:
  using Tag = std::uint64_t;  // identifies an operation for the caller
  enum class Outcome { done, failed };

  struct Read {
    // Empty if the page is uncorrectable, torn or erased, if only the spare area is read, or if no contents
    // are kept.
    std::span<const std::byte> data;
    PageSpare spare;  // valid if is_readable
    bool is_readable = false;
    bool is_erased = false;
  };
  struct Sink {
    virtual ~Sink() = default;
    // The page to be programmed has left the buffer of the controller.
    virtual void transferred(Picoseconds at, Tag tag) = 0;
    virtual void programmed(Picoseconds at, Tag tag, Outcome outcome) = 0;
    virtual void erased(Picoseconds at, Tag tag, Outcome outcome) = 0;
    virtual void read_done(Picoseconds at, Tag tag, const Read& read) = 0;
  };

  NandArray(const FlashPart& part, FlashImage& image);
  // Before the first operation. `name` is that of the device with the flash, "node.dimm_ssd".
  void record_in(ActivityLog& activity, const std::string& name);

  // `data` is a whole page, or empty if the image keeps no contents. `flows` are those of what is in it.
  void program(Picoseconds now, FlashAddress at, std::vector<std::byte>&& data, const PageSpare& spare,
               Tag tag, std::span<const ActivityLog::Flow> flows = {});
  void read(Picoseconds now, FlashAddress at, Tag tag);
  void read_spare(Picoseconds now, FlashAddress at, Tag tag);
  void erase(Picoseconds now, FlashBlock block, Tag tag);

  std::optional<Picoseconds> next_event() const { return calendar_.next(); }
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);
  bool idle() const { return !next_event(); }

  FlashImage& image() { return image_; }
  const FlashImage& image() const { return image_; }
  const FlashGeometry& geometry() const { return image_.geometry(); }
  // `channel_busy` counts what the channels have transferred until `now`, or will with all that has begun.
  static constexpr Picoseconds all_begun{~std::uint64_t{0}};
  void report(Statistics& statistics, Picoseconds now = all_begun) const;

 private:
  enum class Kind : std::uint8_t { program, read, erase };
  using Index = std::uint32_t;  // an index into the pool
  static constexpr Index none = ~Index{0};

  // The contents of a program are kept separately, in data_, so that an operation takes 64 bytes.
  struct Operation {
    FlashAddress at;
    PageSpare spare;
    Tag tag = 0;
    std::uint64_t order = 0;  // age
    Index next = none;        // next in the queue of its plane, or in the free list
    Kind kind = Kind::program;
    bool spare_only = false;
    bool is_readable = false, is_erased = false;  // of a read: the state of the page
  };
  struct Plane {
    Index first = none, last = none;  // its queue
    Index page_register = none;       // filled from the channel, or emptied to it
    Index array = none;
    std::uint32_t die = 0;
  };
  struct Die {
    std::uint32_t first_plane = 0, channel = 0;
    std::uint32_t arriving = 0;  // programs that the die executes next, in transfer to a page register
    std::uint32_t arrived = 0;   // and in the page register
    Kind kind = Kind::program;   // the operation of the array
    bool busy = false;           // the array
    bool touched = false;        // must be scheduled before time advances
    Picoseconds since;           // when the array began
  };
  struct Request {
    std::uint64_t order;
    std::uint32_t plane;
  };
  struct Channel {
    boost::circular_buffer<Request> waiting;  // the oldest first; at most one per plane
    bool busy = false;
    Picoseconds free_at;  // if it is busy
  };
  enum { program_lane, read_lane, erase_lane, transfer_lane, lanes };

  Index take(FlashAddress at, Kind kind, Tag tag);
  void give_back(Index operation);
  void enqueue(Picoseconds now, Index operation);
  Index unqueue(Plane& plane);
  bool next_is(const Plane& plane, Kind kind) const;
  bool joins_at_once(const Die& die, const Plane& plane, Kind kind, Picoseconds now) const;

  void touch(std::uint32_t die);
  void start_touched(Picoseconds now);
  void start(Picoseconds now, std::uint32_t die);
  void start_programs(Picoseconds now, std::uint32_t die);
  void start_array(Picoseconds now, std::uint32_t die, Kind kind);
  void collect_programs(Die& die);
  Plane* oldest(const Die& die);
  std::span<Plane> planes_of(const Die& die) { return {&planes_[die.first_plane], planes_of_a_die_}; }
  void request_channel(Die& die, Plane& plane, Index operation);
  void start_channel(Picoseconds now, Channel& channel);
  void record_transfer(Picoseconds now, const Channel& channel, Index operation) const;
  void record_array(Picoseconds now, std::uint32_t die, Picoseconds time) const;

  void finish_array(Picoseconds now, std::uint32_t die, Kind kind, Sink& sink);
  void finish_program(Picoseconds now, Index operation, Sink& sink);
  void finish_erase(Picoseconds now, Index operation, Sink& sink);
  void finish_sensing(Picoseconds now, Plane& plane, Index operation, Sink& sink);
  void finish_transfer(Picoseconds now, std::uint32_t plane, Sink& sink);
  void deliver(Picoseconds now, Index operation, Sink& sink);
  bool fails(const Operation& operation) const {
    const FlashBlock block = operation.at.whole_block();
    return image_.is_bad(block) || image_.is_broken(block) || (part_.endurance != 0 && wears_out(operation));
  }
  bool wears_out(const Operation& operation) const;
  std::span<const std::byte> data_of(Index program) const {
    return image_.keeps_contents() ? std::span<const std::byte>(data_[program])
                                   : std::span<const std::byte>();
  }
  void check_order(const Operation& program) const;

  FlashPart part_;
  FlashImage& image_;
  Picoseconds transfer_;
  std::uint32_t planes_of_a_die_;
  std::vector<Operation> pool_;
  std::vector<std::vector<std::byte>> data_;  // of programs in the pool, if the image keeps contents
  Index free_ = none;
  std::vector<Plane> planes_;
  std::vector<Die> dies_;
  std::vector<Channel> channels_;
  NandCalendar<lanes> calendar_;  // events of dies; in the lane of transfers, of planes
  std::vector<std::uint32_t> touched_;
  bool advancing_ = false;
  std::uint64_t order_ = 0;
  std::uint64_t reads_ = 0, programs_ = 0, erases_ = 0, torn_ = 0, failed_ = 0, corrected_ = 0,
                uncorrectable_ = 0;
  Picoseconds channel_time_;

  ActivityLog* activity_ = nullptr;
  std::vector<ActivityLog::Track> channel_tracks_, die_tracks_;
  std::vector<std::vector<ActivityLog::Flow>> program_flows_;  // of programs in the pool, if there is a log
};

}  // namespace asterism
