#include "platform/function_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <tuple>

#include "base/units.h"
#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

struct Function {
  std::uint64_t first, end;  // end == first if the symbol has no size
  bool is_label, is_local;
  std::string name;
};

// Reads parts of a file, and checks that each is inside the file.
class Reader {
 public:
  Reader(std::span<const std::byte> elf, const std::string& file) : elf_(elf), file_(file) {}

  [[noreturn]] void refuse(const std::string& problem) const {
    throw ConfigError(Diagnostic::of_file(file_, "firmware " + problem));
  }
  std::span<const std::byte> bytes(std::uint64_t at, std::uint64_t size, const char* what) const {
    if (!AddressRange{Address(0), Bytes(elf_.size())}.contains(Address(at), Bytes(size)))
      refuse(fmt::format("has its {} ({:#x} bytes at {:#x}) outside the file of {} bytes", what, size, at,
                         elf_.size()));
    return elf_.subspan(at, size);
  }
  template <class T>
  T value(std::uint64_t at, const char* what) const {
    T value;
    std::memcpy(&value, bytes(at, sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> elf_;
  const std::string& file_;
};

// Only mangled names of C++ are demangled, because __cxa_demangle reads any other name as a type: "b" as
// bool.
std::string in_source(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? plain.get() : name;
}

// Excludes mapping symbols ($x, $d) and the compiler's own labels, which are not functions.
bool is_label_of_a_programmer(std::string_view name) {
  return !name.empty() && name[0] != '$' && !name.starts_with(".L");
}

std::vector<Function> functions_of(const Reader& reader) {
  const auto header = reader.value<Elf64_Ehdr>(0, "ELF header");
  if (header.e_shnum == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    reader.refuse(
        fmt::format("has section headers of {} bytes, expected {}", header.e_shentsize, sizeof(Elf64_Shdr)));
  const auto section = [&](std::uint64_t index) {
    return reader.value<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr), "section header");
  };
  std::vector<Function> functions;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto symbols = reader.bytes(table.sh_offset, table.sh_size, "symbol table");
    if (table.sh_link >= header.e_shnum)
      reader.refuse(fmt::format("has a symbol table whose names are in section {} of {}", table.sh_link,
                                header.e_shnum));
    const Elf64_Shdr strings = section(table.sh_link);
    const auto names = reader.bytes(strings.sh_offset, strings.sh_size, "table of names");
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF ||
          symbol.st_shndx >= header.e_shnum || !(section(symbol.st_shndx).sh_flags & SHF_EXECINSTR))
        continue;
      if (symbol.st_name >= names.size() ||
          !std::memchr(names.data() + symbol.st_name, 0, names.size() - symbol.st_name))
        reader.refuse(fmt::format("has symbol {} with its name at {:#x}, outside the table of {:#x} bytes",
                                  at / sizeof symbol, symbol.st_name, names.size()));
      const char* name = reinterpret_cast<const char*>(names.data()) + symbol.st_name;
      if (!is_label_of_a_programmer(name)) continue;
      const std::uint64_t size = std::min(symbol.st_size, ~symbol.st_value);
      functions.push_back({symbol.st_value, symbol.st_value + size, type == STT_NOTYPE,
                           ELF64_ST_BIND(symbol.st_info) == STB_LOCAL, in_source(name)});
    }
  }
  return functions;
}

}  // namespace

FunctionSymbols FunctionSymbols::parse(std::span<const std::byte> elf, const std::string& file) {
  std::vector<Function> all = functions_of(Reader(elf, file));
  std::ranges::sort(all, {},
                    [](const Function& f) { return std::tie(f.first, f.is_label, f.is_local, f.name); });
  FunctionSymbols result;
  std::uint64_t covered = 0;  // the end of the functions with a size so far
  const auto begin = [&result](std::uint64_t at, std::size_t function) {
    result.boundaries_.push_back(at);
    result.functions_.push_back(function);
  };
  for (const Function& function : all) {
    // Skips further names of the same address, and labels inside a function.
    if (!result.boundaries_.empty() && function.first == result.boundaries_.back()) continue;
    if (function.is_label && function.first < covered) continue;
    if (covered != 0 && covered < function.first && covered > result.boundaries_.back()) begin(covered, none);
    result.names_.push_back(function.name);
    begin(function.first, result.names_.size());
    covered = function.end > function.first ? function.end : 0;
  }
  if (covered != 0) begin(covered, none);
  result.lines_ = std::make_shared<SourceLines>(elf);
  return result;
}

const std::string& FunctionSymbols::name_of(std::size_t region) const {
  static const std::string no_symbol = "[no symbol]";
  if (region == 0 || functions_[region - 1] == none) return no_symbol;
  return names_[functions_[region - 1] - 1];
}

std::size_t FunctionSymbols::region_of(std::uint64_t address) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(boundaries_, address) - boundaries_.begin());
}

CodePlace FunctionSymbols::locate(std::uint64_t address) const {
  CodePlace place;
  const std::size_t region = region_of(address);
  if (region == 0 || functions_[region - 1] == none) return place;
  place.function = name_of(region), place.offset = address - boundaries_[region - 1];
  if (lines_) place.source = lines_->at(address);
  return place;
}

std::string FunctionSymbols::place_of(std::uint64_t address) const {
  const std::size_t region = region_of(address);
  if (region == 0 || functions_[region - 1] == none) return "";
  const std::uint64_t offset = address - boundaries_[region - 1];
  return offset == 0 ? name_of(region) : fmt::format("{}+{:#x}", name_of(region), offset);
}

std::string FunctionSymbols::describe(std::uint64_t address) const {
  const CodePlace place = locate(address);
  if (place.function.empty()) return fmt::format("{:#x}", address);
  std::string text = fmt::format("{} ({:#x})", place_of(address), address);
  if (place.source.line != 0)
    text += fmt::format(" at {}:{}", std::filesystem::path(place.source.file).filename().string(),
                        place.source.line);
  return text;
}

}  // namespace asterism
