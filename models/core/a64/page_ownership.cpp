#include "core/a64/page_ownership.h"

#include <algorithm>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

// Ownership that is transferred this often within so many quanta is contended. It is then line-granular, or
// non-speculative, for so many quanta.
constexpr std::uint32_t max_transfers = 4, window = 64, non_speculative_for = 1024,
                        line_granular_for = 16'384;
// A line-granular page with more than one claim per so many instructions, beyond a burst, becomes
// non-speculative.
constexpr std::uint32_t instructions_per_claim = 200, claims_at_once = 256;

}  // namespace

Ownership* PageOwnership::find_pages(std::uint64_t physical) {
  const std::scoped_lock held(mutex_);
  auto& chunk = chunks_[physical / (Memory::page_size * chunk_pages)];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return chunk->data();
}

Claim PageOwnership::claim_speculatively(Ownership& ownership, unsigned core, bool is_store) {
  std::uint32_t state = ownership.state.load(std::memory_order_acquire);
  if (state == Ownership::exclusive_to(core) || (state == Ownership::shared && !is_store))
    return Claim::granted;
  if (state == Ownership::line_granular) return Claim::line_granular;
  const bool taken =
      state == Ownership::unowned && ownership.state.compare_exchange_strong(
                                         state, Ownership::exclusive_to(core), std::memory_order_acq_rel);
  return taken ? Claim::granted : Claim::denied;
}

Claim PageOwnership::claim(Ownership& page, std::uint64_t physical, unsigned core, bool is_store) {
  Claim claimed = claim_speculatively(page, core, is_store);
  if (claimed == Claim::granted) return claimed;
  const std::uint32_t state = page.state.load(std::memory_order_acquire), age = quanta_ - page.since;
  if (state == Ownership::non_speculative && age < non_speculative_for) return Claim::until_next_speculation;
  if (state == Ownership::line_granular && age < line_granular_for) {
    if (++page.events < claims_at_once + std::uint64_t{age} * length_ / instructions_per_claim)
      return Claim::line_granular;
    revoke_page_from_all(physical);
    page.since = quanta_;
    page.state = Ownership::non_speculative;
    return Claim::until_next_speculation;
  }
  if (state == Ownership::non_speculative || state == Ownership::line_granular) {
    revoke_page_from_all(physical);
    page.since = quanta_, page.events = 0;
    page.state = Ownership::exclusive_to(core);
  } else if (count_transfer(page)) {
    make_line_granular(page, physical);
    return Claim::line_granular;
  } else {
    transfer(page, core, is_store,
             [&](Cpu& cpu, bool stores_only) { revoke_page(cpu, physical, stores_only); });
  }
  return Claim::granted;
}

void PageOwnership::claim_line(Ownership& line, std::uint64_t physical, unsigned core, bool is_store) {
  if (claim_speculatively(line, core, is_store) == Claim::granted) return;
  const bool was_non_speculative = line.state == Ownership::non_speculative;
  if (was_non_speculative && quanta_ - line.since < non_speculative_for) return;
  const auto revoke = [&](Cpu& cpu, bool stores_only) { revoke_line(cpu, physical, stores_only); };
  if (was_non_speculative) {
    line.since = quanta_, line.events = 0;
    line.state = Ownership::exclusive_to(core);
  } else if (count_transfer(line)) {
    for_others(core, [&](Cpu& cpu) { revoke(cpu, false); });
    line.since = quanta_;
    line.state = Ownership::non_speculative;
  } else {
    transfer(line, core, is_store, revoke);
  }
}

// Counts a transfer from core to core, or between one core and all. True: there have been too many lately.
bool PageOwnership::count_transfer(Ownership& ownership) const {
  if (quanta_ - ownership.since > window) ownership.since = quanta_, ownership.events = 0;
  return ++ownership.events >= max_transfers;
}

template <class Revoke>
void PageOwnership::transfer(Ownership& ownership, unsigned core, bool is_store, Revoke revoke) {
  const std::uint32_t state = ownership.state;
  if (state == Ownership::shared)
    for_others(core, [&](Cpu& cpu) { revoke(cpu, false); });
  else
    revoke(*cpus_[state - 1], !is_store);
  ownership.state = is_store ? Ownership::exclusive_to(core) : Ownership::shared;
}

void PageOwnership::make_line_granular(Ownership& page, std::uint64_t physical) {
  revoke_page_from_all(physical);
  if (!page.lines) page.lines = lines_.emplace_back().data();
  for (std::uint64_t line = 0; line < Memory::page_size / Memory::line; ++line)
    page.lines[line].state = Ownership::unowned, page.lines[line].events = 0;
  page.since = quanta_, page.events = 0;
  page.state = Ownership::line_granular;
}

template <class F>
void PageOwnership::for_others(unsigned core, F f) {
  for (Cpu* cpu : cpus_)
    if (cpu && cpu->core != core) f(*cpu);
}

void PageOwnership::revoke_page(Cpu& cpu, std::uint64_t physical, bool stores_only) {
  cpu.speculation->quiesce();
  if (stores_only ? cpu.memory.has_stored_speculatively(physical) : cpu.memory.has_accessed(physical))
    cpu.speculation->roll_back();
  cpu.memory.revoke(physical, stores_only);
}

void PageOwnership::revoke_line(Cpu& cpu, std::uint64_t physical, bool stores_only) {
  cpu.speculation->quiesce();
  if (cpu.memory.has_accessed_line(physical, stores_only)) cpu.speculation->roll_back();
}

void PageOwnership::revoke_page_from_all(std::uint64_t physical) {
  for (Cpu* cpu : cpus_)
    if (cpu) revoke_page(*cpu, physical, false);
}

}  // namespace asterism::a64
