// The programs of the core's benchmarks: endless loops, and the means to run them on qemu-aarch64 too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace asterism {

inline constexpr std::uint64_t memory_base = 0x4000'0000, memory_size = 16 << 20;

// x9 counts the iterations down from a value so large that 0 is never reached; x10 and x11 are the addresses
// of a source and a target.
struct Program {
  std::string name;
  std::vector<std::uint32_t> words;
  double instructions_per_iteration = 0;  // set if qemu-aarch64 runs the program
};

// Integer, copy and floating-point loops.
extern const std::vector<Program> loops;
// A loop for each class of instructions.
extern const std::vector<Program> classes;
// Loads and stores in two areas of 64 pages, with the MMU on and 4 KiB pages (an identity map in these
// tables). A TLB that is indexed by the page's low bits can hold the first pair of areas, but not the other.
extern const std::vector<Program> paged;
inline constexpr std::uint64_t tables_base = memory_base + (12 << 20);
std::vector<std::uint64_t> identity_tables();

std::vector<std::uint32_t> with_prologue(const Program& program);

// The speed of QEMU on an ELF file made for it: in user mode, and as a machine that counts instructions
// (icount); 0 if it is not installed.
double qemu_mips(const Program& program, std::uint64_t instructions);
double qemu_system_mips(const Program& program, std::uint64_t instructions);

}  // namespace asterism
