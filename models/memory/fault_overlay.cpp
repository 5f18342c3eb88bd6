#include "memory/fault_overlay.h"

#include <algorithm>
#include <initializer_list>

#include "base/random.h"
#include "ecc/ddr5_coverage.h"
#include "ecc/fault_pattern.h"
#include "memory/parity_translation.h"

namespace asterism {
namespace {

using Kind = MemoryFaultKind;

// Whether the kind lies in one bank, row or column; otherwise it lies in all of them.
bool has_bank(Kind kind) { return kind != Kind::pin && kind != Kind::chip; }
bool has_row(Kind kind) { return kind == Kind::bit || kind == Kind::word || kind == Kind::row; }
bool has_column(Kind kind) { return kind == Kind::bit || kind == Kind::word || kind == Kind::column; }

// The bits that the fault covers in one block.
FaultShape shape(Kind kind) {
  if (kind == Kind::bit || kind == Kind::column) return FaultShape::bit;
  if (kind == Kind::pin) return FaultShape::pin;
  return kind == Kind::word ? FaultShape::word : FaultShape::chip;
}

// The same of a chip's 64 bits.
std::uint64_t ddr5_bits(const MemoryFault& fault) {
  switch (shape(fault.kind)) {
    case FaultShape::bit:
      return std::uint64_t{1} << fault.bit;
    case FaultShape::pin:
      return pin_bits(fault.bit % 4);
    case FaultShape::word:
      return std::uint64_t{15} << fault.bit / 4 * 4;
    case FaultShape::chip:
      break;
  }
  return ~std::uint64_t{0};
}

bool covers(const MemoryFault& fault, const BlockLocation& block) {
  return fault.at.channel == block.channel && fault.at.rank == block.rank &&
         (!has_bank(fault.kind) || fault.at.bank == block.bank) &&
         (!has_row(fault.kind) || fault.at.row == block.row) &&
         (!has_column(fault.kind) || fault.at.column == block.column);
}

// Whether all bits that `inner` covers in its chip's part of a block are bits of `outer`.
bool holds_bits_of(const MemoryFault& outer, const MemoryFault& inner) {
  const FaultShape of_inner = shape(inner.kind);
  switch (shape(outer.kind)) {
    case FaultShape::bit:
      return of_inner == FaultShape::bit && inner.bit == outer.bit;
    case FaultShape::pin:
      return (of_inner == FaultShape::bit || of_inner == FaultShape::pin) && inner.bit % 4 == outer.bit % 4;
    case FaultShape::word:
      return (of_inner == FaultShape::bit || of_inner == FaultShape::word) && inner.bit / 4 == outer.bit / 4;
    case FaultShape::chip:
      return true;
  }
  return false;
}

// Whether `inner` adds nothing to `outer`: the same bits or fewer, of the same blocks or fewer, for as long
// or less.
bool holds_all_of(const MemoryFault& outer, const MemoryFault& inner) {
  const auto is_of = [&](bool (*has)(Kind), std::uint32_t BlockLocation::*part) {
    return !has(outer.kind) || (has(inner.kind) && inner.at.*part == outer.at.*part);
  };
  return outer.persistence == Persistence::stuck && outer.at.channel == inner.at.channel &&
         outer.at.rank == inner.at.rank && outer.chip == inner.chip && holds_bits_of(outer, inner) &&
         is_of(has_bank, &BlockLocation::bank) && is_of(has_row, &BlockLocation::row) &&
         is_of(has_column, &BlockLocation::column);
}

}  // namespace

std::string fault_problem(const MemoryFault& fault, const DramGeometry& geometry, std::uint32_t rows,
                          const BlockShape& block) {
  struct Bound {
    const char* verb;
    std::uint32_t value, size;
    bool holds;
  };
  const Kind kind = fault.kind;
  if (kind < Kind::bit || kind > Kind::row) return "is of no kind that there is";
  for (const Bound& bound : std::initializer_list<Bound>{
           {"lies in channel", fault.at.channel, geometry.channels, true},
           {"lies in rank", fault.at.rank, geometry.ranks, true},
           {"lies in bank", fault.at.bank, geometry.banks, has_bank(kind)},
           {"lies in row", fault.at.row, rows, has_row(kind)},
           {"lies in column", fault.at.column, geometry.columns, has_column(kind)},
           {"lies in chip", fault.chip, block.chips, true},
           {"hits bit", fault.bit, 4 * block.beats, kind != Kind::chip && kind != Kind::row}})
    if (bound.holds && bound.value >= bound.size)
      return bound.verb + (" " + std::to_string(bound.value)) + ", of " + std::to_string(bound.size);
  return "";
}

FaultOverlay::FaultOverlay(EccProfile profile, const AddressMapping& mapping, std::uint64_t seed,
                           std::uint32_t part_rows)
    : profile_(profile), mapping_(mapping), seed_(seed) {
  const DramGeometry& g = mapping.geometry();
  rows_ = std::min(g.rows + parity_rows(g), part_rows);
  parts_ = {{{&BlockLocation::channel, g.channels, 0},
             {&BlockLocation::rank, g.ranks, 0},
             {&BlockLocation::bank, g.banks, 0},
             {&BlockLocation::row, g.rows, 0},
             {&BlockLocation::column, g.columns, 0}}};
  for (Part& part : parts_) {
    if (part.size == 1) continue;  // its stride does not matter, as it is never multiplied but by 0
    BlockLocation one;
    one.*part.member = 1;
    part.stride = mapping.block_at(one);
  }
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.stride > b.stride; });
}

bool FaultOverlay::inject(const MemoryFault& fault) {
  const std::uint64_t seed = Random(seed_).at(injected_++);
  if (std::ranges::any_of(faults_, [&](const Placed& old) { return holds_all_of(old.fault, fault); }))
    return false;
  std::erase_if(faults_, [&](const Placed& old) { return holds_all_of(fault, old.fault); });
  faults_.push_back({fault, seed, {}, {}});
  return true;
}

// Numbers the blocks of the memory by the mapping, and after them those of parity.
std::uint64_t FaultOverlay::number(const BlockLocation& block) const {
  const DramGeometry& g = mapping_.geometry();
  if (block.row < g.rows) return mapping_.block_at(block);
  std::uint64_t number = block.row;
  number = number * g.ranks + block.rank;
  number = number * g.banks + block.bank;
  number = number * g.columns + block.column;
  return number * g.channels + block.channel;
}

std::uint64_t FaultOverlay::covered_blocks(const MemoryFault& fault) const {
  const DramGeometry& g = mapping_.geometry();
  return std::uint64_t{has_bank(fault.kind) ? 1 : g.banks} * (has_row(fault.kind) ? 1 : rows_) *
         (has_column(fault.kind) ? 1 : g.columns);
}

bool FaultOverlay::errors(const BlockLocation& block, MemoryBlock& pattern) const {
  bool any = false;
  for (const Placed& placed : faults_) {
    if (!covers(placed.fault, block)) continue;
    const std::uint64_t at = number(block);
    if (placed.healed.contains(at)) continue;
    any = true;
    Random random(Random(placed.seed).at(at));
    pattern ^= draw_fault(profile_, shape(placed.fault.kind), placed.fault.chip, placed.fault.bit, random);
  }
  return any;
}

std::array<OnDieWord, ddr5_chips> FaultOverlay::die_words(const BlockLocation& block) const {
  std::array<OnDieWord, ddr5_chips> words{};
  for (const Placed& placed : faults_) {
    if (!covers(placed.fault, block)) continue;
    const std::uint64_t at = number(block);
    if (placed.healed.contains(at)) continue;
    Random random(Random(placed.seed).at(at));
    const OnDieWord wrong = draw_wrong_word(ddr5_bits(placed.fault), random);
    OnDieWord& word = words[placed.fault.chip];
    word.delivered ^= wrong.delivered;
    word.other ^= wrong.other;
    word.check ^= wrong.check;
  }
  return words;
}

OnDieCounts FaultOverlay::errors(const BlockLocation& block, Ddr5Block& pattern, bool on_die) const {
  const std::array<OnDieWord, ddr5_chips> words = die_words(block);
  OnDieCounts counts;
  for (unsigned chip = 0; chip < ddr5_chips; ++chip) {
    OnDieWord word = words[chip];
    if (on_die) on_die_code.decode(word);
    counts.corrected += word.delivered == 0 && words[chip].delivered != 0;
    counts.miscorrected += (word.delivered & ~words[chip].delivered) != 0;
    pattern.chips[chip] ^= word.delivered;
  }
  return counts;
}

DieWordErrors FaultOverlay::die_errors(const BlockLocation& block) const {
  DieWordErrors found;
  const std::array<OnDieWord, ddr5_chips> words = die_words(block);
  for (unsigned chip = 0; chip < ddr5_chips; ++chip) {
    OnDieWord word = words[chip];
    if (word == OnDieWord{}) continue;
    on_die_code.decode(word);
    (word == OnDieWord{} ? found.corrected : found.left) |= 1u << chip;
  }
  return found;
}

void FaultOverlay::rewritten_on_die(const BlockLocation& block, std::uint32_t chips) {
  for (Placed& placed : faults_)
    if (placed.fault.persistence == Persistence::transient && covers(placed.fault, block) &&
        (chips >> placed.fault.chip & 1) != 0)
      placed.healed.insert(number(block));
  erase_healed();
}

// The least word whose parts are within those that a fault covers: as the first one up to the part that is
// too small or too large, which is raised, or one before it.
std::optional<std::uint64_t> FaultOverlay::next_die_word(const DieWords& words, std::uint64_t from) const {
  const BlockLocation start = words.first_block(from);
  std::optional<std::uint64_t> next;
  for (const Placed& placed : faults_) {
    const MemoryFault& fault = placed.fault;
    struct Range {
      std::uint32_t first, last, value;
    };
    const auto range = [](bool is_fixed, std::uint32_t fixed, std::uint32_t size, std::uint32_t value) {
      return is_fixed ? Range{fixed, fixed, value} : Range{0, size - 1, value};
    };
    std::array<Range, 3> parts = {
        range(has_bank(fault.kind), fault.at.bank, words.banks, start.bank),
        range(has_row(fault.kind), fault.at.row, rows_, start.row),
        range(has_column(fault.kind), fault.at.column / 2, words.of_row, start.column / 2)};
    std::size_t kept = 0;
    while (kept < 3 && parts[kept].value >= parts[kept].first && parts[kept].value <= parts[kept].last)
      ++kept;
    if (kept < 3 && parts[kept].value > parts[kept].last) {
      while (kept > 0 && parts[kept - 1].value == parts[kept - 1].last) --kept;
      if (kept == 0) continue;
      ++parts[kept - 1].value;
    }
    for (std::size_t i = kept; i < 3; ++i) parts[i].value = parts[i].first;
    const std::uint64_t word =
        (std::uint64_t{parts[0].value} * words.rows + parts[1].value) * words.of_row + parts[2].value;
    if (!next || word < *next) next = word;
  }
  return next;
}

bool FaultOverlay::touches(const BlockLocation& block) const {
  return std::any_of(faults_.begin(), faults_.end(), [&](const Placed& placed) {
    return covers(placed.fault, block) && (placed.healed.empty() || !placed.healed.contains(number(block)));
  });
}

bool FaultOverlay::touches_stuck(const BlockLocation& block) const {
  return std::ranges::any_of(faults_, [&](const Placed& placed) {
    return placed.fault.persistence == Persistence::stuck && covers(placed.fault, block);
  });
}

// Finds the least number from `block` on whose parts agree with those that the fault fixes: keep the leading
// parts of `block` as far as they fit, raise the last free part that can be raised if the first misfit is too
// high, and take the least value for all following parts. Downwards every part is counted from its end.
std::optional<std::uint64_t> FaultOverlay::covered(const MemoryFault& fault, std::uint64_t block,
                                                   Direction direction) const {
  const BlockLocation from = mapping_.locate(block);
  std::array<std::uint32_t, 5> digits{};  // of the answer
  std::array<std::optional<std::uint32_t>, 5> fixed{};
  const auto flipped = [&](std::size_t i, std::uint32_t digit) {
    return direction == Direction::up ? digit : parts_[i].size - 1 - digit;
  };
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto member = parts_[i].member;
    digits[i] = flipped(i, from.*member);
    const bool is_free = (member == &BlockLocation::bank && !has_bank(fault.kind)) ||
                         (member == &BlockLocation::row && !has_row(fault.kind)) ||
                         (member == &BlockLocation::column && !has_column(fault.kind));
    if (is_free) continue;
    if (fault.at.*member >= parts_[i].size) return std::nullopt;  // a parity row
    fixed[i] = flipped(i, fault.at.*member);
  }
  std::size_t misfit = 0;
  while (misfit < digits.size() && (!fixed[misfit] || *fixed[misfit] == digits[misfit])) ++misfit;
  if (misfit == digits.size()) return block;
  std::size_t kept = misfit;
  if (*fixed[misfit] < digits[misfit]) {
    do {
      if (kept == 0) return std::nullopt;
      --kept;
    } while (fixed[kept] || digits[kept] + 1 == parts_[kept].size);
    ++digits[kept++];
  }
  for (std::size_t i = kept; i < digits.size(); ++i) digits[i] = fixed[i].value_or(0);
  BlockLocation found;
  for (std::size_t i = 0; i < digits.size(); ++i) found.*parts_[i].member = flipped(i, digits[i]);
  return mapping_.block_at(found);
}

std::optional<std::uint64_t> FaultOverlay::touched(const Placed& placed, std::uint64_t block,
                                                   Direction direction) const {
  auto at = covered(placed.fault, block, direction);
  while (at && placed.healed.contains(*at)) {
    const auto behind = direction == Direction::up ? std::optional(placed.healed.next_outside(*at))
                                                   : placed.healed.previous_outside(*at);
    if (!behind || *behind >= mapping_.geometry().blocks()) return std::nullopt;
    at = covered(placed.fault, *behind, direction);
  }
  return at;
}

std::optional<std::uint64_t> FaultOverlay::next_touched(std::uint64_t block) const {
  std::optional<std::uint64_t> next;
  if (block >= mapping_.geometry().blocks()) return next;
  for (const Placed& placed : faults_)
    if (const auto at = touched(placed, block, Direction::up); at && (!next || *at < *next)) next = at;
  return next;
}

std::optional<std::uint64_t> FaultOverlay::previous_touched(std::uint64_t block) const {
  std::optional<std::uint64_t> previous;
  for (const Placed& placed : faults_)
    if (const auto at = touched(placed, block, Direction::down); at && (!previous || *at > *previous))
      previous = at;
  return previous;
}

bool FaultOverlay::written(const BlockLocation& block, unsigned first, unsigned count) {
  bool healed = false;
  const std::uint64_t at = faults_.empty() ? 0 : number(block);
  for (Placed& placed : faults_) {
    if (placed.fault.persistence == Persistence::stuck || !covers(placed.fault, block)) continue;
    if (placed.healed.contains(at) || !placed.pieces.complete(at, first, count)) continue;
    placed.healed.insert(at);
    healed = true;
  }
  if (healed) erase_healed();
  return healed;
}

void FaultOverlay::erase_healed() {
  std::erase_if(faults_, [&](const Placed& placed) {
    return !placed.healed.empty() && placed.healed.size() == covered_blocks(placed.fault);
  });
}

void FaultOverlay::reset(Reset kind) {
  if (kind == Reset::warm) return;
  std::erase_if(faults_, [&](const Placed& placed) {
    return kind == Reset::cold || placed.fault.persistence == Persistence::transient;
  });
  if (kind == Reset::cold) injected_ = 0;
}

}  // namespace asterism
