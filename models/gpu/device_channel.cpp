#include "gpu/device_channel.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ecc/decoder_times.h"
#include "ecc/two_level_span.h"

namespace asterism {

namespace {
constexpr std::uint64_t line_size = L2Slice::line.count(), sector_size = L2Slice::sector.count();

constexpr TwoLevelConfig span_config;
constexpr std::uint64_t span_sectors = span_config.data_chunks, no_span = ~std::uint64_t{0};

std::uint64_t transfers_of_span() {
  return TwoLevelSpan::transfers_of(0, span_config.data_chunks + span_config.parity_chunks);
}
}  // namespace

DeviceChannel::Counts& DeviceChannel::Counts::operator+=(const Counts& other) {
  hits += other.hits;
  misses += other.misses;
  sectors_read += other.sectors_read;
  sectors_written += other.sectors_written;
  table_sectors += other.table_sectors;
  waits += other.waits;
  waited += other.waited;
  corrected += other.corrected;
  uncorrectable += other.uncorrectable;
  silent += other.silent;
  rebuilt += other.rebuilt;
  code_transfers += other.code_transfers;
  zones_scrubbed += other.zones_scrubbed;
  scrub_corrected += other.scrub_corrected;
  scrub_uncorrectable += other.scrub_uncorrectable;
  return *this;
}

DeviceChannel::DeviceChannel(const GpuConfig& config, std::uint32_t number, DeviceMemory& memory,
                             std::vector<Stall>& stalls, std::vector<MemoryError>& errors)
    : number_(number),
      swizzle_(config.swizzle()),
      memory_(memory),
      stalls_(stalls),
      keeps_contents_(memory.keeps_contents()),
      zone_shift_(static_cast<unsigned>(std::countr_zero(config.zone / L2Slice::line))),
      channel_sectors_(config.channel_size() / L2Slice::sector),
      bandwidth_(config.channel),
      l2_(config.l2 / config.channels, config.l2_ways, keeps_contents_),
      monitor_(config.monitor, config.zones_per_channel()),
      queue_(config.write_queue),
      code_(config.ecc),
      faults_(config.ecc, number),
      errors_(errors),
      has_spans_(config.ecc == SectorCode::reach),
      scrubs_on_die_(config.scrub_on_die),
      decoder_(syndromes_time(config.ecc)),
      parity_held_(no_span) {
  for (std::size_t sectors = 0; sectors < times; ++sectors)
    time_[sectors] = transfer_time(L2Slice::sector * sectors, bandwidth_);
}

std::uint64_t DeviceChannel::transfers_of_chunks(std::uint32_t line, std::uint8_t sectors) const {
  const auto first = static_cast<unsigned>(std::countr_zero(sectors));
  const auto last = static_cast<unsigned>(std::bit_width(sectors)) - 1;
  const auto in_span = static_cast<unsigned>(line * sectors_per_line % span_sectors);
  return TwoLevelSpan::transfers_of(in_span + first, last - first + 1);
}

std::uint64_t DeviceChannel::transfers_of_spans(std::uint64_t sectors) const {
  return has_spans_ ? (sectors * transfers_of_span() + span_sectors - 1) / span_sectors : sectors;
}

Picoseconds DeviceChannel::move_copy(Picoseconds at, std::uint64_t sectors) {
  const std::uint64_t transfers = transfers_of_spans(sectors);
  counts_.code_transfers += transfers - sectors;
  return move(at, transfers);
}

Picoseconds DeviceChannel::move_written(Picoseconds at, std::uint32_t line, std::uint8_t sectors) {
  std::uint64_t transfers = L2Slice::count(sectors);
  counts_.sectors_written += transfers;
  if (has_spans_) {
    std::uint64_t of_code = 2 * transfers_of_chunks(line, sectors);
    const std::uint64_t span = line * sectors_per_line / span_sectors;
    if (std::exchange(parity_held_, span) != span)
      of_code +=
          std::uint64_t{2} * TwoLevelSpan::transfers_of(span_config.data_chunks, span_config.parity_chunks);
    counts_.code_transfers += of_code - transfers;
    transfers = of_code;
  }
  return move(at, transfers);
}

void DeviceChannel::store(std::uint32_t line, std::uint8_t sectors, std::span<const std::byte, 128> data) {
  for (unsigned sector = 0; sector < line_size / sector_size; ++sector)
    if ((sectors >> sector & 1) != 0)
      copy_in(line * line_size + sector * sector_size, data.subspan(sector * sector_size, sector_size));
}

// Adds the write to the queue; returns false if the queue is full.
bool DeviceChannel::wait(std::size_t slot, std::uint32_t line, bool first, const Access& access) {
  const std::uint32_t zone = zone_of(line);
  if (first || queue_.empty()) stalls_.push_back({access.at, {number_, zone}, first});
  if (queue_.full()) return false;
  WaitingWrite write{access.since, zone, line, l2_.dirty(slot), {}};
  if (keeps_contents_) std::ranges::copy(l2_.data(slot), write.data.begin());
  queue_.push(write);
  ++counts_.waits;
  return true;
}

void DeviceChannel::below(std::uint32_t line, std::span<std::byte, 128> data) const {
  memory_.read({number_, line * line_size}, data);
  if (!queue_.empty()) queue_.overlay(line, data);
}

void DeviceChannel::change(std::size_t slot, std::uint32_t line, std::uint8_t sectors, std::uint64_t kernel) {
  const std::uint64_t address = swizzle_.address({number_, line * line_size});
  std::byte* const data = l2_.data(slot).data();
  for (unsigned place = 0; place < line_size; place += 8) {
    if ((sectors >> place / sector_size & 1) == 0) continue;
    std::uint64_t word;
    std::memcpy(&word, data + place, 8);
    word = kernel_word(word, kernel, address + place);
    std::memcpy(data + place, &word, 8);
  }
}

void DeviceChannel::flush(Picoseconds at) {
  Picoseconds moved;
  l2_.for_lines([&](std::size_t slot) {
    if (l2_.dirty(slot) == 0) return;
    write_back(slot, l2_.line_at(slot), {at, at, 0, 0, true}, moved);
    l2_.cleaned(slot);
  });
}

void DeviceChannel::leave_queue(Picoseconds at, const WaitingWrite& write) {
  // A pipeline may run slightly ahead of the time of a release.
  const Picoseconds start = std::max(at, write.since);
  counts_.waited += start - write.since;
  if (keeps_contents_) store(write.line, write.sectors, write.data);
  move_written(start, write.line, write.sectors);
}

void DeviceChannel::release(Picoseconds at, std::uint32_t zone) {
  queue_.release(zone, [&](const WaitingWrite& write) { leave_queue(at, write); });
}

void DeviceChannel::release_all(Picoseconds at) {
  queue_.release_all([&](const WaitingWrite& write) { leave_queue(at, write); });
}

void DeviceChannel::read(std::uint64_t offset, std::span<std::byte> data) const {
  const auto line = static_cast<std::uint32_t>(offset / line_size);
  std::array<std::byte, line_size> bytes;
  if (const std::size_t slot = keeps_contents_ ? l2_.peek(line) : L2Slice::no_slot; slot != L2Slice::no_slot)
    std::ranges::copy(l2_.data(slot), bytes.begin());
  else
    below(line, bytes);
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset % line_size), data.size(), data.begin());
}

void DeviceChannel::write(std::uint64_t offset, std::span<const std::byte> data) {
  if (!keeps_contents_) return;
  copy_in(offset, data);
  const std::size_t slot = l2_.peek(static_cast<std::uint32_t>(offset / line_size));
  if (slot != L2Slice::no_slot)
    std::ranges::copy(data, l2_.data(slot).begin() + static_cast<std::ptrdiff_t>(offset % line_size));
}

void DeviceChannel::drop(std::uint32_t zone) {
  l2_.for_lines([&](std::size_t slot) {
    if (zone_of(l2_.line_at(slot)) == zone) l2_.drop(slot);
  });
}

// ---- faults ----

bool DeviceChannel::is_untouched(std::uint64_t offset, Bytes size) const {
  return !memory_.touched({number_, offset}, size) &&
         (!may_have_errors_ || !faults_.touches(offset / sector_size, size / L2Slice::sector)) &&
         !is_contained(static_cast<std::uint32_t>(offset / line_size >> zone_shift_));
}

void DeviceChannel::copy_in(std::uint64_t offset, std::span<const std::byte> data) {
  memory_.write({number_, offset}, data);
  if (!may_have_errors_) return;
  // Only whole sectors are coded anew.
  const std::uint64_t first = (offset + sector_size - 1) / sector_size;
  const std::uint64_t end = (offset + data.size()) / sector_size;
  if (end > first) faults_.written(first, end - first);
}

void DeviceChannel::copy_out(Picoseconds at, std::uint64_t offset, std::span<std::byte> data) {
  memory_.read({number_, offset}, data);
  if (!may_have_errors_) return;
  for (std::size_t done = 0; done < data.size(); done += sector_size) {
    const std::uint64_t sector = (offset + done) / sector_size;
    if (decode(at, sector, data.subspan(done, sector_size)) == SectorOutcome::uncorrectable)
      return contain(at, sector, GpuReader::copy);
  }
}

// The sector as the decoder delivers it; `data` is what was written.
SectorOutcome DeviceChannel::decode(Picoseconds at, std::uint64_t sector, std::span<std::byte> data) {
  if (is_contained(zone_of(line_of(sector)))) return SectorOutcome::uncorrectable;
  SectorBits pattern{};
  if (!faults_.errors(sector, pattern)) return SectorOutcome::clean;
  SectorOutcome outcome = decode_sector(code_, pattern);
  if (has_spans_ && outcome == SectorOutcome::uncorrectable) outcome = rebuild(at, sector, pattern);
  if (outcome == SectorOutcome::uncorrectable) {
    ++counts_.uncorrectable;
    return outcome;
  }
  bool is_right = true;
  for (std::size_t i = 0; i < sector_size; ++i) {
    data[i] ^= std::byte{pattern[i]};
    is_right = is_right && pattern[i] == 0;
  }
  if (outcome == SectorOutcome::corrected) ++counts_.corrected;
  if (!is_right) ++counts_.silent;
  return outcome;
}

// The sector by the outer code of its span, whose sectors are all read. The codes are linear: the errors of a
// span decode as they would in its data.
SectorOutcome DeviceChannel::rebuild(Picoseconds at, std::uint64_t sector, SectorBits& pattern) {
  const std::uint64_t transfers = transfers_of_span(), number = sector / span_sectors;
  counts_.code_transfers += transfers;
  move(at, transfers);
  TwoLevelSpan span(span_config);
  const std::uint64_t parity = channel_sectors_ + number * span_config.parity_chunks;
  for (unsigned chunk = 0; chunk < span.chunks(); ++chunk) {
    const bool is_data = chunk < span.data_chunks();
    SectorBits errors{};
    const std::uint64_t place = is_data ? number * span_sectors + chunk : parity + chunk - span.data_chunks();
    if (!faults_.errors(place, errors)) continue;
    constexpr unsigned bits = 8 * TwoLevelSpan::chunk_bytes;
    for (unsigned bit = 0; bit < bits; ++bit)
      if ((errors[bit / 8] >> bit % 8 & 1) != 0) span.flip(std::uint64_t{bits} * chunk + bit);
  }
  TwoLevelSpan::Chunk left{};
  if (span.read(static_cast<unsigned>(sector % span_sectors), left) == TwoLevelSpan::Outcome::uncorrectable)
    return SectorOutcome::uncorrectable;
  ++counts_.rebuilt;
  pattern = {};
  std::ranges::copy(left, pattern.begin());
  return SectorOutcome::corrected;
}

void DeviceChannel::contain(Picoseconds at, std::uint64_t sector, GpuReader by) {
  const std::uint32_t zone = zone_of(line_of(sector));
  const std::uint64_t sectors_per_zone = sectors_per_line << zone_shift_;
  const bool first = !is_contained(zone);
  if (first) contained_.insert(std::ranges::upper_bound(contained_, zone), zone);
  errors_.push_back(
      {at, {number_, zone}, static_cast<std::uint32_t>(sector % sectors_per_zone * sector_size), by, first});
}

// Sectors of a line come from memory into the L2.
void DeviceChannel::load(std::size_t slot, std::uint32_t line, std::uint8_t sectors, Picoseconds at) {
  const std::uint8_t from_memory = sectors & ~queue_.sectors_of(line);
  for (std::uint64_t i = 0; i < sectors_per_line; ++i) {
    if ((from_memory >> i & 1) == 0) continue;
    const std::uint64_t sector = line * sectors_per_line + i;
    const auto data = l2_.data(slot).subspan(i * sector_size, sector_size);
    if (decode(at, sector, data) == SectorOutcome::uncorrectable) contain(at, sector, GpuReader::kernel);
  }
}

void DeviceChannel::inject(GpuMemoryShape shape, std::uint64_t offset, unsigned bit, bool stuck) {
  if (!keeps_contents_) throw std::logic_error("a fault is injected into memory without contents");
  faults_.inject(shape, offset / sector_size, bit, stuck);
  may_have_errors_ = true;
}

bool DeviceChannel::is_contained(std::uint32_t zone) const {
  return std::ranges::binary_search(contained_, zone);
}

bool DeviceChannel::replace(Picoseconds at, std::uint32_t zone) {
  const std::uint64_t sectors = sectors_per_line << zone_shift_, first = zone * sectors;
  move_copy(at, 2 * sectors);  // it is read and written
  if (!may_have_errors_ || !faults_.touches(first, sectors)) return true;
  std::vector<std::byte> data(sectors * sector_size);
  copy_out(at, first * sector_size, data);
  if (is_contained(zone)) return false;
  faults_.replaced(first, sectors);
  for (std::uint64_t sector = first; sector < first + sectors; ++sector)
    take_over(sector, std::span(data).subspan((sector - first) * sector_size, sector_size));
  may_have_errors_ = !faults_.empty() || !contained_.empty();
  return true;
}

// The parity covers what is written already, so that it stays as it is.
void DeviceChannel::write_corrected(Picoseconds at, std::uint64_t sector) {
  const auto in_line = static_cast<std::uint8_t>(1u << sector % sectors_per_line);
  const std::uint64_t transfers = has_spans_ ? transfers_of_chunks(line_of(sector), in_line) : 1;
  counts_.code_transfers += transfers - 1;
  move(at, transfers);
}

void DeviceChannel::scrub(Picoseconds at, std::uint32_t zone) {
  if (is_contained(zone)) return;
  const std::uint64_t sectors = sectors_per_line << zone_shift_, first = zone * sectors;
  if (!scrubs_on_die_) move_copy(at, sectors);
  ++counts_.zones_scrubbed;
  if (!may_have_errors_ || !faults_.touches(first, sectors)) return;
  for (std::uint64_t sector = first; sector < first + sectors; ++sector) {
    std::array<std::byte, sector_size> data;
    memory_.read({number_, sector * sector_size}, data);
    const Counts before = counts_;
    const SectorOutcome outcome = decode(at, sector, data);
    const bool is_silent = counts_.silent != before.silent;
    if (scrubs_on_die_) counts_ = before;
    if (outcome == SectorOutcome::clean) continue;
    if (outcome == SectorOutcome::uncorrectable) {
      ++counts_.scrub_uncorrectable;
      if (scrubs_on_die_) continue;
      return contain(at, sector, GpuReader::scrub);
    }
    ++counts_.scrub_corrected;
    faults_.written(sector, 1);
    const bool is_changed = take_over(sector, data);
    if (!scrubs_on_die_)
      write_corrected(at, sector);
    else if (is_silent && is_changed)
      ++counts_.silent;  // as no later read finds it
  }
  may_have_errors_ = !faults_.empty() || !contained_.empty();
}

// What a sector has been read as is what it is from now on, with the faults that are left: those of a pin
// make the same bits wrong again. The L2 has read those that are valid before. Returns whether other contents
// are written than before.
bool DeviceChannel::take_over(std::uint64_t sector, std::span<std::byte> data) {
  SectorBits left{};
  if (faults_.errors(sector, left) && decode_sector(code_, left) != SectorOutcome::uncorrectable)
    for (std::size_t i = 0; i < sector_size; ++i) data[i] ^= std::byte{left[i]};
  std::array<std::byte, sector_size> before;
  memory_.read({number_, sector * sector_size}, before);
  if (std::ranges::equal(before, data)) return false;
  memory_.write({number_, sector * sector_size}, data);
  const std::size_t slot = l2_.peek(line_of(sector));
  const std::uint64_t in_line = sector % sectors_per_line;
  if (slot != L2Slice::no_slot && (l2_.valid(slot) >> in_line & 1) == 0)
    std::ranges::copy(data, l2_.data(slot).subspan(in_line * sector_size).begin());
  return true;
}

void DeviceChannel::replace_lost(std::uint32_t zone) {
  const std::uint64_t sectors = sectors_per_line << zone_shift_;
  faults_.replaced(zone * sectors, sectors);
  drop(zone);
  const std::vector<std::byte> zeros(sectors * sector_size);
  memory_.write({number_, zone * sectors * sector_size}, zeros);
  std::erase(contained_, zone);
  may_have_errors_ = !faults_.empty() || !contained_.empty();
}

void DeviceChannel::reset(Reset kind) {
  faults_.reset(kind);
  if (kind == Reset::power_loss) contained_.clear();
  may_have_errors_ = !faults_.empty() || !contained_.empty();
  busy_until_ = {};
  parity_held_ = no_span;
  l2_.clear();
  queue_.clear();
  monitor_.reset(kind);
}

}  // namespace asterism
