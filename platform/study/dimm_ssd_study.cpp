// The run time of a program while a DIMM-SSD checkpoints its memory, by the method of checkpointing
// (models/dimm_ssd/workload).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dimm_ssd/checkpoint_log_format.h"
#include "dimm_ssd/workload/checkpointed_run.h"
#include "dimm_ssd/workload/write_census.h"
#include "dimm_ssd/workload/write_profile.h"
#include "dimm_ssd/workload/write_trace.h"
#include "platform/config/config.h"
#include "platform/study/statistics_json.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/checkpoint_location.h"
#include "resilience/long_duration.h"

namespace asterism {

// A method of checkpointing, or none.
enum class StudiedMethod : std::uint32_t {};
constexpr StudiedMethod no_checkpoints{0};
constexpr auto enum_names(StudiedMethod) {
  constexpr auto methods = enum_names(CheckpointMethod{});
  std::array<EnumName<StudiedMethod>, methods.size() + 1> names{};
  names[0] = {no_checkpoints, "none", "no checkpoints: the workload by itself"};
  for (std::size_t i = 0; i < methods.size(); ++i)
    names[i + 1] = {StudiedMethod(static_cast<std::uint32_t>(methods[i].value)), methods[i].name,
                    methods[i].meaning};
  return names;
}

// Where the checkpoint of an interval goes.
enum class CheckpointPlace : std::uint8_t { ssd, clc };
constexpr auto enum_names(CheckpointPlace) {
  return std::to_array<EnumName<CheckpointPlace>>(
      {{CheckpointPlace::ssd, "ssd", "all of them to the DIMM-SSD"},
       {CheckpointPlace::clc, "clc",
        "to the DIMM-SSD or to DRAM, as the checkpoint location controller decides"}});
}

namespace {

// The controller of abeyratne2017 section 4.3.3, with both estimates.
struct ControllerKeys {
  double bound = 0.1;
  Bytes pbw_rating = Bytes(14'600ull * 1'000'000'000'000);
  LongDuration rated_life = long_duration(5ull * 365 * 86'400);
  Bandwidth ramdisk = 6286_MBps;
};
static_assert(member_count<ControllerKeys>() == 4);
void describe(Fields& f, ControllerKeys& c) {
  f("bound", c.bound, "The share of the time that checkpoints may take before one goes to DRAM.",
    within(0.0, 1.0));
  f("pbw_rating", c.pbw_rating, "The number of bytes that can be written to the flash before it is worn out.",
    within(Bytes(1'000'000'000), Bytes(1'000'000ull * 1'000'000'000'000)));
  f("rated_life", c.rated_life, "How long the flash is required to last.",
    within(long_duration(1), long_duration(3'153'600'000)));
  f("ramdisk", c.ramdisk,
    "The bandwidth at which a checkpoint is written to DRAM: the modified pages of its interval.",
    within(Bandwidth(1), 1'000'000_GBps));
}

struct DimmSsdStudy {
  std::filesystem::path trace;
  std::string workload = "lbm";
  StudiedMethod method{static_cast<std::uint32_t>(CheckpointMethod::early_late_consolidate)};
  std::optional<Picoseconds> interval;
  std::optional<std::uint64_t> reads;
  std::optional<std::uint32_t> intervals;
  std::string part = "samsung_2016_vnand_16k";
  std::uint32_t channels = 1;
  std::uint32_t packages = 8;
  std::optional<std::uint32_t> dies, planes;
  Bytes capacity = 16_GiB;
  std::uint32_t page_buffers = 2;
  std::optional<std::uint32_t> shadow_frames;
  MattConfig matt;
  CheckpointLogConfig log;
  std::uint32_t write_queue = 64;
  Picoseconds line = 5_ns;
  bool shared_read_queue = false;
  CheckpointPlace place = CheckpointPlace::ssd;
  ControllerKeys controller;
};
static_assert(member_count<DimmSsdStudy>() == 21);
void describe(Fields& f, DimmSsdStudy& c) {
  f("trace", c.trace, "A file of lines `time page line`, which takes the place of a workload.");
  f.when("trace", c.trace, std::filesystem::path(), [&] {
    f("workload", c.workload, "How the program writes to its memory: a file in configs/write_profiles.",
      names_file("write_profiles"));
  });
  f("method", c.method, "How checkpoints are taken.", one_of<StudiedMethod>());
  f("interval", c.interval,
    "With a trace: the time of the program between two checkpoints, 1s by default. A workload has its own.",
    within(1_us, 100_s));
  f.check(!c.interval || !c.trace.empty(), "interval", "goes with trace; a workload has its own");
  f("reads", c.reads,
    "With a trace: the number of lines that the program reads in an interval, which occupy the bus; 0 by "
    "default. A workload has its own.",
    at_most(1'000'000'000'000));
  f.check(!c.reads || !c.trace.empty(), "reads", "goes with trace; a workload has its own");
  f("intervals", c.intervals, "The number of intervals. Without it, that of the workload.",
    within(1, max_intervals));
  f("part", c.part, "The flash part: a file in configs/flash. Its page is a multiple of 4 KiB.",
    names_file("flash"));
  f("channels", c.channels, "The number of channels of the flash. More channels transfer at the same time.",
    within(1, 16));
  f("packages", c.packages, "The number of packages on each channel. More packages program at the same time.",
    within(1, 64));
  f("dies", c.dies, "The number of dies of each package. Without it, that of the part.", within(1, 16));
  f("planes", c.planes, "The number of planes of each die. Without it, that of the part.", within(1, 8));
  f("capacity", c.capacity,
    "The capacity of the flash in whole blocks. A smaller one begins to merge and to collect earlier.",
    within(1_MiB, 256_GiB));
  f("page_buffers", c.page_buffers,
    "The number of flash pages that are buffered between memory and flash. With one, copying and transfer "
    "alternate.",
    within(1, 64));
  f.when("method", c.method, StudiedMethod{static_cast<std::uint32_t>(CheckpointMethod::copy_on_write)}, [&] {
    f("shadow_frames", c.shadow_frames,
      "The number of pages of DRAM that it may fill. Without it, as many as the memory has.",
      within(0, 1u << 28));
  });
  f("matt", c.matt, "The table of modified pages.");
  f("log", c.log, "How checkpoints are laid out in flash.");
  f("write_queue", c.write_queue,
    "The number of entries of the memory controller's write queue. Held writes fill them before the program "
    "is stalled.",
    within(1, 4096));
  f("line", c.line, "The time of the memory bus for a line of 64 B.", within(1_ps, 1_us));
  f("shared_read_queue", c.shared_read_queue,
    "With true, copies and the program's reads share a queue, and the program waits behind a page that is "
    "copied. With false its requests have priority.");
  f("place", c.place, "Where checkpoints go.");
  f.check([&] { return c.place == CheckpointPlace::ssd || c.trace.empty(); }, "place",
          "goes with a workload: the pages that a trace modifies are not known before");
  f.when("place", c.place, CheckpointPlace::clc,
         [&] { f("controller", c.controller, "What the controller goes by."); });
}

constexpr Bytes memory_page = 4_KiB;

class DimmSsdPoint final : public StudyPointOf<DimmSsdStudy> {
 public:
  double share_done() const override { return share_; }
  void prepare(const ConfigLibrary& library) override {
    part_ = load_config<FlashPart>(library, "flash", config_.part);
    if (part_.page % memory_page != 0_B)
      throw StudyMistake("part", "expected a part whose page is a multiple of 4KiB, got " + config_.part +
                                     " with a page of " + to_text(part_.page));
    if (config_.trace.empty()) {
      profile_ = load_config<WriteProfile>(library, "write_profiles", config_.workload);
      reads_ = profile_.reads();
      intervals_ = config_.intervals.value_or(profile_.intervals);
      if (profile_.footprint(intervals_) > max_written_pages)
        throw StudyMistake("intervals", "the run writes to " +
                                            std::to_string(profile_.footprint(intervals_)) +
                                            " pages, expected at most " + std::to_string(max_written_pages));
    } else {
      open_trace();
    }
    geometry_ = geometry();
    if (method()) check_capacity();
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const std::unique_ptr<WriteSource> source = make_source();
    if (!method()) return census_row(take_census(*source, intervals_));
    FlashImage image(geometry_, FlashImage::Contents::none);
    CheckpointedRun run(run_config(), checkpointer(*source), part_, image, *source);
    const CheckpointedRunResult result = run.run([&] {
      share_ = run.share_done();
      return stop.stop_requested();
    });
    share_ = 0;
    run.report(statistics_);
    distribution_ = result.pages_per_flash_page;
    return result.stopped ? empty_row("dimm_ssd") : row(result);
  }

  std::string detail() const override;

 private:
  std::optional<CheckpointMethod> method() const {
    if (config_.method == no_checkpoints) return std::nullopt;
    return CheckpointMethod(static_cast<std::uint32_t>(config_.method));
  }

  void open_trace() {
    if (!std::ifstream(config_.trace))
      throw StudyFileMissing("trace", config_.trace.string() + ": cannot be opened");
    try {
      const auto trace = make_trace();
      intervals_ = config_.intervals.value_or(trace->intervals());
      reads_ = config_.reads.value_or(0);
      writes_ = trace->requests() / trace->intervals();
    } catch (const TraceError& error) {
      throw StudyMistake("trace", error.what());
    }
  }
  std::unique_ptr<WriteTrace> make_trace() const {
    return std::make_unique<WriteTrace>(
        [file = config_.trace] { return std::make_unique<std::ifstream>(file, std::ios::binary); },
        config_.trace.string(), config_.interval.value_or(1_s));
  }
  std::unique_ptr<WriteSource> make_source() const {
    if (!config_.trace.empty()) return make_trace();
    return std::make_unique<ProfileWrites>(profile_, intervals_);
  }

  // The reason why a flash of this geometry is too small; "" if it is not.
  std::string lack_of(const FlashGeometry& geometry) const try {
    FlashImage image(geometry, FlashImage::Contents::none);
    const std::unique_ptr<WriteSource> source = make_source();
    const CheckpointedRun run(run_config(), checkpointer(*source), part_, image, *source);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  void check_capacity() const {
    const std::string lack = lack_of(geometry_);
    if (lack.empty()) return;
    constexpr std::uint32_t max_reserved =
        64;  // blocks of a plane that may be missing; a larger difference has another cause
    FlashGeometry larger = geometry_;
    const std::uint32_t most = std::min(part_.blocks, geometry_.blocks + max_reserved);
    while (++larger.blocks <= most)
      if (lack_of(larger).empty())
        throw StudyMistake("capacity", fmt::format("expected at least {}, got {}: {}",
                                                   to_text(row_of_blocks(larger) * larger.blocks),
                                                   to_text(config_.capacity), lack));
    throw StudyMistake("capacity", lack);
  }

  // The size of one block of each plane.
  static Bytes row_of_blocks(const FlashGeometry& geometry) {
    return geometry.page * geometry.pages_per_block * geometry.all_planes();
  }
  FlashGeometry geometry() const {
    FlashGeometry geometry{.channels = config_.channels,
                           .packages = config_.packages,
                           .dies = config_.dies.value_or(part_.dies),
                           .planes = config_.planes.value_or(part_.planes),
                           .pages_per_block = part_.pages_per_block,
                           .page = part_.page};
    const Bytes row = row_of_blocks(geometry);
    geometry.blocks = static_cast<std::uint32_t>((config_.capacity + row - 1_B) / row);
    if (geometry.blocks > part_.blocks)
      throw StudyMistake("capacity", "expected at most " + to_text(row * part_.blocks) +
                                         ", all blocks of the part, got " + to_text(config_.capacity));
    return geometry;
  }
  CheckpointedRunConfig run_config() const {
    return {.intervals = intervals_,
            .reads = reads_,
            .writes = config_.trace.empty() ? profile_.writes(0) : writes_,
            .write_queue = config_.write_queue,
            .line = config_.line,
            .shared_read_queue = config_.shared_read_queue,
            .on_ssd = config_.place == CheckpointPlace::ssd ? nullptr : controller(),
            .elsewhere = transfer_time(memory_page * profile_.pages(), config_.controller.ramdisk)};
  }
  std::function<bool(const CheckpointPlaceQuestion&)> controller() const {
    const CheckpointLocationConfig clc{.lifetime_estimation = true,
                                       .performance_estimation = true,
                                       .bound = config_.controller.bound,
                                       .rating = config_.controller.pbw_rating,
                                       .rated_life = asterism::seconds(config_.controller.rated_life)};
    return [clc, size = memory_page * profile_.pages(), page = part_.page](const CheckpointPlaceQuestion& q) {
      const Bytes written = page * q.flash_pages;
      return locate_checkpoint(clc, {.number = q.interval,
                                     .size = size,
                                     .elapsed = Seconds(number(q.elapsed.count()) / 1e12),
                                     .checkpointing = Seconds(number(q.lost.count()) / 1e12),
                                     .written = written,
                                     .used = written})
                 .location == CheckpointLocation::ssd;
    };
  }
  CheckpointerConfig checkpointer(const WriteSource& source) const {
    return {.method = *method(),
            .page_buffers = config_.page_buffers,
            .shadow_frames = config_.shadow_frames.value_or(
                method() == CheckpointMethod::copy_on_write ? source.pages() : 0),
            .matt = config_.matt,
            .log = config_.log};
  }

  std::vector<Cell> census_row(const WriteCensus& census) const;
  std::vector<Cell> row(const CheckpointedRunResult& result) const;

  FlashPart part_;
  WriteProfile profile_;
  FlashGeometry geometry_;
  std::uint32_t intervals_ = 0;
  std::uint64_t reads_ = 0, writes_ = 0;  // in an interval
  Statistics statistics_;
  std::vector<std::uint64_t> distribution_;
  std::atomic<double> share_ = 0;  // while it runs
};

double seconds(Picoseconds time) { return number(time.count()) / 1e12; }
double gigabytes(Bytes size) { return number(size.count()) / 1e9; }
constexpr Bytes lines(std::uint64_t count) { return 64_B * count; }

// The cells have the order of the columns.
std::vector<Cell> DimmSsdPoint::census_row(const WriteCensus& census) const {
  const std::vector<Column>& columns = find_study_kind("dimm_ssd")->columns;
  std::vector<Cell> row(columns.size());
  const auto set = [&](std::string_view column, Cell cell) {
    const auto at = std::ranges::find(columns, column, &Column::name);
    row.at(static_cast<std::size_t>(at - columns.begin())) = std::move(cell);
  };
  const Picoseconds alone = make_source()->interval() * intervals_;
  const double pages = number(census.pages);
  set("time_s", seconds(alone));
  set("slowdown", 1.0);
  set("traffic", 1.0);
  set("state", std::string("ok"));
  set("alone_s", seconds(alone));
  set("requests", census.requests);
  set("reads_gb", gigabytes(lines(reads_ * intervals_)));
  set("writes_gb", gigabytes(lines(census.requests)));
  set("modified_pages", pages / number(intervals_));
  set("matt_bytes_per_page", number(Matt(config_.matt, 1).size().count()));
  if (census.pages == 0) return row;
  set("lines_per_page", number(census.lines) / pages);
  set("below_8_percent", 100 * number(census.pages_below_8) / pages);
  set("below_64_percent", 100 * number(census.pages_below_64) / pages);
  set("above_64_percent", 100 * number(census.pages_above_64) / pages);
  return row;
}

std::string_view state_of(const CheckpointedRunResult& result) {
  if (!result.failure) return "ok";
  switch (*result.failure) {
    case Checkpointer::Error::no_space:
      return "no_space";
    case Checkpointer::Error::worn_out:
      return "worn_out";
    default:
      return "failed";
  }
}

std::string reason_of(const CheckpointedRunResult& result) {
  if (result.failure != Checkpointer::Error::no_space) return "";
  const CheckpointedRunResult::Room& room = result.room;
  return fmt::format(
      "{}: of {} flash pages {} were free when the last version was durable, {} have been filled since; "
      "metadata "
      "and merging need the rest",
      room.version == 0 ? "a first copy of the memory" : fmt::format("checkpoint {}", room.version), room.all,
      room.left, room.filled);
}

std::string schedule_of(const CheckpointedRunResult& result) {
  std::string schedule;
  for (const bool on_ssd : result.on_ssd) schedule += on_ssd ? 'S' : 'r';
  return schedule;
}

std::vector<Cell> DimmSsdPoint::row(const CheckpointedRunResult& result) const {
  const auto when = [](bool known, double value) { return known ? Cell(value) : Cell(); };
  const auto& lost = result.lost;
  const auto& traffic = result.traffic;
  const bool done = !result.failure;
  const bool wrote = result.flash_pages != 0;
  const bool wears = done && wrote && config_.place == CheckpointPlace::clc;  // the controller has the rating
  std::uint64_t four = 0, largest = 0;
  for (std::size_t pages = 1; pages < result.pages_per_flash_page.size(); ++pages) {
    if (result.pages_per_flash_page[pages] == 0) continue;
    largest = pages;
    if (pages <= 4) four += result.pages_per_flash_page[pages];
  }
  return {when(done, seconds(result.time)),
          when(done, seconds(result.time) / seconds(result.alone)),
          when(done && traffic.own() != 0, 1 + number(traffic.extra()) / number(traffic.own())),
          seconds(lost.stopped),
          seconds(lost.held + lost.drained),
          result.flash_pages,
          when(wrote, number(result.memory_pages) / number(result.flash_pages)),
          std::uint64_t{result.lag},
          std::string(state_of(result)),
          seconds(result.alone),
          when(done, seconds(result.durable)),
          seconds(lost.drained),
          seconds(lost.copied),
          seconds(lost.bus),
          traffic.writes,
          gigabytes(lines(traffic.reads)),
          gigabytes(lines(traffic.writes)),
          gigabytes(lines(traffic.copied)),
          gigabytes(lines(2 * traffic.to_frames + traffic.from_frames)),
          gigabytes(part_.page * result.flash_pages),
          std::uint64_t{result.checkpoints},
          result.writes_held,
          when(wrote, 100 * number(four) / number(result.flash_pages)),
          largest,
          {},
          {},
          {},
          {},
          {},
          number(Matt(config_.matt, 1).size().count()),
          when(result.memory_pages != 0, number(sizeof(LogEntry) * result.memory_pages)),
          when(wrote, 100 * number(sizeof(LogEntry) * result.memory_pages) /
                          number(lines(traffic.copied + traffic.from_frames).count())),
          seconds(lost.elsewhere),
          100 * number(std::ranges::count(result.on_ssd, true)) /
              number(std::max<std::size_t>(1, result.on_ssd.size())),
          schedule_of(result),
          when(wears, number(config_.controller.pbw_rating.count()) /
                          number((part_.page * result.flash_pages).count()) * seconds(result.time) /
                          (365 * 86'400.0)),
          reason_of(result)};
}

std::string DimmSsdPoint::detail() const {
  if (distribution_.empty()) return "";
  nlohmann::ordered_json object;
  nlohmann::ordered_json& pages = object["flash_pages_by_memory_pages"] = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < distribution_.size(); ++i)
    if (distribution_[i] != 0) pages[std::to_string(i)] = distribution_[i];
  object["device"] = json_of(statistics_);
  return object.dump();
}

const RegisteredStudy dimm_ssd_study{
    {.name = "dimm_ssd",
     .meaning =
         "A program whose memory a DIMM-SSD checkpoints: slowdown, traffic and flash pages by the method",
     .coordinates = {"workload", "method"},
     .columns =
         {{"time_s", "time", "s", "The run time of the program, with the delays by checkpoints", 3},
          {"slowdown", "slowdown", "", "The run time over that without checkpoints", 3},
          {"traffic", "traffic", "", "The traffic of the memory bus over that without checkpoints", 3},
          {"stopped_s", "stopped", "s", "The part of time_s in which the program waits after an interval", 3},
          {"held_s", "held", "s",
           "The part of time_s in which all entries of the write queue are held, or the queue drains before "
           "an interval ends",
           3},
          {"flash_pages", "flash", "", "Flash pages with lines, of all checkpoints"},
          {"pages_per_flash_page", "pages", "", "The mean number of memory pages in a flash page", 2},
          {"lag", "lag", "",
           "The highest number of intervals that had ended since its own when a checkpoint became durable"},
          {"state", "state", "", "ok; no_space, worn_out, failed: the run has ended early"},
          {"alone_s", "", "s", "The run time of the program without checkpoints"},
          {"durable_s", "", "s", "The time until the last checkpoint is durable"},
          {"drained_s", "", "s",
           "The part of held_s in which the write queue drains before an interval ends"},
          {"copied_s", "", "s", "The part of time_s in which writes wait for a copy to a shadow frame"},
          {"bus_s", "", "s", "The part of time_s in which copies occupy the bus"},
          {"requests", "", "", "Write requests"},
          {"reads_gb", "", "GB", "Data read by the program"},
          {"writes_gb", "", "GB", "Data written by the program"},
          {"copied_gb", "", "GB", "Data read by the DIMM-SSD from pages"},
          {"frames_gb", "", "GB", "Data copied to shadow frames, counted twice, and from them"},
          {"flash_gb", "", "GB", "The size of the flash pages with lines"},
          {"checkpoints", "", "", "Checkpoints that became durable"},
          {"writes_held", "", "", "Requests that were not ready"},
          {"four_percent", "", "%", "Flash pages that hold four memory pages or fewer"},
          {"largest", "", "", "The highest number of memory pages in a flash page"},
          {"modified_pages", "", "",
           "Without checkpoints: the mean number of pages that an interval modifies"},
          {"lines_per_page", "", "", "The mean number of modified lines of these pages"},
          {"below_8_percent", "", "%", "The share of these pages with fewer than 8 write requests"},
          {"below_64_percent", "", "%", "The share of these pages with fewer than 64 write requests"},
          {"above_64_percent", "", "%", "The share of these pages with more than 64 write requests"},
          {"matt_bytes_per_page", "", "B", "The size of the table of modified pages, for a page of memory"},
          {"metadata_bytes", "", "B", "The size of the entries of all pages in the checkpoints"},
          {"metadata_percent", "", "%", "The same over the size of their lines"},
          {"elsewhere_s", "", "s", "The part of time_s in which checkpoints are written to DRAM"},
          {"ssd_percent", "", "%", "The share of the checkpoints that went to the DIMM-SSD"},
          {"schedule", "", "", "The checkpoints: S to the DIMM-SSD, r to DRAM"},
          {"lifetime_years", "", "years",
           "With `place=clc`: the time until `controller.pbw_rating` bytes are written to the flash, at this "
           "rate"},
          {"reason", "", "", "With no_space: what was full"}},
     .x = "",
     .y = "",
     .state = "state",
     .bars = {"slowdown", "traffic"},
     .make = make_study_point<DimmSsdPoint>}};

}  // namespace
}  // namespace asterism
