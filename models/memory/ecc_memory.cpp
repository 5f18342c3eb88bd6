#include "memory/ecc_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "ecc/decoder_times.h"
#include "memory/memory_config.h"

namespace asterism {
namespace {

using Outcome = DecodeResult::Outcome;

constexpr std::uint64_t page_blocks = 4096 / block_bytes;

std::array<std::uint8_t, chip_symbols> symbols_of(const MemoryBlock& parity, std::size_t slot) {
  std::array<std::uint8_t, chip_symbols> symbols{};
  std::copy_n(parity.data.begin() + chip_symbols * slot, chip_symbols, symbols.begin());
  return symbols;
}

AddressRange page_range(std::uint64_t page) { return {Address(page * 4096), 4_KiB}; }

}  // namespace

EccMemory::EccMemory(const EccConfig& config, Dram& cells, const AddressMapping& mapping,
                     std::uint32_t part_rows, std::uint64_t seed)
    : config_(config),
      cells_(cells),
      mapping_(mapping),
      part_rows_(part_rows),
      die_words_(asterism::die_words(mapping.geometry(), part_rows)),
      codec_(config.profile),
      faults_(config.profile, mapping, seed, part_rows),
      ranges_(config.mode, mapping.geometry().size(), mapping.geometry().ranks,
              leaves_parity_rows(mapping.geometry(), part_rows), !config.rank_code),
      cache_(config.cache, config.cache_ways) {
  if (config.rank_code) rank_codec_.emplace(*config.rank_code);
  if (config.mode != EccMode::strong) return;
  if (const auto problem = strong_ecc_problem(mapping.geometry(), part_rows))
    throw std::invalid_argument(problem->words);
}

// --- Accesses

BlockAccess EccMemory::read(Picoseconds now, Bytes offset, std::span<std::byte> data) {
  ++counts_.reads;
  const std::uint64_t block = offset / Bytes(block_bytes), first = offset.count() % block_bytes;
  BlockAccess access;
  std::memcpy(data.data(), cells_.data() + offset.count(), data.size());  // before a scrub may change it
  const DecodedBlock found = inspect(now, block, ErrorSource::demand, Rewrite::by_demand_scrub, access);
  if (found.is_wrong())
    for (std::size_t i = 0; i < data.size(); ++i) data[i] ^= std::byte(found.wrong.data[first + i]);
  return counted(std::move(access));
}

BlockAccess EccMemory::write(Picoseconds now, Bytes offset, std::span<const std::byte> data) {
  const std::uint64_t block = offset / Bytes(block_bytes);
  const unsigned first = offset.count() % block_bytes, count = static_cast<unsigned>(data.size());
  BlockAccess access;
  const bool whole = before_write(now, block, first, count, access);
  std::memcpy(cells_.data() + offset.count(), data.data(), data.size());
  after_write(now, block, whole ? 0 : first, whole ? block_bytes : count, access);
  return counted(std::move(access));
}

BlockAccess EccMemory::observe(Picoseconds now, Bytes offset, unsigned size, bool is_write) {
  const std::uint64_t block = offset / Bytes(block_bytes);
  const unsigned first = offset.count() % block_bytes;
  BlockAccess access;
  if (!is_write) {
    ++counts_.reads;
    inspect(now, block, ErrorSource::demand, Rewrite::by_demand_scrub, access);
  } else {
    const bool whole = before_write(now, block, first, size, access);
    after_write(now, block, whole ? 0 : first, whole ? block_bytes : size, access);
  }
  return counted(std::move(access));
}

BlockAccess EccMemory::scrub(Picoseconds now, std::uint64_t number) {
  ++counts_.scrubs;
  BlockAccess access;
  inspect(now, number % blocks(), ErrorSource::scrub, Rewrite::always, access);
  return counted(std::move(access));
}

// A word is rewritten if both of its columns are as written: with other errors in one of them it has more
// wrong bits than its code corrects.
std::vector<DieWordErrors> EccMemory::scrub_die_word(std::uint64_t word) {
  const DramGeometry& g = mapping_.geometry();
  std::vector<DieWordErrors> found;
  BlockLocation at = die_words_.first_block(word);
  const std::uint32_t first = at.column, columns = std::min(2u, g.columns - first);
  for (at.channel = 0; at.channel < g.channels; ++at.channel)
    for (at.rank = 0; at.rank < g.ranks; ++at.rank) {
      DieWordErrors errors{.channel = at.channel, .rank = at.rank};
      std::array<std::uint32_t, 2> corrected{};
      for (std::uint32_t i = 0; i < columns; ++i) {
        at.column = first + i;
        const DieWordErrors of_column = faults_.die_errors(at);
        corrected[i] = of_column.corrected;
        errors.corrected |= of_column.corrected;
        errors.left |= of_column.left;
      }
      errors.corrected &= ~errors.left;
      for (std::uint32_t i = 0; i < columns; ++i) {
        const std::uint32_t chips = corrected[i] & errors.corrected;
        if (chips == 0) continue;
        at.column = first + i;
        faults_.rewritten_on_die(at, chips);
        if (at.row < g.rows) healed(mapping_.block_at(at));
      }
      counts_.on_die_scrub_corrected += static_cast<unsigned>(std::popcount(errors.corrected));
      counts_.on_die_scrub_left += static_cast<unsigned>(std::popcount(errors.left));
      if ((errors.corrected | errors.left) != 0) found.push_back(errors);
    }
  return found;
}

BlockAccess EccMemory::counted(BlockAccess access) {
  for (const ExtraAccess& extra : access.extra)
    ++(extra.is_write ? counts_.extra_writes : counts_.extra_reads);
  return access;
}

// --- The decoder

bool EccMemory::is_touched(std::uint64_t block, const BlockLocation& at) const {
  return (!faults_.empty() && faults_.touches(at)) || (!lost_.empty() && lost_.contains(block));
}

EccMemory::DecodedBlock EccMemory::inspect(Picoseconds now, std::uint64_t block, ErrorSource source,
                                           Rewrite rewrite, BlockAccess& access) {
  const EccMode mode = this->mode(block);
  access.decoding += syndromes_time(mode);
  if (!has_hook() && is_sound()) return {};
  const BlockLocation at = mapping_.locate(block);
  if (!has_hook() && !is_touched(block, at)) return {};

  DecodedBlock found = decode(now, block, at, mode, access);
  access.poisoned = found.is_uncorrectable();
  access.silent = !access.poisoned && found.is_wrong();
  count_and_log(now, block, source, found);
  const bool is_scrubbed =
      rewrite == Rewrite::always || (rewrite == Rewrite::by_demand_scrub && config_.demand_scrub);
  if (found.result.outcome == Outcome::corrected && is_scrubbed) {
    ++counts_.scrub_writes;
    access.extra.push_back({at, true});
    if (!must_not_rewrite(at, found)) {
      store_errors(block, found.wrong, 0, 0);
      written(block, 0, block_bytes);
    }
  }
  return found;
}

EccMemory::DecodedBlock EccMemory::decode(Picoseconds now, std::uint64_t block, const BlockLocation& at,
                                          EccMode mode, BlockAccess& access) {
  if (has_rank_code(mode)) {
    DecodedBlock found = decode_rank(now, block, at, rank_hook_);
    if (found.result.outcome != Outcome::clean) access.decoding += correction_time;
    mark_lost(block, found);
    return found;
  }
  MemoryBlock truth;
  std::memcpy(truth.data.data(), cells_.data() + block * block_bytes, block_bytes);
  DualModeCodec::encode(mode, truth);
  CodecHook* hook = mode == EccMode::none ? nullptr : hook_;
  if (hook) hook->encode(now, mode, truth);

  MemoryBlock received = truth;
  faults_.errors(at, received);
  DecodedBlock found;
  found.errors = received;
  found.errors ^= truth;
  MemoryBlock decoded = received;
  found.result = codec_.decode(mode, decoded);
  bool has_third = true;
  if (found.result.used_third) {
    const auto errors = read_third_symbols(now, at, access);
    has_third = errors.has_value();
    for (unsigned p = 0; has_third && p < chip_symbols; ++p) received.third[p] ^= (*errors)[p];
    decoded = received;
    found.result = codec_.decode(mode, decoded);
    if (has_third) access.decoding += syndromes_time(EccMode::strong) + correction_time;
  } else if (found.result.outcome != Outcome::clean) {
    access.decoding += correction_time;
  }
  if (hook) hook->decode(now, mode, received, decoded, found.result);
  if (!has_third) {
    decoded = received;
    found.result.outcome = Outcome::uncorrectable;
    found.result.chips = 0;
    for (auto& syndromes : found.result.syndromes) syndromes[2] = 0;
  }
  found.wrong = decoded;
  found.wrong ^= truth;
  mark_lost(block, found);
  return found;
}

void EccMemory::mark_lost(std::uint64_t block, DecodedBlock& found) const {
  if (!lost_.contains(block)) return;
  // The contents are marked as bad. A reader that uses them all the same must not find the true data.
  found.result.outcome = Outcome::uncorrectable;
  found.result.chips = 0;
  found.wrong.data.fill(0xff);
}

Ddr5Block EccMemory::rank_block(std::uint64_t block) const {
  std::array<std::uint8_t, block_bytes> data;
  std::memcpy(data.data(), cells_.data() + block * block_bytes, block_bytes);
  Ddr5Block stored;
  put_data(stored, data);
  rank_codec_->encode(stored);
  return stored;
}

EccMemory::DecodedBlock EccMemory::decode_rank(Picoseconds now, std::uint64_t block, const BlockLocation& at,
                                               RankCodecHook* hook) const {
  const Bytes offset(block * block_bytes);
  Ddr5Block truth = rank_block(block), errors;
  if (hook) hook->encode(now, offset, truth);
  DecodedBlock found;
  found.on_die = faults_.errors(at, errors, config_.on_die);
  Ddr5Block decoded = truth;
  decoded ^= errors;
  found.errors.data = data_of(errors);
  for (unsigned w = 0; w < rank_codec_->codewords(); ++w) {
    const BinaryVector syndrome = rank_codec_->syndrome(decoded, w);
    if (syndrome.is_zero()) continue;
    for (unsigned i = 0; i < 16; ++i)  // of the first codeword with an error
      found.result.syndromes[i / 4][i % 4] =
          static_cast<std::uint8_t>((i < 8 ? syndrome.low : syndrome.high) >> i % 8 * 8);
    break;
  }
  const Ddr5Block received = decoded;
  Ddr5Result result = rank_codec_->decode(decoded);
  if (hook) hook->decode(now, offset, received, decoded, result);
  found.result.outcome = result.outcome == Ddr5Result::Outcome::clean       ? Outcome::clean
                         : result.outcome == Ddr5Result::Outcome::corrected ? Outcome::corrected
                                                                            : Outcome::uncorrectable;
  found.result.chips = result.chips;
  decoded ^= truth;
  found.wrong.data = data_of(decoded);
  return found;
}

void EccMemory::count_and_log(Picoseconds now, std::uint64_t block, ErrorSource source,
                              const DecodedBlock& found) {
  counts_.on_die_corrected += found.on_die.corrected;
  counts_.on_die_miscorrected += found.on_die.miscorrected;
  if (!found.is_uncorrectable() && found.is_wrong()) ++counts_.silent;
  if (found.result.outcome == Outcome::clean) return;
  const bool is_corrected = !found.is_uncorrectable();
  ++(is_corrected ? counts_.corrected : counts_.uncorrectable);
  const std::uint64_t lost_before = log_.lost();
  const MemoryError error{
      now,         is_corrected, source,      Bytes(block * block_bytes), mapping_.locate(block),
      mode(block), found.result, found.errors};
  const bool is_new = log_.add(error);
  counts_.log_lost += log_.lost() - lost_before;
  on_error(error, is_new);
}

// --- Third parity symbols

// The codes are linear: the errors of the parity block decode in the same way whatever symbols it holds.
EccMemory::ParityErrors EccMemory::decode_parity(Picoseconds now, const ParityPlace& place) {
  ParityErrors errors;
  MemoryBlock received;
  const bool is_touched = faults_.errors(place.block, received);
  if (!is_touched && !hook_) return errors;
  MemoryBlock decoded = received;
  DecodeResult result = codec_.decode(EccMode::normal, decoded);
  if (hook_) hook_->decode(now, EccMode::normal, received, decoded, result);
  errors.outcome = result.outcome;
  if (result.outcome == Outcome::corrected) ++counts_.parity_corrected;
  if (result.outcome == Outcome::uncorrectable) ++counts_.parity_uncorrectable;
  errors.symbols = symbols_of(decoded, place.slot);
  return errors;
}

std::optional<EccMemory::ThirdSymbols> EccMemory::read_third_symbols(Picoseconds now,
                                                                     const BlockLocation& data,
                                                                     BlockAccess& access) {
  const ParityPlace place = parity_place(mapping_.geometry(), data);
  const EccCache::Use use = cache_.use(place.block, false);
  if (use.hit) return ThirdSymbols{};
  access.extra.push_back({place.block, false});
  if (use.written_back) write_back(*use.written_back, access);
  const ParityErrors errors = decode_parity(now, place);
  access.decoding += syndromes_time(EccMode::normal);
  if (errors.outcome != Outcome::clean) access.decoding += correction_time;
  if (errors.outcome == Outcome::uncorrectable) {
    cache_.drop(place.block);
    return std::nullopt;
  }
  if (errors.outcome == Outcome::corrected && config_.demand_scrub) {
    ++counts_.scrub_writes;
    write_back(place.block, access);
  }
  return errors.symbols;
}

void EccMemory::write_third_symbols(Picoseconds now, const BlockLocation& data, BlockAccess& access) {
  const ParityPlace place = parity_place(mapping_.geometry(), data);
  const EccCache::Use use = cache_.use(place.block, true);
  if (use.hit) return;
  access.extra.push_back({place.block, false});
  const bool is_good = decode_parity(now, place).outcome != Outcome::uncorrectable;
  if (use.written_back && (is_good || *use.written_back != place.block))
    write_back(*use.written_back, access);
  if (is_good) return;
  // The symbols of the other slots are lost. The new symbols are written to the row at once, so that the
  // cache only holds correct symbols.
  cache_.drop(place.block);
  access.extra.push_back({place.block, true});
  if (faults_.written(place.block, place.slot * chip_symbols, chip_symbols)) parity_changed();
}

void EccMemory::write_back(const BlockLocation& parity, BlockAccess& access) {
  access.extra.push_back({parity, true});
  if (faults_.written(parity, 0, block_bytes)) parity_changed();
}

// Sixteen blocks of another rank may have become correctable. This is rare, so that all pages are reported as
// changed.
void EccMemory::parity_changed() {
  page_classes_.clear();
  direct_changed({});
}

// --- Writes

bool EccMemory::before_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count,
                             BlockAccess& access) {
  ++counts_.writes;
  if (count == block_bytes) return true;
  if (mode(block) == EccMode::none) return false;
  access.extra.push_back({mapping_.locate(block), false});
  const DecodedBlock found = inspect(now, block, ErrorSource::demand, Rewrite::never, access);
  access.poisoned = access.silent = false;
  if (found.is_uncorrectable() || must_not_rewrite(mapping_.locate(block), found)) return false;
  store_errors(block, found.wrong, first, count);
  return true;
}

void EccMemory::after_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count,
                            BlockAccess& access) {
  const EccMode mode = this->mode(block);
  if (rank_hook_ && has_rank_code(mode)) {
    Ddr5Block encoded = rank_block(block);
    rank_hook_->encode(now, Bytes(block * block_bytes), encoded);
  } else if (hook_ && mode != EccMode::none) {
    MemoryBlock encoded;
    std::memcpy(encoded.data.data(), cells_.data() + block * block_bytes, block_bytes);
    DualModeCodec::encode(mode, encoded);
    hook_->encode(now, mode, encoded);
  }
  // A block of which only some bytes are known has no third symbols.
  if (mode == EccMode::strong && (count == block_bytes || third_pieces_.complete(block, first, count)))
    write_third_symbols(now, mapping_.locate(block), access);
  written(block, first, count);
}

bool EccMemory::must_not_rewrite(const BlockLocation& at, const DecodedBlock& found) const {
  return found.is_wrong() && faults_.touches_stuck(at);
}

// Writes delivered errors into the cells, except for the bytes that are being written.
void EccMemory::store_errors(std::uint64_t block, const MemoryBlock& wrong, unsigned first, unsigned count) {
  std::byte* cells = cells_.data() + block * block_bytes;
  for (unsigned i = 0; i < block_bytes; ++i)
    if (wrong.data[i] != 0 && (i < first || i >= first + count)) cells[i] ^= std::byte(wrong.data[i]);
}

void EccMemory::written(std::uint64_t block, unsigned first, unsigned count) {
  if (is_sound()) return;
  bool is_healed = !faults_.empty() && faults_.written(mapping_.locate(block), first, count);
  if (lost_.contains(block) && lost_pieces_.complete(block, first, count)) {
    lost_.erase(block);
    is_healed = true;
  }
  if (is_healed) healed(block);
}

// A block may have become correctable, or free of faults.
void EccMemory::healed(std::uint64_t block) {
  const std::uint64_t page = block / page_blocks;
  const auto known = page_classes_.find(page);
  if (known == page_classes_.end()) return;  // the page is not classified
  const DirectAccess before = known->second.access;
  const DirectAccess now = reclassify(block, known->second).access;
  if (now == DirectAccess::unmonitored) page_classes_.erase(known);
  if (now != before) direct_changed(page_range(page));
}

// --- Ranges

RangeProblem EccMemory::set_range(Picoseconds now, unsigned index, const std::optional<EccRange>& range) {
  if (range)
    if (const RangeProblem problem = ranges_.problem(index, *range); problem != RangeProblem::none)
      return problem;
  const std::optional<EccRange> before = ranges_[index];
  if (before == range) return RangeProblem::none;
  const bool was_sound = is_sound();
  ++counts_.conversions;
  EccRanges after = ranges_;
  after.set(index, range);
  for (const auto& changed : {before, range})
    if (changed) forget(changed->offsets);  // so that no class is used during the conversion
  BlockSet lost;
  if (before) convert(now, before->offsets, after, lost, {});
  if (range) convert(now, range->offsets, after, lost, before ? before->offsets : AddressRange{});
  ranges_ = after;
  for (auto block = lost.next(0); block; block = lost.next(*block + 1)) lost_.insert(*block);
  for (const auto& changed : {before, range})
    if (changed && !was_sound) direct_changed(changed->offsets);
  return RangeProblem::none;
}

// Blocks that nothing touches are right in either mode, because parity is computed when a block is decoded.
void EccMemory::convert(Picoseconds now, const AddressRange& offsets, const EccRanges& to, BlockSet& lost,
                        const AddressRange& done) {
  const std::uint64_t end = (offsets.first.value() + offsets.size.count()) / block_bytes;
  for (auto block = next_touched(offsets.first.value() / block_bytes); block && *block < end;
       block = next_touched(*block + 1)) {
    const bool stays = to.mode(Bytes(*block * block_bytes)) == mode(*block);
    if (stays || done.contains(Address(*block * block_bytes)) || lost_.contains(*block) ||
        lost.contains(*block))
      continue;
    BlockAccess access;
    const DecodedBlock found = inspect(now, *block, ErrorSource::conversion, Rewrite::never, access);
    counted(std::move(access));
    if (found.is_uncorrectable()) {
      ++counts_.lost;
      lost.insert(*block);
    } else {
      store_errors(*block, found.wrong, 0, 0);
    }
    written(*block, 0, block_bytes);
  }
}

// --- Direct access

std::optional<std::uint64_t> EccMemory::next_touched(std::uint64_t from) const {
  const auto fault = faults_.next_touched(from), lost = lost_.next(from);
  return fault && lost ? std::min(fault, lost) : fault ? fault : lost;
}

DirectAccess EccMemory::direct(Bytes page) const {
  if (is_sound()) return DirectAccess::unmonitored;
  const std::uint64_t number = page / 4_KiB;
  const auto known = page_classes_.find(number);
  if (known != page_classes_.end()) return known->second.access;
  const PageClass page_class = classify(number * page_blocks, (number + 1) * page_blocks);
  if (page_class.access != DirectAccess::unmonitored) page_classes_.emplace(number, page_class);
  return page_class.access;
}

EccMemory::PageClass EccMemory::classify(std::uint64_t from, std::uint64_t end) const {
  PageClass page_class;
  for (auto block = next_touched(from); block && *block < end; block = next_touched(*block + 1)) {
    if (!is_correctable(*block)) return {DirectAccess::refused, *block};
    page_class.access = DirectAccess::monitored;
  }
  return page_class;
}

// A sweep of writes heals a page block by block: only what may have changed is classified again.
const EccMemory::PageClass& EccMemory::reclassify(std::uint64_t block, PageClass& page_class) const {
  const std::uint64_t page = block / page_blocks, end = (page + 1) * page_blocks;
  const auto touched = next_touched(page * page_blocks);
  const bool was_refused = page_class.access == DirectAccess::refused;
  if (!touched || *touched >= end) {
    page_class = {};
  } else if (was_refused && page_class.bad == block) {
    page_class = classify(block, end);
    if (page_class.access == DirectAccess::unmonitored)
      page_class.access = DirectAccess::monitored;  // because of the blocks before
  } else if ((!was_refused || block < page_class.bad) && is_touched(block, mapping_.locate(block)) &&
             !is_correctable(block)) {
    page_class = {DirectAccess::refused, block};
  }
  return page_class;
}

// Considers only the errors of the block, as if the ECC cache were empty.
bool EccMemory::is_correctable(std::uint64_t block) const {
  if (lost_.contains(block)) return false;
  const EccMode mode = this->mode(block);
  const BlockLocation at = mapping_.locate(block);
  if (has_rank_code(mode)) {
    const DecodedBlock found = decode_rank({}, block, at, nullptr);
    return !found.is_uncorrectable() && !found.is_wrong();
  }
  MemoryBlock errors;
  faults_.errors(at, errors);
  MemoryBlock decoded = errors;
  DecodeResult result = codec_.decode(mode, decoded);
  if (result.used_third) {
    const ParityPlace place = parity_place(mapping_.geometry(), at);
    MemoryBlock parity;
    faults_.errors(place.block, parity);
    if (codec_.decode(EccMode::normal, parity).outcome == Outcome::uncorrectable) return false;
    errors.third = symbols_of(parity, place.slot);
    decoded = errors;
    result = codec_.decode(mode, decoded);
  }
  return result.outcome != Outcome::uncorrectable && decoded.data == MemoryBlock().data;
}

AddressRange EccMemory::uniform_range(Bytes page) const {
  const AddressRange memory{Address(0), mapping_.geometry().size()};
  if (is_sound()) return memory;
  const std::uint64_t number = page / 4_KiB;
  if (direct(page) != DirectAccess::unmonitored) return page_range(number);
  Address first = memory.first, end = memory.first + memory.size;
  const std::uint64_t block = number * page_blocks;
  for (const auto before : {faults_.previous_touched(block), lost_.previous(block)})
    if (before) first = std::max(first, Address((*before / page_blocks + 1) * 4096));
  if (const auto behind = next_touched(block)) end = Address(*behind / page_blocks * 4096);
  return {first, end - first};
}

void EccMemory::forget(const AddressRange& offsets) {
  std::erase_if(page_classes_, [&](const auto& known) { return offsets.overlaps(page_range(known.first)); });
}

// --- The rest

void EccMemory::inject(Picoseconds now, const MemoryFault& fault) {
  const DramGeometry& g = mapping_.geometry();
  if (const std::string problem = fault_problem(fault, g, part_rows_, config_.shape()); !problem.empty())
    throw std::invalid_argument("the fault " + problem);
  if (!faults_.inject(fault)) return;
  touched_since_ = now;
  const bool is_one_block = fault.kind == MemoryFaultKind::bit || fault.kind == MemoryFaultKind::word;
  // An empty range means all pages.
  AddressRange changed;
  if (is_one_block && fault.at.row < g.rows) changed = page_range(mapping_.block_at(fault.at) / page_blocks);
  if (changed.size == Bytes(0))
    page_classes_.clear();
  else
    forget(changed);
  direct_changed(changed);
}

void EccMemory::reset(Reset kind) {
  cache_.reset(kind);
  log_.reset(kind);
  if (hook_) hook_->reset(kind);
  if (rank_hook_) rank_hook_->reset(kind);
  if (kind == Reset::cold) counts_ = {};
  if (kind == Reset::warm) return;
  const bool was_sound = is_sound();
  faults_.reset(kind);
  ranges_.reset(kind);
  lost_ = {};
  lost_pieces_ = {};
  third_pieces_ = {};
  page_classes_.clear();
  if (kind == Reset::cold) touched_since_ = {};
  if (!was_sound) direct_changed({});
}

std::string EccMemory::on_die_summary() const {
  if (!config_.on_die) return "";
  const std::uint64_t words = counts_.on_die_corrected;
  return std::to_string(words) + (words == 1 ? " word" : " words") + " corrected on the die, " +
         std::to_string(counts_.on_die_miscorrected) + " miscorrected" +
         (config_.on_die_scrub == Picoseconds(0)
              ? ""
              : ", " + std::to_string(counts_.on_die_scrub_corrected) + " scrubbed there");
}

void EccMemory::report(Statistics& statistics) const {
  statistics.add("reads", counts_.reads);
  statistics.add("writes", counts_.writes);
  statistics.add("corrected", counts_.corrected);
  statistics.add("uncorrectable", counts_.uncorrectable);
  statistics.add("silent", counts_.silent);
  statistics.add("parity_corrected", counts_.parity_corrected);
  statistics.add("parity_uncorrectable", counts_.parity_uncorrectable);
  statistics.add("conversions", counts_.conversions);
  statistics.add("blocks_lost_in_conversion", counts_.lost);
  statistics.add("scrubs", counts_.scrubs);
  statistics.add("scrub_writes", counts_.scrub_writes);
  statistics.add("extra_reads", counts_.extra_reads);
  statistics.add("extra_writes", counts_.extra_writes);
  statistics.add("faults_injected", faults_.injected());
  statistics.add("log_lost", counts_.log_lost);
  if (config_.on_die) {
    statistics.add("on_die_corrected", counts_.on_die_corrected);
    statistics.add("on_die_miscorrected", counts_.on_die_miscorrected);
  }
  if (config_.on_die_scrub != Picoseconds(0)) {
    statistics.add("on_die_scrub_corrected", counts_.on_die_scrub_corrected);
    statistics.add("on_die_scrub_left", counts_.on_die_scrub_left);
  }
  cache_.report(statistics.group("ecc_cache"));
}

}  // namespace asterism
