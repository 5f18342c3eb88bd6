#include "core/a64/memory.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace asterism::a64 {

// ---- direct memory ----

void Memory::map(AddressRange range, std::uint8_t* host, bool is_shown) {
  const std::uint64_t first = (range.first.value() + page_size - 1) & page_mask;
  const std::uint64_t end = (range.first.value() + range.size.count()) & page_mask;
  if (first >= end) return;
  unmap({Address(first), Bytes(end - first)});
  grants_.push_back({first, end - 1, host + (first - range.first.value()), is_shown});
  flush();
}

void Memory::unmap(AddressRange range) {
  const std::uint64_t first = range.first.value(), size = range.size.count();
  if (size == 0) return;
  const std::uint64_t last = size - 1 > ~first ? ~std::uint64_t{0} : first + (size - 1);
  std::vector<Grant> kept;
  for (const Grant& grant : grants_) {
    if (grant.last < first || grant.first > last) {
      kept.push_back(grant);
      continue;
    }
    if (grant.first < first) kept.push_back({grant.first, first - 1, grant.host, grant.is_shown});
    if (grant.last > last)
      kept.push_back({last + 1, grant.last, grant.host + (last + 1 - grant.first), grant.is_shown});
  }
  grants_ = std::move(kept);
  flush();
}

const Memory::Grant* Memory::grant_at(std::uint64_t physical) const {
  for (const Grant& grant : grants_)
    if (grant.first <= physical && physical <= grant.last) return &grant;
  return nullptr;
}

std::optional<Memory::Direct> Memory::direct(std::uint64_t physical) {
  const Grant* grant = grant_at(physical);
  if (!grant) {
    host_.touch(Address(physical));
    grant = grant_at(physical);
  }
  if (!grant) return std::nullopt;
  return Direct{grant->host + (physical - grant->first), &info(physical), grant->is_shown};
}

PageInfo& Memory::info(std::uint64_t physical) {
  auto& chunk = chunks_[physical / chunk_size];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return (*chunk)[physical % chunk_size / page_size];
}

void Memory::set_code_lines(std::uint64_t physical_page, std::uint64_t lines) {
  PageInfo& page = info(physical_page);
  if (page.code == 0 && lines != 0)
    for (Tlb& tlb : tlbs_)
      for (TlbEntry& entry : tlb)
        if (entry.info == &page) entry.write_tag = TlbEntry::none;
  page.code = lines;
}

void Memory::collect_writes(AddressRange range, WriteObserver& observer) {
  for (auto& [number, chunk] : chunks_)
    for (std::size_t at = 0; at < chunk->size(); ++at) {
      const Address page(number * chunk_size + at * page_size);
      PageInfo& info = (*chunk)[at];
      if (info.dirty == 0 || !range.overlaps({page, Bytes(page_size)})) continue;
      observer.written(page, std::exchange(info.dirty, 0));
    }
}

// ---- translation ----

Memory::Result Memory::translate(std::uint64_t address, Access, unsigned exception_level) {
  TlbEntry& entry = tlbs_[exception_level][address / page_size % tlb_entries];
  if (entry.page != (address & page_mask)) fill(entry, address);
  return {{entry.physical | address % page_size, 0}, {}};
}

void Memory::fill(TlbEntry& entry, std::uint64_t address) {
  entry = {};
  entry.page = entry.physical = address & page_mask;
  const auto memory = direct(entry.physical);
  if (!memory || memory->is_shown) return;
  entry.info = memory->info;
  entry.addend = reinterpret_cast<std::uintptr_t>(memory->host) - entry.page;
  entry.read_tag = entry.page;
  if (memory->info->code == 0) entry.write_tag = entry.page;
}

void Memory::flush() {
  for (Tlb& tlb : tlbs_) tlb.fill({});
}

}  // namespace asterism::a64
