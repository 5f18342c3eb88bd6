// A program that writes to its memory and is checkpointed by a DIMM-SSD, without cores: how long it takes, what it waits for,
// and what goes over the memory bus and into the flash.
//
// The program is a WriteSource: its own time goes on as long as nothing holds it up. Its write requests go through the
// memory controller's write queue; one that the Checkpointer does not let go ahead keeps its place there, and the program stands
// still when all places are so taken. After each interval of its own time the program waits until no request is held
// (what is in the queue belongs to the interval), ends the interval, and waits while the method says so. Before the run, and
// not in its time, all of the memory is saved once: the checkpoints of the run are increments.
//
// The bus of the memory is shared: a line that is copied takes `line` of it, after the program's own requests, which have
// precedence. So copying while the program runs takes longer by the share of the bus that the program uses (its requests
// spread evenly over the interval, at most nine tenths), and the program is held up by that share of the time that the copied lines
// take. Latencies of the memory are in the program's own time.
//
// Sources: abeyratne2017 sections 5.3.2.1 (320 ns for a page), 5.3.5, 5.4.1, Table 5.1. The model of the bus is this
// project's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/workload/write_source.h"

namespace asterism {

struct CheckpointedRunConfig {
  std::uint32_t intervals = 5;
  std::uint64_t reads = 0;   // of lines, by the program, an interval
  std::uint64_t writes = 0;  // about so many an interval: for its share of the bus
  std::uint32_t write_queue = 64;
  Picoseconds line = 5_ns;  // of the bus, for 64 bytes
};

struct CheckpointedRunResult {
  bool stopped = false;  // as was asked for; nothing else is told then
  Picoseconds alone;     // the program without checkpoints
  Picoseconds time;      // until its last interval has ended and it may go on
  Picoseconds durable;   // until the last checkpoint is

  // Of time, beyond alone.
  struct Lost {
    Picoseconds stopped;  // software waits after an interval
    Picoseconds held;     // all places of the write queue are held
    Picoseconds drained;  // the queue empties before an interval ends
    Picoseconds copied;   // writes wait for a copy to a shadow frame
    Picoseconds bus;      // copying takes the bus
  } lost;

  // Lines, over the bus.
  struct Traffic {
    std::uint64_t reads = 0, writes = 0;                       // the program's
    std::uint64_t copied = 0, to_frames = 0, from_frames = 0;  // a line to a frame is read and written
    std::uint64_t own() const { return reads + writes; }
    std::uint64_t extra() const { return copied + 2 * to_frames + from_frames; }
  } traffic;

  std::uint32_t checkpoints = 0;  // durable ones
  std::uint32_t lag = 0;          // most intervals that had ended since a checkpoint's when it became durable
  std::uint64_t writes_held = 0;
  std::uint64_t flash_pages = 0;   // with lines
  std::uint64_t memory_pages = 0;  // in them
  std::vector<std::uint64_t> pages_per_flash_page;
  std::optional<Checkpointer::Error> failure;  // the run has ended early

  // Of the failure, in flash pages of data and metadata.
  struct Room {
    std::uint64_t version = 0;  // that cannot become durable; 0 is the memory as a whole, before the run
    std::uint64_t all = 0;      // of the flash
    std::uint64_t left = 0;     // by the last durable version
    std::uint64_t filled = 0;   // with lines since then
  } room;
};

class CheckpointedRun final : private Checkpointer::Memory, private Checkpointer::Sink {
 public:
  // The image keeps no contents.
  CheckpointedRun(const CheckpointedRunConfig& config, const CheckpointerConfig& checkpointer,
                  const FlashPart& part, FlashImage& image, WriteSource& source);

  CheckpointedRunResult run(const std::function<bool()>& stop = nullptr);

  // Of the program, in `stop` of run().
  double share_done() const;

  void report(Statistics& statistics) const { checkpointer_.report(statistics); }

 private:
  void save_all();
  void run_interval(const std::function<bool()>& stop);
  void write(const WriteRequest& request);
  void hold(const WriteRequest& request);
  void end_interval(std::uint64_t version);
  void count_flash_pages();
  void note_room();

  Picoseconds now() const { return begun_ + progress_ + lost_; }
  void advance(Picoseconds to);
  // The program stands still while `condition` holds.
  Picoseconds wait_while(const std::function<bool()>& condition);
  void lose(Picoseconds time, Picoseconds& cause) { lost_ += time, cause += time; }
  Picoseconds use_bus(std::uint64_t lines);

  Outcome read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines,
                     std::span<std::byte> data) override;
  std::uint64_t written_lines(std::uint32_t) override { return 0; }
  Outcome copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines,
                        std::uint32_t frame) override;
  Outcome read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines,
                     std::span<std::byte> data) override;

  void recovered(Picoseconds) override {}
  void durable(Picoseconds at, std::uint64_t version) override;
  void failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) override;
  void released(Picoseconds, std::uint32_t page) override { released_.push_back(page); }
  void resumed(Picoseconds) override {}
  void discarded(Picoseconds) override {}

  CheckpointedRunConfig config_;
  WriteSource& source_;
  Checkpointer checkpointer_;
  std::vector<WriteRequest> batch_;

  Picoseconds begun_, progress_, lost_;  // progress is the program's own time
  Picoseconds next_;                     // the checkpointer's next event, or later than all times
  bool is_running_ = false;              // the program
  Picoseconds busy_;                     // of the bus in an interval, by the program
  std::vector<WriteRequest> held_;       // in the write queue
  std::vector<std::uint32_t> released_;
  std::uint64_t ended_ = 0;  // intervals
  std::vector<std::uint64_t> saved_before_;
  std::uint64_t filled_before_ = 0;  // flash pages, by the last durable version
  CheckpointedRunResult result_;
};

}  // namespace asterism
