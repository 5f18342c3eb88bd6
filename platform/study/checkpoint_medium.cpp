#include "platform/study/checkpoint_medium.h"

#include <map>
#include <mutex>
#include <type_traits>

#include "cxl/cxl_ssd_traffic.h"
#include "cxl/cxl_traffic.h"
#include "platform/config/config.h"
#include "platform/config/config_writer.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

constexpr double picoseconds_of_second = 1e12;
// A larger checkpoint has 3% more bandwidth, and takes longer to measure.
constexpr Bytes flash_window = 128_MiB, flash_checkpoint = 32_MiB;
// The bandwidth of this many lines is within 1% of that of more of them.
constexpr std::uint64_t lines_of_dram = 30'000;
constexpr Bytes array_of_dram = 64_MiB;
constexpr std::uint32_t dma_threads = 8, dma_outstanding = 128;

Bandwidth bandwidth(std::uint64_t lines, Picoseconds elapsed) {
  const double seconds = static_cast<double>(elapsed.count()) / picoseconds_of_second;
  return Bandwidth(static_cast<std::uint64_t>(static_cast<double>(lines) * 64 / seconds));
}

Bytes size_of(const DramConfig& dram, const DramPart& part) {
  return part.rank_size() * (std::uint64_t{dram.ranks} * dram.channels * dram.controllers);
}

MediumBandwidths of_expander(const CheckpointMedium& medium, const CxlPart& link, const DramPart& part) {
  const DramConfig& dram = medium.dram;
  const Bytes size = size_of(dram, part);
  const auto of = [&](CxlProgram program) {
    DramSystem memory(dram, part, size);
    CxlLink fresh(link);
    const CxlLoad load{.program = program,
                       .threads = dma_threads,
                       .outstanding = dma_outstanding,
                       .array = array_of_dram,
                       .requests = lines_of_dram};
    const CxlLoadResult result = run(load, memory, &fresh, medium.path);
    return bandwidth(result.counted, result.elapsed);
  };
  return {of(CxlProgram::write), of(CxlProgram::read)};
}

CxlSsdConfig ssd_of(const CheckpointMedium& medium) {
  CxlSsdConfig ssd;
  ssd.expander = medium.expander;
  ssd.size = flash_window;
  ssd.cache = medium.cache;
  ssd.flash = medium.flash;
  ssd.dram = medium.dram;
  return ssd;
}

// The key of a medium for a key of the device. The medium has no key of the window's size.
std::string key_of_medium(const std::string& key_of_device) {
  if (key_of_device == "ranks") return "dram.ranks";
  return key_of_device == "size" ? "flash.part" : key_of_device;
}

MediumBandwidths of_ssd(const CheckpointMedium& medium, const CxlPart& link, const DramPart& part,
                        const FlashPart& flash) {
  const CxlSsdConfig ssd = ssd_of(medium);
  const auto of = [&](CxlSsdProgram program) {
    const CxlSsdLoad load{.program = program, .working_set = flash_checkpoint};
    const CxlSsdLoadResult result =
        run(load, ssd, link, flash, part, medium.path, [](double) { return false; });
    return bandwidth(result.lines, result.elapsed);
  };
  return {of(CxlSsdProgram::checkpoint), of(CxlSsdProgram::sequential)};
}

template <DescribedStruct... Parts>
std::string text_of(Parts&... parts) {
  const auto text = [](auto& part) {
    ObjectOf<std::remove_reference_t<decltype(part)>> object(part);
    return write_object(object);
  };
  return (text(parts) + ...);
}

// The points of a sweep over other keys have the same medium, which is measured once.
template <class Measure>
MediumBandwidths once(const std::string& device, const Measure& measure) {
  static std::mutex mutex;
  static std::map<std::string, MediumBandwidths> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known.emplace(device, measure()).first->second;
}

}  // namespace

DramConfig dimm_of_ddr5() {
  DramConfig dram;
  dram.part = "ddr5_5600_16gb_x8";
  dram.channels = 2;
  dram.ranks = 1;
  dram.refresh = RefreshMode::by_banks;
  dram.hash = true;
  dram.read_queue = 64;
  return dram;
}

static_assert(member_count<CheckpointMedium>() == 6);
void describe(Fields& f, CheckpointMedium& c) {
  f("type", c.type, "What it is. By default it is an expander.", one_of<MediumType>());
  f("expander", c.expander,
    "The link, the ports and the controller: a file in configs/cxl. They bound the bandwidth of DRAM.",
    names_file("cxl"));
  f("path", c.path, "The time that a request takes within the host, to its CXL port and back.",
    within(0_ns, 10_us));
  f("dram", c.dram, "The DRAM: that of the expander, or of the cache. The default is a DIMM of DDR5-5600.");
  f.when("type", c.type, MediumType::cxl_ssd, [&] {
    f("cache", c.cache, "The size of the cache of flash pages in DRAM.", within(1_MiB, flash_checkpoint));
    f("flash", c.flash, "The flash behind the cache. More channels and packages write at more bandwidth.");
  });
}

MediumBandwidths measured(CheckpointMedium medium, const ConfigLibrary& library, const std::string& key) {
  auto dram = load_config<DramPart>(library, "dram", medium.dram.part);
  auto link = load_config<CxlPart>(library, "cxl", medium.expander);
  if (medium.type == MediumType::cxl) {
    if (size_of(medium.dram, dram) < array_of_dram)
      throw StudyMistake(key + ".dram.part", "expected at least " + to_text(array_of_dram) +
                                                 " of DRAM, got " + to_text(size_of(medium.dram, dram)));
    return once(text_of(medium, dram, link), [&] { return of_expander(medium, link, dram); });
  }
  auto flash = load_config<FlashPart>(library, "flash", medium.flash.part);
  if (const auto problem = problem_of(ssd_of(medium), flash, dram))
    throw StudyMistake(key + "." + key_of_medium(problem->key), problem->text, {key + ".dram.part"});
  try {
    return once(text_of(medium, dram, link, flash), [&] { return of_ssd(medium, link, dram, flash); });
  } catch (const CxlSsdWornOut& error) {
    throw StudyMistake(key + ".flash.part", error.what());
  }
}

void put_first_level_on(const CheckpointMedium& medium, Bytes checkpoint, const ConfigLibrary& library,
                        std::vector<CheckpointLevel>& levels) {
  const MediumBandwidths rates = measured(medium, library);
  const auto time = [&](Bandwidth rate) {
    return Seconds(static_cast<double>(checkpoint.count()) / static_cast<double>(rate.count()));
  };
  levels.at(0).checkpoint = time(rates.write);
  levels.at(0).restart = time(rates.read);
}

void add_times_on_medium(const std::optional<CheckpointMedium>& medium,
                         const std::vector<CheckpointLevel>& levels, std::vector<Cell>& cells) {
  cells.push_back(medium ? Cell(levels.at(0).checkpoint.count()) : Cell());
  cells.push_back(medium ? Cell(levels.at(0).restart.count()) : Cell());
}

}  // namespace asterism
