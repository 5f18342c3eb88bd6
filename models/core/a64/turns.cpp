#include "core/a64/turns.h"

#include <algorithm>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

// What is passed on this often within so many turns is by lines, or in turn, for so many.
constexpr std::uint32_t too_often = 4, window = 64, in_turn_for = 1024, by_lines_for = 16'384;
// A page by lines that is claimed more often than by one of so many instructions is better off in turn.
constexpr std::uint32_t instructions_per_claim = 200, claims_at_once = 256;

// What is looked for page by page.
constexpr Bytes few_pages = 1_MiB;

}  // namespace

void Turns::join(Cpu& cpu) {
  if (cpus_.size() <= cpu.core) cpus_.resize(cpu.core + std::size_t{1});
  cpus_[cpu.core] = &cpu;
  cpu.memory.share(*this, cpu.core);
}

void Turns::leave(Cpu& cpu) {
  cpu.lead->take_back();
  cpus_[cpu.core] = nullptr;
}

Right* Turns::rights(std::uint64_t physical) {
  const std::scoped_lock held(mutex_);
  auto& chunk = chunks_[physical / (Memory::page_size * chunk_pages)];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return chunk->data();
}

Claimed Turns::claim_ahead(Right& right, unsigned core, bool to_store) {
  std::uint32_t owner = right.owner.load(std::memory_order_acquire);
  if (owner == Right::of(core) || (owner == Right::everybody && !to_store)) return Claimed::lasting;
  if (owner == Right::by_lines) return Claimed::by_lines;
  const bool taken = owner == Right::nobody &&
                     right.owner.compare_exchange_strong(owner, Right::of(core), std::memory_order_acq_rel);
  return taken ? Claimed::lasting : Claimed::refused;
}

Claimed Turns::claim(Right& page, std::uint64_t physical, unsigned core, bool to_store) {
  Claimed claimed = claim_ahead(page, core, to_store);
  if (claimed == Claimed::lasting) return claimed;
  const std::uint32_t owner = page.owner.load(std::memory_order_acquire), age = turns_ - page.since;
  if (owner == Right::in_turn && age < in_turn_for) return Claimed::until_lead;
  if (owner == Right::by_lines && age < by_lines_for) {
    if (++page.often < claims_at_once + std::uint64_t{age} * length_ / instructions_per_claim)
      return Claimed::by_lines;
    take_page_from_all(physical);
    page.since = turns_;
    page.owner = Right::in_turn;
    return Claimed::until_lead;
  }
  if (owner == Right::in_turn || owner == Right::by_lines) {
    take_page_from_all(physical);
    page.since = turns_, page.often = 0;
    page.owner = Right::of(core);
  } else if (is_passed_too_often(page)) {
    divide(page, physical);
    return Claimed::by_lines;
  } else {
    pass_on(page, core, to_store, [&](Cpu& cpu, bool stores_only) { take_page(cpu, physical, stores_only); });
  }
  return Claimed::lasting;
}

void Turns::claim_line(Right& line, std::uint64_t physical, unsigned core, bool to_store) {
  if (claim_ahead(line, core, to_store) == Claimed::lasting) return;
  const bool was_in_turn = line.owner == Right::in_turn;
  if (was_in_turn && turns_ - line.since < in_turn_for) return;
  const auto take = [&](Cpu& cpu, bool stores_only) { take_line(cpu, physical, stores_only); };
  if (was_in_turn) {
    line.since = turns_, line.often = 0;
    line.owner = Right::of(core);
  } else if (is_passed_too_often(line)) {
    for_others(core, [&](Cpu& cpu) { take(cpu, false); });
    line.since = turns_;
    line.owner = Right::in_turn;
  } else {
    pass_on(line, core, to_store, take);
  }
}

// From one core to another, or between one and everybody. Notes that.
bool Turns::is_passed_too_often(Right& right) const {
  if (turns_ - right.since > window) right.since = turns_, right.often = 0;
  return ++right.often >= too_often;
}

template <class Take>
void Turns::pass_on(Right& right, unsigned core, bool to_store, Take take) {
  const std::uint32_t owner = right.owner;
  if (owner == Right::everybody)
    for_others(core, [&](Cpu& cpu) { take(cpu, false); });
  else
    take(*cpus_[owner - 1], !to_store);
  right.owner = to_store ? Right::of(core) : Right::everybody;
}

void Turns::divide(Right& page, std::uint64_t physical) {
  take_page_from_all(physical);
  if (!page.lines) page.lines = divided_.emplace_back().data();
  for (std::uint64_t line = 0; line < Memory::page_size / Memory::line; ++line)
    page.lines[line].owner = Right::nobody, page.lines[line].often = 0;
  page.since = turns_, page.often = 0;
  page.owner = Right::by_lines;
}

template <class F>
void Turns::for_others(unsigned core, F f) {
  for (Cpu* cpu : cpus_)
    if (cpu && cpu->core != core) f(*cpu);
}

void Turns::take_page(Cpu& cpu, std::uint64_t physical, bool stores_only) {
  cpu.lead->settle();
  if (stores_only ? cpu.memory.has_stored_ahead(physical) : cpu.memory.has_touched(physical))
    cpu.lead->take_back();
  cpu.memory.lose(physical, stores_only);
}

void Turns::take_line(Cpu& cpu, std::uint64_t physical, bool stores_only) {
  cpu.lead->settle();
  if (cpu.memory.has_touched_line(physical, stores_only)) cpu.lead->take_back();
}

void Turns::take_page_from_all(std::uint64_t physical) {
  for (Cpu* cpu : cpus_)
    if (cpu) take_page(*cpu, physical, false);
}

void Turns::give_way(AddressRange range, bool to_store) {
  if (range.size == Bytes(0) || outstanding_ == 0) return;
  if (range.size > few_pages) return take_all_back();
  for (Cpu* cpu : cpus_)
    if (cpu) cpu->lead->settle();
  for (Cpu* cpu : cpus_) {
    if (!cpu || !cpu->lead->is_outstanding()) continue;
    const std::uint64_t first = range.first.value() / Memory::page_size,
                        last = range.last().value() / Memory::page_size;
    for (std::uint64_t page = first; page <= last && cpu->lead->is_outstanding(); ++page)
      if (to_store ? cpu->memory.has_touched(page * Memory::page_size)
                   : cpu->memory.has_stored_ahead(page * Memory::page_size))
        cpu->lead->take_back();
  }
}

void Turns::settle(unsigned core) { cpus_[core]->lead->settle(); }

bool Turns::is_done(unsigned core) const { return cpus_[core]->lead->is_done(); }

void Turns::take_all_back() {
  for (Cpu* cpu : cpus_)
    if (cpu) cpu->lead->take_back();
}

void Turns::report(Statistics& statistics) const {
  statistics.add("leads", count.leads);
  statistics.add("leads_taken_back", count.taken_back);
  statistics.add("instructions_ahead", count.instructions);
}

}  // namespace asterism::a64
