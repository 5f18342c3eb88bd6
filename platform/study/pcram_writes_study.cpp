// PCRAM alone: bandwidth, energy and wear of checkpoints that are written over earlier ones
// (models/pcram/pcram_array.h).
#include <span>
#include <vector>

#include "base/random.h"
#include "pcram/pcram_array.h"
#include "pcram/pcram_node_config.h"
#include "platform/config/config.h"
#include "platform/study/share.h"
#include "platform/study/study_kind.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

struct PcramWritesStudy {
  std::string part = "dong2011_45nm_4bank";
  Bandwidth bus = PcramConfig{}.bus;
  Bytes dram = 32_MiB;
  bool suppress = false;
  Bytes size = 1_MiB;
  Share changed = Share(1'000'000);
  Share flipped = Share(500'000);
  LongDuration interval = long_duration(10);
  std::uint64_t seed = 1;
};
static_assert(member_count<PcramWritesStudy>() == 9);
void describe(Fields& f, PcramWritesStudy& c) {
  f("part", c.part, "The chip of a module, or the stack.", names_file("pcram"));
  f("bus", c.bus, "The bandwidth of the bus of a module. It bounds what the chips can take.",
    within(1_MBps, 1000_GBps));
  f("dram", c.dram, "The memory below a stack. Each of its mats adds bandwidth.", within(1_MiB, 4_GiB));
  f("suppress", c.suppress,
    "Whether a line is read before it is written, so that only cells that differ are programmed.");
  f("size", c.size, "The size of a checkpoint. A larger one hides the time of its last pulses.",
    within(4_KiB, 256_MiB));
  f("changed", c.changed,
    "The share of lines that differ from those of the checkpoint before. The others are written, too.",
    within(Share(0), Share(1'000'000)));
  f("flipped", c.flipped, "The share of bits that differ in such a line; at least one does.",
    within(Share(0), Share(1'000'000)));
  f("interval", c.interval, "The time between two checkpoints, for the lifetime.",
    within(LongDuration(1), long_duration(365ull * 86'400)));
  f("seed", c.seed, "The seed of the contents.");
  f.check([&] { return c.size % 4_KiB == 0_B; }, "size", "is a multiple of 4 KiB");
}

struct EndOfRequests final : PcramArray::Sink {
  Picoseconds last;
  void written(Picoseconds at, PcramArray::Tag, std::uint32_t) override { last = at; }
  void read_done(Picoseconds at, PcramArray::Tag, const PcramArray::Read&) override { last = at; }
};

class PcramWritesPoint final : public StudyPointOf<PcramWritesStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    part_ = load_config<PcramPart>(library, "pcram", config_.part);
    const PcramConfig node = this->node();
    if (const std::string problem = pcram_problem(node, part_, config_.dram, "dram"); !problem.empty())
      throw StudyMistake("part", problem);
    if (const Bytes capacity = PcramArray::line * pcram_timing(node, part_, config_.dram)->lines();
        config_.size > capacity)
      throw StudyMistake("size", "expected at most the " + to_text(capacity) + " of the PCRAM, got " +
                                     to_text(config_.size));
  }

  std::vector<Cell> run(const std::stop_token&) override {
    PcramArray array(part_, pcram_timing(node(), part_, config_.dram), config_.suppress);
    Random random(config_.seed);
    std::vector<std::byte> contents(config_.size.count());
    for (std::byte& byte : contents) byte = static_cast<std::byte>(random.next());
    Picoseconds now = write(array, 0_ps, contents);
    const PcramArray::Counts before = array.counts();
    const Picojoules spent = array.write_energy();
    const std::uint64_t changed = change(contents, random);
    const Picoseconds write_time = write(array, now, contents) - now;
    now += write_time;
    const Picoseconds read_time = read(array, now) - now;

    const auto bytes = static_cast<double>(config_.size.count()), lines = bytes / 64;
    const double energy = static_cast<double>((array.write_energy() - spent).count());
    const PcramArray::Counts& after = array.counts();
    const double pulses =
        static_cast<double>(after.set_cells + after.reset_cells - before.set_cells - before.reset_cells);
    const double worn = config_.suppress ? static_cast<double>(changed) / lines : 1;
    const double years =
        static_cast<double>(part_.endurance) * seconds(config_.interval).count() / (365.0 * 86'400);
    return {bytes / ns(write_time),
            bytes / ns(read_time),
            energy / lines / 1e3,
            energy / 1e3 / ns(write_time),
            static_cast<double>(array.timing().leakage().count()) / 1e6,
            100 * pulses / lines / static_cast<double>(PcramPart::word_cells),
            worn > 0 && part_.endurance > 0 ? Cell(years / worn) : Cell(),
            static_cast<double>(array.capacity().count()) / static_cast<double>((1_GiB).count())};
  }

 private:
  static double ns(Picoseconds time) { return static_cast<double>(time.count()) / 1e3; }

  PcramConfig node() const {
    PcramConfig node;
    node.kind = part_.form == PcramForm::chip ? PcramKind::dimm : PcramKind::stack;
    node.part = config_.part;
    node.bus = config_.bus;
    node.layers = 1;
    node.suppress = config_.suppress;
    return node;
  }
  static Picoseconds finish(PcramArray& array) {
    EndOfRequests sink;
    while (const auto next = array.next_event()) array.advance_to(*next, sink);
    return sink.last;
  }
  static Picoseconds write(PcramArray& array, Picoseconds now, std::span<const std::byte> data) {
    array.write(now, 0, data, 0);
    return finish(array);
  }
  Picoseconds read(PcramArray& array, Picoseconds now) const {
    array.read(now, 0, config_.size / PcramArray::line, 0);
    return finish(array);
  }

  // Changes lines and bits of them as the config wants. Returns the number of lines that differ.
  std::uint64_t change(std::vector<std::byte>& contents, Random& random) const {
    const auto falls = [&](Share share) { return random.below(1'000'000) < share.count(); };
    std::uint64_t changed = 0;
    for (std::size_t line = 0; line < contents.size(); line += 64) {
      if (!falls(config_.changed)) continue;
      bool differs = false;
      for (std::size_t bit = 0; bit < 512; ++bit)
        if (falls(config_.flipped)) {
          contents[line + bit / 8] ^= std::byte{1} << (bit % 8);
          differs = true;
        }
      changed += differs;
    }
    return changed;
  }

  PcramPart part_;
};

const RegisteredStudy pcram_writes_study{
    {.name = "pcram_writes",
     .meaning = "PCRAM alone: bandwidth, energy and wear of checkpoints written over earlier ones",
     .coordinates = {"part", "suppress", "changed", "flipped"},
     .columns = {{"write_gbps", "write", "GB/s", "The bandwidth of a checkpoint, to the end of its pulses"},
                 {"read_gbps", "read", "GB/s", "The bandwidth with which it is read"},
                 {"line_nj", "a line", "nJ", "The energy of the pulses of a line of 64 bytes"},
                 {"write_w", "power", "W", "The power of the pulses while it is written"},
                 {"leakage_w", "leakage", "W", "The power of the peripheral circuits"},
                 {"cells_percent", "cells", "%", "The share of the cells that take a pulse"},
                 {"lifetime_years", "lifetime", "years",
                  "The rated writes of a line, at a checkpoint each `interval`; empty without wear", 1},
                 {"capacity_gib", "", "GiB", "The data that the PCRAM holds"}},
     .x = "changed",
     .y = "write_gbps",
     .x_key = "changed",
     .other_x = "flipped",
     .bars = {"write_gbps", "line_nj"},
     .make = make_study_point<PcramWritesPoint>}};

}  // namespace
}  // namespace asterism
