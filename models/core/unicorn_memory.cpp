#include "core/unicorn_memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace asterism {
namespace {

constexpr std::uint64_t piece_size = 16 << 20;
constexpr std::uint64_t window_size = 64 << 10;
constexpr std::size_t max_windows = 64;

void require(uc_err error, const char* what) {
  if (error != UC_ERR_OK) throw std::runtime_error(std::string(what) + ": " + uc_strerror(error));
}

// The aligned block of `size` around an address, clipped to a range.
AddressRange block_around(std::uint64_t address, std::uint64_t size, const AddressRange& within) {
  const std::uint64_t first = std::max(address & ~(size - 1), within.first.value());
  const std::uint64_t last = std::min(address | (size - 1), within.last().value());
  return {Address(first), Bytes(last - first + 1)};
}

}  // namespace

void UnicornMemory::add_direct(AddressRange range, std::uint8_t* host, bool is_shown) {
  const std::uint64_t first = (range.first.value() + page - 1) & ~(page - 1);
  const std::uint64_t skipped = first - range.first.value();
  if (range.size.count() < skipped + page) return;
  const AddressRange pages{Address(first), Bytes((range.size.count() - skipped) & ~(page - 1))};
  const Direct* known = direct_at(first);
  const bool is_known = known && known->range.contains(pages.first, pages.size) &&
                        known->host + (pages.first - known->range.first).count() == host + skipped &&
                        known->is_shown == is_shown;
  if (!is_known) {
    remove_direct(pages);
    granted_.push_back({pages, host + skipped, is_shown});
  }
  for (const auto& window : windows_)
    stale_windows_ |= pages.overlaps({Address(window->base), Bytes(window->size)});
}

void UnicornMemory::remove_direct(AddressRange range) {
  if (range.size.count() == 0) return;
  // By whole pieces: the next piece at these addresses may be given the same place inside Unicorn.
  for (const Direct& piece : mapped_)
    if (piece.range.overlaps(range)) drop_code(piece.range);
  std::erase_if(mapped_, [&](const Direct& piece) {
    if (!piece.range.overlaps(range)) return false;
    uc_mem_unmap(uc_, piece.range.first.value(), piece.range.size.count());
    return true;
  });
  // What remains of a grant on both sides of the range keeps its whole pages.
  std::vector<Direct> rest;
  std::erase_if(granted_, [&](const Direct& grant) {
    if (!grant.range.overlaps(range)) return false;
    if (grant.range.first < range.first) {
      const Bytes below((range.first - grant.range.first).count() & ~(page - 1));
      if (below.count() != 0) rest.push_back({{grant.range.first, below}, grant.host, grant.is_shown});
    }
    if (range.last() < grant.range.last()) {
      const std::uint64_t from = (range.last().value() | (page - 1)) + 1;
      if (from != 0 && Address(from) <= grant.range.last())
        rest.push_back({{Address(from), Bytes(grant.range.last().value() - from + 1)},
                        grant.host + (from - grant.range.first.value()),
                        grant.is_shown});
    }
    return true;
  });
  granted_.insert(granted_.end(), rest.begin(), rest.end());
}

const UnicornMemory::Direct* UnicornMemory::direct_at(std::uint64_t address) const {
  for (const Direct& grant : granted_)
    if (grant.range.contains(Address(address))) return &grant;
  return nullptr;
}

bool UnicornMemory::map_direct_at(std::uint64_t address) {
  const Direct* grant = direct_at(address);
  if (!grant || mapped_host(address)) return false;
  const AddressRange piece = block_around(address, piece_size, grant->range);
  std::uint8_t* host = grant->host + (piece.first - grant->range.first).count();
  drop_windows(piece);
  require(uc_mem_map_ptr(uc_, piece.first.value(), piece.size.count(), UC_PROT_ALL, host),
          "mapping direct memory");
  mapped_.push_back({piece, host, grant->is_shown});
  return true;
}

void UnicornMemory::map_bus_at(std::uint64_t address) {
  AddressRange block{Address(address & ~(window_size - 1)), Bytes(window_size)};
  const auto overlaps = [&](AddressRange other) { return other.overlaps(block); };
  const bool beside_direct = std::any_of(granted_.begin(), granted_.end(),
                                         [&](const Direct& grant) { return overlaps(grant.range); });
  const bool beside_window = std::any_of(windows_.begin(), windows_.end(), [&](const auto& window) {
    return overlaps({Address(window->base), Bytes(window->size)});
  });
  if (beside_direct || beside_window) block = {Address(address & ~(page - 1)), Bytes(page)};
  if (windows_.size() == max_windows) {
    uc_mem_unmap(uc_, windows_.front()->base, windows_.front()->size);
    windows_.pop_front();
  }
  auto window = std::make_unique<Window>(Window{this, block.first.value(), block.size.count()});
  require(uc_mmio_map(uc_, window->base, window->size, on_load, window.get(), on_store, window.get()),
          "mapping the bus");
  windows_.push_back(std::move(window));
}

bool UnicornMemory::is_mapped(std::uint64_t address) const {
  return mapped_host(address) || std::any_of(windows_.begin(), windows_.end(), [&](const auto& window) {
           return address - window->base < window->size;
         });
}

void UnicornMemory::drop_windows(AddressRange range) {
  std::erase_if(windows_, [&](const auto& window) {
    if (!range.overlaps({Address(window->base), Bytes(window->size)})) return false;
    uc_mem_unmap(uc_, window->base, window->size);
    return true;
  });
}

void UnicornMemory::drop_stale_windows() {
  for (const Direct& grant : granted_) drop_windows(grant.range);
  stale_windows_ = false;
}

// Not by Unicorn's flush of all code: on 2.0.1 that clears the whole buffer of 1 GiB.
void UnicornMemory::drop_code(AddressRange range) {
  // Unicorn looks the range up by its first address as the guest's MMU sees it. Only the identity is mapped,
  // but not all of it, nor for execution: the MMU is off meanwhile.
  constexpr std::uint64_t sctlr_mmu = 1;
  uc_arm64_cp_reg sctlr{.crn = 1, .crm = 0, .op0 = 3, .op1 = 0, .op2 = 0, .val = 0};
  uc_reg_read(uc_, UC_ARM64_REG_CP_REG, &sctlr);
  const bool mmu = sctlr.val & sctlr_mmu;
  if (mmu) {
    sctlr.val &= ~sctlr_mmu;
    uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &sctlr);
    flush_tlb();
  }
  for (const Direct& piece : mapped_) {
    if (!piece.range.overlaps(range)) continue;
    const Address first = std::max(piece.range.first, range.first);
    const Address last = std::min(piece.range.last(), range.last());
    uc_ctl_remove_cache(uc_, first.value(), last.value() + 1);
  }
  if (mmu) {
    sctlr.val |= sctlr_mmu;
    uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &sctlr);
    flush_tlb();
  }
}

void UnicornMemory::flush_tlb() {
  // Mapping anything flushes; no other call does on every version.
  std::uint64_t address = ~std::uint64_t{0} << 20;
  while (uc_mmio_map(uc_, address, page, on_load, nullptr, on_store, nullptr) != UC_ERR_OK) address -= page;
  uc_mem_unmap(uc_, address, page);
}

const std::uint8_t* UnicornMemory::mapped_host(std::uint64_t address) const {
  for (const Direct& piece : mapped_)
    if (piece.range.contains(Address(address))) return piece.host + (address - piece.range.first.value());
  return nullptr;
}

std::uint64_t UnicornMemory::on_load(uc_engine*, std::uint64_t offset, unsigned size, void* window) {
  const auto& self = *static_cast<Window*>(window);
  return self.memory->bus_.bus_load(self.base + offset, size);
}

void UnicornMemory::on_store(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value,
                             void* window) {
  const auto& self = *static_cast<Window*>(window);
  self.memory->bus_.bus_store(self.base + offset, size, value);
}

}  // namespace asterism
