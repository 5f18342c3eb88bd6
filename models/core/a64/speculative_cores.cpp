#include "core/a64/speculative_cores.h"

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

// A larger external access rolls back all speculations instead of looking at each page.
constexpr Bytes few_pages = 1_MiB;

}  // namespace

void SpeculativeCores::join(Cpu& cpu) {
  if (cpus_.size() <= cpu.core) cpus_.resize(cpu.core + std::size_t{1});
  cpus_[cpu.core] = &cpu;
  cpu.memory.join(*this, cpu.core);
}

void SpeculativeCores::leave(Cpu& cpu) {
  cpu.speculation->roll_back();
  cpus_[cpu.core] = nullptr;
}

void SpeculativeCores::before_external_access(AddressRange range, bool is_store) {
  if (range.size == Bytes(0) || outstanding_ == 0) return;
  if (range.size > few_pages) return roll_back_all();
  for (Cpu* cpu : cpus_)
    if (cpu) cpu->speculation->quiesce();
  for (Cpu* cpu : cpus_) {
    if (!cpu || !cpu->speculation->is_outstanding()) continue;
    const std::uint64_t first = range.first.value() / Memory::page_size,
                        last = range.last().value() / Memory::page_size;
    for (std::uint64_t page = first; page <= last && cpu->speculation->is_outstanding(); ++page)
      if (is_store ? cpu->memory.has_accessed(page * Memory::page_size)
                   : cpu->memory.has_stored_speculatively(page * Memory::page_size))
        cpu->speculation->roll_back();
  }
}

void SpeculativeCores::roll_back_all() {
  for (Cpu* cpu : cpus_)
    if (cpu) cpu->speculation->roll_back();
}

void SpeculativeCores::quiesce(unsigned core) { cpus_[core]->speculation->quiesce(); }

bool SpeculativeCores::has_executed(unsigned core) const { return cpus_[core]->speculation->has_executed(); }

void SpeculativeCores::report(Statistics& statistics) const {
  statistics.add("speculations", counts.speculations);
  statistics.add("rollbacks", counts.rollbacks);
  statistics.add("speculated_instructions", counts.instructions);
}

}  // namespace asterism::a64
