// What the benchmarks of the core run: endless loops, and qemu-aarch64, on which they run too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace asterism {

inline constexpr std::uint64_t memory_base = 0x4000'0000, memory_size = 16 << 20;

// x9 counts turns down from a value that is never reached, x10 and x11 are the addresses of a source and a
// target.
struct Program {
  std::string name;
  std::vector<std::uint32_t> words;
  double instructions_a_turn = 0;  // where qemu-aarch64 runs it
};

// Integer, copy and floating-point loops.
extern const std::vector<Program> loops;
// A loop for each class of instructions.
extern const std::vector<Program> classes;
// Loads and stores in two areas of 64 pages, with the MMU on and 4 KiB pages (an identity map in these
// tables). A TLB that is indexed by the page's low bits holds the first pair of areas, and not the other.
extern const std::vector<Program> paged;
inline constexpr std::uint64_t tables_base = memory_base + (12 << 20);
std::vector<std::uint64_t> identity_tables();

std::vector<std::uint32_t> with_prologue(const Program& program);

// qemu-aarch64 in user mode, on an ELF file made for it; 0 where it is not installed.
double qemu_mips(const Program& program, std::uint64_t instructions);

}  // namespace asterism
