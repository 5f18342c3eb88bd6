#include "nvme/nvme_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr std::uint32_t max_request_blocks = 1u << nvme::max_transfer_shift;
constexpr std::uint64_t data_at = NvmeHost::buffers, list_at = data_at + 0x10'0000;
constexpr Bytes host_memory{NvmeHost::buffers + 0x20'0000};

const Statistics& group_of(const Statistics& statistics, std::string_view name) {
  for (const auto& [key, value] : statistics.entries())
    if (key == name) return *std::get<std::unique_ptr<Statistics>>(value);
  throw std::logic_error("the disk reports no " + std::string(name));
}

std::uint64_t count_of(const Statistics& statistics, std::string_view name) {
  for (const auto& [key, value] : statistics.entries())
    if (key == name) return std::get<std::uint64_t>(value);
  throw std::logic_error("the disk reports no " + std::string(name));
}

}  // namespace

static_assert(member_count<NvmeWorkloadConfig>() == 8);
void describe_preparation(Fields& f, NvmeWorkloadConfig& c) {
  f("size", c.size, "The size of a request, in whole blocks of 4 KiB. A larger one uses more dies at a time.",
    within(4_KiB, 128_KiB));
  f("used", c.used,
    "The percent of the capacity that is written before, and to which requests go. With less, garbage "
    "collection has less to move.",
    within(1, 100));
  f("overwrites", c.overwrites,
    "Random writes before the measurement, in percent of the used part. Without them collections have not "
    "begun yet.",
    within(0, 10'000));
  f("seed", c.seed, "Of the places and kinds of requests.");
  f.check([&] { return c.size % NvmeDisk::block == 0_B; }, "size", "is a multiple of 4 KiB");
}

void describe_requests(Fields& f, NvmeWorkloadConfig& c) {
  f("pattern", c.pattern, "Where requests are.", one_of<NvmePattern>());
  f("reads", c.reads, "The percent of requests that are reads; the others are writes.", within(0, 100));
  f("depth", c.depth,
    "The requests under way, in all queues together. More of them keep more dies busy, and wait longer.",
    within(1, 8192));
  f("duration", c.duration, "The simulated time of the measurement.", within(1_us, 1000_s));
}

std::vector<NvmeRequest> read_nvme_trace(std::istream& file) {
  constexpr std::uint64_t sectors_of_block = NvmeDisk::block.count() / 512;
  // Of nanoseconds, 100 days: the simulated time is counted in picoseconds, in 64 bits. Of sectors, so that
  // bytes are counted in 64 bits.
  constexpr std::uint64_t max_trace_time = std::uint64_t{100} * 86'400 * 1'000'000'000,
                          max_sector = ~std::uint64_t{0} / 512;
  std::vector<NvmeRequest> requests;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    std::uint64_t time = 0, device = 0, sector = 0, sectors = 0, type = 0;
    if (!(words >> time >> device >> sector >> sectors >> type) || sectors == 0 || type > 1)
      throw NvmeTraceError(
          fmt::format("line {}: expected `time device sector sectors type`, got \"{}\"", number, line));
    if (time > max_trace_time)
      throw NvmeTraceError(
          fmt::format("line {}: expected a time of at most {} ns, got {}", number, max_trace_time, time));
    if (sector > max_sector || sectors > max_sector - sector)
      throw NvmeTraceError(fmt::format("line {}: expected sectors below {}, got {} from {} on", number,
                                       max_sector, sectors, sector));
    if (!requests.empty() && Picoseconds(time * 1000) < requests.back().at)
      throw NvmeTraceError(fmt::format("line {}: the time is before that of the line before", number));
    std::uint64_t first = sector / sectors_of_block;
    const std::uint64_t end = (sector + sectors + sectors_of_block - 1) / sectors_of_block;
    for (; first < end; first += max_request_blocks)
      requests.push_back(
          {Picoseconds(time * 1000), first,
           static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first, max_request_blocks)), type == 1});
  }
  return requests;
}

NvmeWorkload::NvmeWorkload(const NvmeConfig& disk, const FlashPart& part, const NvmeWorkloadConfig& config)
    : disk_(disk),
      config_(config),
      image_(disk.flash.geometry(part), FlashImage::Contents::none),
      host_(disk, part, image_, host_memory),
      random_(config.seed),
      used_(std::max<std::uint64_t>(host_.controller().disk().blocks() * config.used / 100,
                                    max_request_blocks)),
      sent_(disk.queues, std::vector<Sent>(identifiers)) {
  if (config.depth > disk.queues * requests_per_queue)
    throw std::invalid_argument(
        fmt::format("{} requests do not fit into {} queues", config.depth, disk.queues));
}

NvmeWorkload::Counts NvmeWorkload::counts() const {
  Statistics statistics;
  host_.controller().report(statistics);
  const Statistics& layer = group_of(group_of(statistics, "disk"), "translation");
  return {count_of(layer, "page_programs"), count_of(layer, "collections"),
          count_of(statistics, "written_bytes")};
}

void NvmeWorkload::prepare(const std::function<bool()>& stop) {
  host_.start(disk_.queues, entries);
  for (std::uint64_t i = 1; i < max_request_blocks; ++i)
    host_.set<std::uint64_t>(list_at + 8 * (i - 1), data_at + 4096 * i);
  constexpr std::uint32_t fill_depth = 64;
  std::uint64_t place = 0;
  const auto in_order = [&] {
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(max_request_blocks, used_ - place));
    return NvmeRequest{.first = std::exchange(place, place + blocks), .blocks = blocks, .is_read = false};
  };
  const std::uint64_t requests = (used_ + max_request_blocks - 1) / max_request_blocks;
  if (drive(requests, {}, fill_depth, false, in_order, stop)) return;
  const auto blocks = static_cast<std::uint32_t>(config_.size / NvmeDisk::block);
  const std::uint64_t overwrites = used_ * config_.overwrites / 100 / blocks;
  if (drive(
          overwrites, {}, fill_depth, false, [&] { return random_request(blocks, false); }, stop))
    return;
  host_.call(1, NvmeHost::io(nvme::Opcode::flush));
}

NvmeRequest NvmeWorkload::random_request(std::uint32_t blocks, bool is_read) {
  return {.first = random_.below(used_ / blocks) * blocks, .blocks = blocks, .is_read = is_read};
}

// Keeps `depth` requests under way, until so many have been sent or until a time. Returns whether it was
// stopped.
bool NvmeWorkload::drive(std::uint64_t requests, Picoseconds until, std::uint32_t depth, bool is_measured,
                         const std::function<NvmeRequest()>& next, const std::function<bool()>& stop) {
  std::uint64_t sent = 0, events = 0;
  const bool is_timed = until != Picoseconds();
  for (;;) {
    const bool is_over = is_timed ? host_.now() >= until : sent == requests;
    while (!is_over && under_way_ < depth && (is_timed || sent < requests)) {
      send(next(), host_.now(), is_measured);
      ++sent;
    }
    if (is_over && under_way_ == 0) return false;
    step();
    collect();
    if (++events % 4096 == 0) {
      if (is_timed && is_measured)
        share_ = std::min(1.0, static_cast<double>((host_.now() - began_).count()) /
                                   static_cast<double>(config_.duration.count()));
      if (stop()) return result_.stopped = true;
    }
  }
}

void NvmeWorkload::step() {
  if (!host_.step()) throw std::logic_error(fmt::format("the disk leaves {} requests", under_way_));
}

// The next queue with room. There is one while fewer requests are under way than all queues hold, as an entry
// that is not known to have been fetched is of a request that is under way.
void NvmeWorkload::send(const NvmeRequest& request, Picoseconds arrived, bool is_measured) {
  while (!host_.has_room(next_queue_ + 1)) next_queue_ = (next_queue_ + 1) % disk_.queues;
  const unsigned queue = next_queue_;
  next_queue_ = (next_queue_ + 1) % disk_.queues;
  const auto opcode = request.is_read ? nvme::Opcode::read : nvme::Opcode::write;
  const Address rest(request.blocks > 2 ? list_at : data_at + 4096);
  const std::uint16_t identifier =
      host_.submit(queue + 1, NvmeHost::io(opcode, request.first, request.blocks, Address(data_at), rest));
  sent_[queue][identifier] = {arrived, request.is_read, is_measured};
  ++under_way_;
  if (!is_measured) return;
  const Bytes size = NvmeDisk::block * request.blocks;
  result_.moved += size;
  if (!request.is_read) result_.written += size;
}

void NvmeWorkload::collect() {
  if (!host_.line) return;
  for (unsigned queue = 0; queue < disk_.queues; ++queue)
    while (const auto completion = host_.take(queue + 1)) {
      const Sent& sent = sent_[queue][completion->identifier];
      --under_way_;
      if (completion->status != nvme::Status::success) ++result_.errors;
      if (sent.is_measured) (sent.is_read ? result_.reads : result_.writes).push_back(host_.now() - sent.at);
    }
}

void NvmeWorkload::begin_measuring() {
  before_ = counts();
  began_ = host_.now();
}

NvmeWorkloadResult NvmeWorkload::end_measuring() {
  const Counts after = counts();
  result_.time = host_.now() - began_;
  result_.programs = after.programs - before_.programs;
  result_.collections = after.collections - before_.collections;
  std::ranges::sort(result_.reads);
  std::ranges::sort(result_.writes);
  return std::move(result_);
}

NvmeWorkloadResult NvmeWorkload::run(const std::function<bool()>& stop) {
  prepare(stop);
  if (result_.stopped) return std::move(result_);
  begin_measuring();
  const auto blocks = static_cast<std::uint32_t>(config_.size / NvmeDisk::block);
  std::uint64_t place = 0;
  const auto next = [&] {
    const bool is_read = random_.below(100) < config_.reads;
    if (config_.pattern == NvmePattern::random) return random_request(blocks, is_read);
    if (place + blocks > used_) place = 0;
    return NvmeRequest{.first = std::exchange(place, place + blocks), .blocks = blocks, .is_read = is_read};
  };
  drive(0, host_.now() + config_.duration, config_.depth, true, next, stop);
  return end_measuring();
}

NvmeWorkloadResult NvmeWorkload::run(const std::vector<NvmeRequest>& trace,
                                     const std::function<bool()>& stop) {
  prepare(stop);
  if (result_.stopped) return std::move(result_);
  begin_measuring();
  const std::uint32_t depth = disk_.queues * requests_per_queue;
  for (std::size_t i = 0; i < trace.size() || under_way_ != 0;) {
    const auto next_event = host_.controller().next_event();
    const bool is_due = i < trace.size() && under_way_ < depth &&
                        (!next_event || began_ + trace[i].at <= std::max(*next_event, host_.now()));
    if (is_due) {
      NvmeRequest request = trace[i++];
      if (began_ + request.at > host_.now()) host_.wait_until(began_ + request.at);
      request.first %= used_ - request.blocks + 1;
      send(request, began_ + request.at, true);
    } else {
      step();
    }
    collect();
    if (i % 256 == 0) {
      share_ = static_cast<double>(i) / static_cast<double>(trace.size());
      if (stop()) {
        result_.stopped = true;
        break;
      }
    }
  }
  return end_measuring();
}

}  // namespace asterism
