// NAND flash packages on one channel: what they hold and when they are done.
//
// Each package executes its operations in the order given. A program moves the page over the channel into the
// package's page register (page / bus), then into the array (`program`); a read goes the other way (`read`,
// then the channel); an erase needs the array alone. With a cache register a page arrives while the one
// before it is programmed, without it the register is taken until the array is done. The channel serves one
// transfer at a time, the oldest request first. Eight packages with 660 us programs and a 400 MB/s bus so
// take a page every 82.5 us (87.7 us without cache register).
//
// NAND's rules are the caller's to keep and are checked (std::logic_error): a page is programmed once between
// erases and the pages of a block in order.
//
// reset: cold and power_loss drop all queued work; on power_loss a page whose array operation was under way
// is torn, as are all pages of a block whose erase was. warm lets nothing finish either: controller and
// packages restart, but the array operation under way is cut off in the same way. The image itself survives
// every kind.
//
// Sources: abeyratne2017 §2.2.3.1 (organisation), Table 2.1 and 5.1 (latencies, one channel with eight
// packages).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "flash/flash_config.h"
#include "flash/flash_image.h"

namespace asterism {

class NandArray {
 public:
  using Tag = std::uint64_t;  // the caller's name for an operation

  struct Sink {
    virtual ~Sink() = default;
    // The page to be programmed has left the controller's buffer.
    virtual void transferred(Picoseconds at, Tag tag) = 0;
    virtual void programmed(Picoseconds at, Tag tag) = 0;
    virtual void erased(Picoseconds at, Tag tag) = 0;
    // data is empty when the page is torn (uncorrectable).
    virtual void read_done(Picoseconds at, Tag tag, std::span<const std::byte> data) = 0;
  };

  NandArray(const FlashPart& part, FlashImage& image)
      : part_(part), image_(image), packages_(image.geometry().packages) {}

  void program(Picoseconds now, FlashAddress at, std::vector<std::byte> data, Tag tag);
  void read(Picoseconds now, FlashAddress at, Tag tag);
  void erase(Picoseconds now, std::uint32_t package, std::uint32_t block, Tag tag);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);
  bool idle() const { return !next_event(); }

  const FlashImage& image() const { return image_; }
  const FlashGeometry& geometry() const { return image_.geometry(); }
  void report(Statistics& statistics) const;

 private:
  enum class Kind { program, read, erase };
  struct Operation {
    Kind kind;
    FlashAddress at;
    std::vector<std::byte> data;
    Tag tag;
    std::uint64_t order;  // age, for the channel's arbitration
  };
  // A stage is free, or holds an operation until `done` (nullopt: finished, waits for the next stage).
  struct Stage {
    std::optional<Operation> operation;
    std::optional<Picoseconds> done;
  };
  struct Package {
    std::deque<Operation> queue;
    Stage page_register;  // being filled from, or emptied to, the channel
    Stage array;
    bool at_channel = false;  // the page register owns the channel
  };

  void enqueue(Picoseconds now, Operation operation);
  void start_what_can_start(Picoseconds now);
  void start_array(Package& package, Picoseconds now);
  void start_channel(Picoseconds now);
  bool wants_channel(const Package& package) const;
  std::uint64_t channel_age(const Package& package) const;
  void finish_array(Package& package, Picoseconds now, Sink& sink);
  void finish_channel(Package& package, Picoseconds now, Sink& sink);

  FlashPart part_;
  FlashImage& image_;
  std::vector<Package> packages_;
  bool channel_busy_ = false;
  std::uint64_t order_ = 0;
  std::uint64_t reads_ = 0, programs_ = 0, erases_ = 0, torn_ = 0;
  Picoseconds channel_time_;
};

}  // namespace asterism
