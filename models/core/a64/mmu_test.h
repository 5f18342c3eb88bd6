// The fixture of tests with the MMU on: 4 KiB pages, 39 bits of address in the lower half. The program, the
// vectors and 32 KiB of data are mapped to themselves; the tables start at `tables`.
#pragma once

#include <cstring>
#include <utility>

#include "core/a64/a64_test.h"

namespace asterism::a64 {

struct MmuTest : A64Test {
  static constexpr std::uint64_t tables = code_base + 0x20'0000;
  static constexpr std::uint64_t sctlr_m = 1, sctlr_a = 2, sctlr_wxn = 1 << 19;
  static constexpr std::uint64_t tcr =
      25 | std::uint64_t{25} << 16 | std::uint64_t{2} << 30 | std::uint64_t{4} << 32;
  static constexpr std::uint64_t page = 3, block = 1, af = 1 << 10, read_only = 1 << 7, at_el0 = 1 << 6;
  static constexpr std::uint64_t uxn = 1ull << 54, pxn = 1ull << 53;
  static constexpr std::uint64_t unmapped = data_base + 0x8000;  // the first page after the data
  static constexpr std::uint64_t page_size = 4096;

  MmuTest() {
    for (std::uint64_t at = code_base; at <= vectors; at += page_size) map(at, at);
    for (std::uint64_t at = data_base; at < unmapped; at += page_size) map(at, at);
    for (const std::uint64_t vector : {0x200, 0x280, 0x380, 0x400, 0x480, 0x580})
      host.place(vectors + vector, {0x1400'0000});  // b .
  }

  std::uint64_t& word(std::uint64_t physical) {
    return *reinterpret_cast<std::uint64_t*>(host.memory.bytes + (physical - code_base));
  }
  // The descriptor of a page or, at level 2, of 2 MiB.
  std::uint64_t& descriptor(std::uint64_t address, unsigned level = 3) {
    std::uint64_t table = tables;
    for (unsigned at = 1;; ++at) {
      std::uint64_t& entry = word(table + (address >> (39 - 9 * at) & 0x1ff) * 8);
      if (at == level) return entry;
      if (entry == 0) entry = std::exchange(next_table_, next_table_ + page_size) | 3;
      table = entry & ~(page_size - 1);
    }
  }
  void map(std::uint64_t address, std::uint64_t physical, std::uint64_t attributes = 0) {
    descriptor(address) = physical | page | af | attributes;
  }

  State with_mmu(std::uint64_t x0 = 0, std::uint64_t x1 = 0, std::uint64_t x2 = 0,
                 std::uint64_t x3 = 0) const {
    State before = with(x0, x1, x2, x3);
    before.level = 1;
    before.uses_sp_el1 = true;
    before.system.tcr = tcr;
    before.system.ttbr0 = tables;
    before.system.sctlr |= sctlr_m;
    before.system.cpacr = 3 << 20;
    return before;
  }
  static State at_el0_of(State before) {
    before.level = 0;
    before.uses_sp_el1 = false;
    return before;
  }
  // Runs the words until one of them faults after `retired` instructions; the handler is a loop.
  State fault(const std::vector<std::uint32_t>& words, const State& before, std::uint64_t retired = 0) {
    return run(words, before, retired + 1);
  }

  static void expect_exception(const State& after, unsigned exception_class, std::uint32_t iss,
                               std::uint64_t elr, std::uint64_t far) {
    EXPECT_EQ(after.system.esr, esr::make(exception_class, iss)) << std::hex << after.system.esr;
    EXPECT_EQ(after.system.elr, elr) << std::hex << after.system.elr;
    EXPECT_EQ(after.system.far, far) << std::hex << after.system.far;
  }

 private:
  std::uint64_t next_table_ = tables + page_size;
};

}  // namespace asterism::a64
