// A program that writes to its memory and is checkpointed by a DIMM-SSD, without cores: its time, its waits,
// and the traffic on the memory bus and to the flash.
//
// The program is a WriteSource, whose own time passes as long as it does not have to wait. Its write requests
// go through the write queue of the memory controller. A request that the Checkpointer holds keeps its entry
// there, and the program stalls when all entries are held. After each interval of its own time the program
// waits until no request is held (queued writes belong to the interval), ends the interval, and waits as the
// method requires. Before the run, and outside of its time, all memory is saved once: the checkpoints of the
// run are increments.
//
// The memory bus is shared: a copied line takes `line` of it. By default the program's own requests have
// priority. While the program runs, copying therefore takes longer by the share of the bus that the program
// uses (its requests are spread evenly over the interval, at most nine tenths), and the program is delayed by
// that share of the time that the copied lines take. Latencies of the memory are included in the program's
// own time.
//
// With `shared_read_queue` copies have no lower priority: the reads of copied lines are in the same read
// queue as those of the program, and hits of an open row, which the controller serves first (FR-FCFS). A read
// of the program that comes while pages are copied in succession waits until they are, and the program with
// it. In time B of such copies, with reads that come at random at the rate r of the interval, the program
// loses B - (1 - exp(-r * B)) / r: from its first read on. That is a bound: a core that executes beyond the
// read loses less. Copies then take no longer than their lines.
//
// A checkpoint may go elsewhere, to DRAM (`on_ssd`): the program then waits for `elsewhere` and the device's
// interval goes on. Early copies continue in it, late ones of the intervals before, too, and its checkpoint
// has all pages that were modified since the last one on the device (section 5.5.1).
//
// Sources: abeyratne2017 sections 5.3.2.1 (320 ns for a page), 5.3.5, 5.4.1 (the shared queue), Table 5.1.
// The models of the bus are this project's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/workload/write_source.h"

namespace asterism {

// What is known at the end of an interval, when the place of its checkpoint is chosen.
struct CheckpointPlaceQuestion {
  std::uint32_t interval = 1;     // 1, 2, ...
  Picoseconds elapsed, lost;      // since the program began; the part of it that checkpoints took
  std::uint64_t flash_pages = 0;  // with lines, written since then
};

struct CheckpointedRunConfig {
  std::uint32_t intervals = 5;
  std::uint64_t reads = 0;   // lines that the program reads in an interval
  std::uint64_t writes = 0;  // approximate number per interval, for its share of the bus
  std::uint32_t write_queue = 64;
  Picoseconds line = 5_ns;  // bus time of 64 bytes
  bool shared_read_queue = false;
  std::function<bool(const CheckpointPlaceQuestion&)> on_ssd = nullptr;  // none: every checkpoint is
  Picoseconds elsewhere;  // what a checkpoint that is not takes
};

struct CheckpointedRunResult {
  bool stopped = false;  // on request; the other members are then invalid
  Picoseconds alone;     // the program without checkpoints
  Picoseconds time;      // until its last interval has ended and it may continue
  Picoseconds durable;   // until the last checkpoint is durable

  // The parts of `time` beyond `alone`.
  struct Lost {
    Picoseconds stopped;    // software waits after an interval
    Picoseconds held;       // all entries of the write queue are held
    Picoseconds drained;    // the queue drains before an interval ends
    Picoseconds copied;     // writes wait for a copy to a shadow frame
    Picoseconds bus;        // copying occupies the bus
    Picoseconds elsewhere;  // checkpoints to DRAM
  } lost;

  // Lines transferred over the bus.
  struct Traffic {
    std::uint64_t reads = 0, writes = 0;                       // of the program
    std::uint64_t copied = 0, to_frames = 0, from_frames = 0;  // a line to a frame is read and written
    std::uint64_t own() const { return reads + writes; }
    std::uint64_t extra() const { return copied + 2 * to_frames + from_frames; }
  } traffic;

  std::uint32_t checkpoints = 0;  // durable ones
  std::vector<bool> on_ssd;       // by interval
  // The maximum number of intervals between the end of a checkpoint's interval and its durability.
  std::uint32_t lag = 0;
  std::uint64_t writes_held = 0;
  std::uint64_t flash_pages = 0;   // with lines
  std::uint64_t memory_pages = 0;  // in them
  std::vector<std::uint64_t> pages_per_flash_page;
  std::optional<Checkpointer::Error> failure;  // the run has ended early

  // Space at the failure, in flash pages of data and metadata.
  struct Room {
    // The version that cannot become durable; 0 is the whole memory before the run.
    std::uint64_t version = 0;
    std::uint64_t all = 0;     // of the flash
    std::uint64_t left = 0;    // by the last durable version
    std::uint64_t filled = 0;  // with lines since then
  } room;
};

class CheckpointedRun final : private Checkpointer::Memory, private Checkpointer::Sink {
 public:
  // The image keeps no contents.
  CheckpointedRun(const CheckpointedRunConfig& config, const CheckpointerConfig& checkpointer,
                  const FlashPart& part, FlashImage& image, WriteSource& source);

  CheckpointedRunResult run(const std::function<bool()>& stop = nullptr);

  // The share of the program that is done, for `stop` of run().
  double share_done() const;

  void report(Statistics& statistics) const { checkpointer_.report(statistics); }

 private:
  void save_all();
  void run_interval(const std::function<bool()>& stop);
  void write(const WriteRequest& request);
  void hold(const WriteRequest& request);
  void end_interval(std::uint32_t interval);
  bool goes_to_ssd(std::uint32_t interval) const;
  void count_flash_pages();
  void note_room();

  Picoseconds now() const { return begun_ + progress_ + lost_; }
  void advance(Picoseconds to);
  // Stalls the program while `condition` holds.
  Picoseconds wait_while(const std::function<bool()>& condition);
  void lose(Picoseconds time, Picoseconds& cause) { lost_ += time, cause += time; }
  Picoseconds use_bus(Picoseconds now, std::uint64_t lines);
  Picoseconds stalled_by(Picoseconds copying) const;

  void read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines, OnAccessEnd ended) override;
  std::uint64_t written_lines(std::uint32_t) override { return 0; }
  void copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines, std::uint32_t frame,
                     OnAccessEnd ended) override;
  void read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines, OnAccessEnd ended) override;

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

  Picoseconds begun_, progress_, lost_;  // progress_ is the program's own time
  Picoseconds next_;                     // next event of the checkpointer, or later than all times
  bool is_running_ = false;              // the program
  Picoseconds busy_;                     // of the bus in an interval, by the program
  Picoseconds copied_until_, copying_;   // the end of the last copies in succession, and their time
  std::vector<WriteRequest> held_;       // in the write queue
  std::vector<std::uint32_t> released_;
  std::uint64_t ended_ = 0;  // intervals of the device
  std::vector<std::uint64_t> saved_before_;
  std::uint64_t filled_before_ = 0;  // flash pages, by the last durable version
  CheckpointedRunResult result_;
};

}  // namespace asterism
