// The symbols of a kernel of Linux, at the physical addresses at which LinuxImage has placed it.
//
// They are those that the kernel has within itself (kallsyms.h), or of a file: a System.map, what
// /proc/kallsyms of that kernel printed, or its vmlinux. All of these have other addresses: those of the
// link, or those of a run, which KASLR has moved. They are placed by the first instruction of the Image, a
// branch to the function primary_entry (before Linux 5.8: stext).
//
// Physical addresses hold in any run, whatever KASLR chooses. A core's translation of an address says
// whether it is in the kernel: FunctionSymbols.
//
// Errors: ConfigError names the file and what is wrong with it (another format, without addresses, of another
// kernel); InputMissing if it cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "platform/firmware/kallsyms.h"
#include "platform/firmware/segment.h"

namespace asterism {

class KernelSymbols {
 public:
  KernelSymbols() = default;  // none
  // Of the kernel itself; none if it has no table that is sound.
  explicit KernelSymbols(const Segment& kernel);
  static KernelSymbols load(const std::string& file, const Segment& kernel);
  static KernelSymbols parse(std::span<const std::byte> bytes, const std::string& file,
                             const Segment& kernel);

  bool empty() const { return symbols_.empty(); }
  // Within the kernel. Ascending; of the names of an address the kernel's own choice is first: no weak one,
  // no label of the linker's script, and the fewest underscores before it.
  const std::vector<KernelSymbol>& all() const { return symbols_; }
  AddressRange kernel() const { return kernel_; }
  std::optional<Address> find(std::string_view name) const;

  // An ELF file for GDB that has nothing but the symbols, with the kernel's first byte at `base`.
  std::vector<std::byte> elf_file(std::uint64_t base) const;

 private:
  KernelSymbols(std::vector<KernelSymbol> symbols, const Segment& kernel);

  std::vector<KernelSymbol> symbols_;
  AddressRange kernel_{Address(0), Bytes(0)};
};

}  // namespace asterism
