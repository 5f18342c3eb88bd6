#include "core/a64/turns.h"

#include <algorithm>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

// A page that is passed on this often within so many turns is touched in turn, for so many.
constexpr std::uint32_t too_often = 4, window = 64, in_turn_for = 1024;

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

Turns::Chunk& Turns::chunk(std::uint64_t physical) {
  const std::scoped_lock held(mutex_);
  auto& chunk = chunks_[physical / (page_size * chunk_pages)];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return *chunk;
}

Turns::Right* Turns::rights(std::uint64_t physical) { return chunk(physical).rights.data(); }

bool Turns::claim_ahead(Right& right, unsigned core, bool to_store) {
  std::uint32_t now = right.load(std::memory_order_acquire);
  if (now == right_of(core) || (now == everybody && !to_store)) return true;
  return now == nobody && right.compare_exchange_strong(now, right_of(core), std::memory_order_acq_rel);
}

bool Turns::claim(Right& right, std::uint64_t physical, unsigned core, bool to_store) {
  std::uint32_t now = right.load(std::memory_order_acquire);
  if (now == right_of(core) || (now == everybody && !to_store)) return true;
  if (now == nobody && right.compare_exchange_strong(now, right_of(core), std::memory_order_acq_rel))
    return true;
  if (now == right_of(core)) return true;
  if (is_passed_too_often(physical)) {
    if (now != in_turn) {
      take_from_all(physical, core);
      right.store(in_turn, std::memory_order_release);
    }
    return false;
  }
  if (!to_store && now != in_turn) {
    take_from(*cpus_[now - 1], physical, true);
    right.store(everybody, std::memory_order_release);
    return true;
  }
  if (now == in_turn || now == everybody)
    take_from_all(physical, core);
  else
    take_from(*cpus_[now - 1], physical, false);
  right.store(right_of(core), std::memory_order_release);
  return true;
}

// Called when it is passed on; notes that.
bool Turns::is_passed_too_often(std::uint64_t physical) {
  Chunk::Passed& passed = chunk(physical).passed[physical / page_size % chunk_pages];
  const bool was_too_often = passed.often >= too_often;
  if (was_too_often && turns_ - passed.since < in_turn_for) return true;
  if (was_too_often || turns_ - passed.since > window) passed = {turns_, 0};
  if (++passed.often < too_often) return false;
  passed.since = turns_;
  return true;
}

void Turns::take_from(Cpu& cpu, std::uint64_t physical, bool stores_only) {
  cpu.lead->settle();
  const bool has_used =
      stores_only ? cpu.memory.has_stored_ahead(physical) : cpu.memory.has_touched(physical);
  if (has_used) cpu.lead->take_back();
  cpu.memory.lose(physical, stores_only);
}

void Turns::take_from_all(std::uint64_t physical, unsigned but) {
  for (Cpu* cpu : cpus_)
    if (cpu && cpu->core != but) take_from(*cpu, physical, false);
}

void Turns::give_way(AddressRange range, bool to_store) {
  if (range.size == Bytes(0)) return;
  for (Cpu* cpu : cpus_)
    if (cpu) cpu->lead->settle();
  for (Cpu* cpu : cpus_) {
    if (!cpu || !cpu->lead->is_outstanding()) continue;
    const std::uint64_t first = range.first.value() / page_size, last = range.last().value() / page_size;
    for (std::uint64_t page = first; page <= last && cpu->lead->is_outstanding(); ++page)
      if (to_store ? cpu->memory.has_touched(page * page_size)
                   : cpu->memory.has_stored_ahead(page * page_size))
        cpu->lead->take_back();
  }
}

void Turns::settle(unsigned core) { cpus_[core]->lead->settle(); }

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
