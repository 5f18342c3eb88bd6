// The table of symbols that a kernel of Linux has within itself (CONFIG_KALLSYMS), found in its Image and
// decoded. Linux prints it in /proc/kallsyms.
//
// The parts of the table, each aligned to 8 bytes (scripts/kallsyms.c of Linux; read in 6.1 and later):
//
//   addresses     of each symbol, ascending: 32-bit offsets from a base (CONFIG_KALLSYMS_BASE_RELATIVE), or
//                 64-bit addresses
//   base          64 bits, which the boot code relocates; in the Image it may be 0
//   num_syms      the number of symbols
//   names         of each symbol: the length in bytes (one byte, or two if it has bit 7), and as many tokens
//   markers       where in `names` each 256th symbol is
//   seqs_of_names since Linux 6.2: the order of the names; of no use here
//   token_table   256 strings that end with a zero; joined, a symbol's tokens are its type and its name
//   token_index   where in `token_table` each token is, in 16 bits
//
// Since Linux 6.4 the addresses and the base come behind token_index. Nothing in an Image says where these
// parts are. They are found because they fit each other: 256 ascending offsets at which strings begin, and
// markers at which names begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace asterism {

struct KernelSymbol {
  std::uint64_t address;
  char type;  // as nm has it: t, T, w and W are in code
  std::string name;

  bool is_code() const { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }
  bool operator==(const KernelSymbol&) const = default;
};

// In the order of the table. Addresses count from a place in the kernel that the table does not say. Empty if
// the Image has no such table, or a damaged one.
std::vector<KernelSymbol> find_kallsyms(std::span<const std::byte> image);

}  // namespace asterism
