#include "platform/firmware/kernel_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>
#include <utility>

#include "platform/config/diagnostics.h"
#include "platform/firmware/elf_image.h"
#include "platform/firmware/elf_symbols.h"

namespace asterism {
namespace {

using Symbols = std::vector<KernelSymbol>;

[[noreturn]] void refuse_symbols(const std::string& file, std::string problem) {
  throw ConfigError(Diagnostic::of_file(file, std::move(problem)));
}

// ---- placement ----

constexpr std::string_view entries[] = {"primary_entry", "stext"};

bool is_entry(const KernelSymbol& symbol) {
  return std::ranges::find(entries, symbol.name) != std::end(entries);
}

// Where the kernel begins, by the branch in the first or second word of its Image.
std::optional<std::uint64_t> entry_of(const Segment& kernel) {
  for (const std::uint64_t at : {0, 4}) {
    std::uint32_t word;
    if (kernel.contents.size() < at + sizeof word) return std::nullopt;
    std::memcpy(&word, kernel.contents.data() + at, sizeof word);
    if (word >> 26 != 0b000101) continue;  // B
    const auto words = static_cast<std::int32_t>(word << 6) >> 6;
    return kernel.address.value() + at + static_cast<std::uint64_t>(std::int64_t{words} * 4);
  }
  return std::nullopt;
}

// False: it is not known where they belong.
bool place_symbols(Symbols& symbols, const Segment& kernel) {
  const auto symbol = std::ranges::find_if(symbols, is_entry);
  const auto entry = entry_of(kernel);
  if (symbol == symbols.end() || !entry) return false;
  const std::uint64_t shift = *entry - symbol->address;
  for (KernelSymbol& each : symbols) each.address += shift;
  std::erase_if(symbols, [range = kernel.range()](const KernelSymbol& each) {
    return !range.contains(Address(each.address), Bytes(1));
  });
  return true;
}

// As compare_symbols() in scripts/kallsyms.c of Linux orders them.
auto rank(const KernelSymbol& symbol) {
  const std::string_view name = symbol.name;
  const bool is_weak = symbol.type == 'w' || symbol.type == 'W';
  const bool is_of_script = name.starts_with("__start_") || name.starts_with("__stop_") ||
                            name.starts_with("__end_") ||
                            (name.starts_with("__") && (name.ends_with("_start") || name.ends_with("_end")));
  return std::tuple(symbol.address, is_weak, is_of_script,
                    std::min(name.find_first_not_of('_'), name.size()));
}

// ---- files ----

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// Lines such as "ffff800008010000 T _stext"; those of modules have the module in a fourth word.
Symbols symbols_of_list(std::string_view text, const std::string& file) {
  Symbols symbols;
  bool has_addresses = false;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view digits = next_word(line), type = next_word(line), name = next_word(line);
    std::uint64_t address = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (error != std::errc() || last != digits.data() + digits.size() || type.size() != 1 || name.empty())
      refuse_symbols(file,
                     fmt::format("line {} is not ADDRESS TYPE NAME, as in System.map or /proc/kallsyms; "
                                 "an ELF file (vmlinux) is accepted, too",
                                 number));
    has_addresses = has_addresses || address != 0;
    if (line.empty()) symbols.push_back({address, type[0], std::string(name)});
  }
  if (!has_addresses)
    refuse_symbols(file, "has no address other than 0; only root can read the addresses in /proc/kallsyms");
  return symbols;
}

Symbols symbols_of_elf(std::span<const std::byte> bytes, const std::string& file) {
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_AARCH64)
    refuse_symbols(file, "is an ELF file for another architecture, expected a vmlinux for AArch64");
  Symbols symbols;
  for (const ElfSymbol& each : elf_symbols(bytes, file)) {
    const bool is_named = each.type == STT_NOTYPE || each.type == STT_FUNC || each.type == STT_OBJECT;
    if (!is_named || each.name[0] == 0 || each.name[0] == '$') continue;
    const char type = !each.is_in_code ? 'D' : each.binding == STB_WEAK ? 'W' : 'T';
    symbols.push_back({each.value, type, each.name});
  }
  return symbols;
}

}  // namespace

KernelSymbols::KernelSymbols(Symbols symbols, const Segment& kernel)
    : symbols_(std::move(symbols)), kernel_(kernel.range()) {
  if (!place_symbols(symbols_, kernel)) symbols_.clear();
  std::ranges::stable_sort(symbols_, {}, rank);
}

KernelSymbols::KernelSymbols(const Segment& kernel) : KernelSymbols(find_kallsyms(kernel.contents), kernel) {}

KernelSymbols KernelSymbols::load(const std::string& file, const Segment& kernel) {
  return parse(ElfImage::read_file(file), file, kernel);
}

KernelSymbols KernelSymbols::parse(std::span<const std::byte> bytes, const std::string& file,
                                   const Segment& kernel) {
  KernelSymbols symbols(
      ElfImage::is_elf(bytes)
          ? symbols_of_elf(bytes, file)
          : symbols_of_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file),
      kernel);
  if (symbols.empty())
    refuse_symbols(file, fmt::format("has no symbol of a kernel for AArch64, expected {}", entries[0]));
  const auto start = symbols.find("start_kernel"), own = KernelSymbols(kernel).find("start_kernel");
  if (start && own && *start != *own)
    refuse_symbols(file, fmt::format("is of another kernel: start_kernel is at offset {:#x}, expected {:#x}",
                                     (*start - kernel.address).count(), (*own - kernel.address).count()));
  return symbols;
}

std::optional<Address> KernelSymbols::find(std::string_view name) const {
  const auto found = std::ranges::find(symbols_, name, &KernelSymbol::name);
  return found == symbols_.end() ? std::nullopt : std::optional(Address(found->address));
}

std::vector<std::byte> KernelSymbols::elf_file(std::uint64_t base) const {
  std::vector<Elf64_Sym> table(1);
  std::string names(1, '\0');
  for (const KernelSymbol& each : symbols_) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info =
        static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, each.is_code() ? STT_FUNC : STT_OBJECT));
    symbol.st_shndx = 1;
    symbol.st_value = base + (each.address - kernel_.first.value());
    table.push_back(symbol);
    names += each.name + '\0';
  }
  const auto names_of_sections = static_cast<Elf64_Word>(names.size());
  constexpr std::string_view section_names("\0.text\0.symtab\0.strtab", 22);
  names.append(section_names).push_back('\0');

  struct {
    Elf64_Ehdr header{};
    Elf64_Shdr sections[4] = {};  // none, the kernel, symbols, names
  } head;
  const std::uint64_t size = table.size() * sizeof table[0];
  head.header.e_type = ET_EXEC, head.header.e_machine = EM_AARCH64, head.header.e_version = EV_CURRENT;
  std::memcpy(head.header.e_ident, ELFMAG, SELFMAG);
  head.header.e_ident[EI_CLASS] = ELFCLASS64, head.header.e_ident[EI_DATA] = ELFDATA2LSB;
  head.header.e_ident[EI_VERSION] = EV_CURRENT;
  head.header.e_ehsize = sizeof head.header, head.header.e_shentsize = sizeof(Elf64_Shdr);
  head.header.e_shoff = sizeof head.header, head.header.e_shnum = 4, head.header.e_shstrndx = 3;
  Elf64_Shdr &text = head.sections[1], &symbols = head.sections[2], &strings = head.sections[3];
  text = {.sh_name = names_of_sections + 1,
          .sh_type = SHT_NOBITS,
          .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
          .sh_addr = base,
          .sh_offset = sizeof head,
          .sh_size = kernel_.size.count(),
          .sh_link = 0,
          .sh_info = 0,
          .sh_addralign = 4,
          .sh_entsize = 0};
  symbols = {.sh_name = names_of_sections + 7,
             .sh_type = SHT_SYMTAB,
             .sh_flags = 0,
             .sh_addr = 0,
             .sh_offset = sizeof head,
             .sh_size = size,
             .sh_link = 3,
             .sh_info = 1,
             .sh_addralign = 8,
             .sh_entsize = sizeof table[0]};
  strings = {.sh_name = names_of_sections + 15,
             .sh_type = SHT_STRTAB,
             .sh_flags = 0,
             .sh_addr = 0,
             .sh_offset = sizeof head + size,
             .sh_size = names.size(),
             .sh_link = 0,
             .sh_info = 0,
             .sh_addralign = 1,
             .sh_entsize = 0};

  std::vector<std::byte> file;
  const auto append = [&file](const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    file.insert(file.end(), first, first + bytes);
  };
  append(&head, sizeof head);
  append(table.data(), size);
  append(names.data(), names.size());
  return file;
}

}  // namespace asterism
