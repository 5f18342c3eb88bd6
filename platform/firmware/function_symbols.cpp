#include "platform/firmware/function_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <tuple>

#include "platform/firmware/elf_symbols.h"
#include "platform/firmware/kernel_symbols.h"

namespace asterism {
namespace {

struct Function {
  std::uint64_t first, end;  // end == first if the symbol has no size
  bool is_label, is_local;
  std::string name;
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

std::vector<Function> functions_of(std::span<const std::byte> elf, const std::string& file) {
  std::vector<Function> functions;
  for (const ElfSymbol& symbol : elf_symbols(elf, file)) {
    const bool is_label = symbol.type == STT_NOTYPE;
    if ((symbol.type != STT_FUNC && !is_label) || !symbol.is_in_code ||
        !is_label_of_a_programmer(symbol.name))
      continue;
    const std::uint64_t size = std::min(symbol.size, ~symbol.value);
    functions.push_back(
        {symbol.value, symbol.value + size, is_label, symbol.binding == STB_LOCAL, in_source(symbol.name)});
  }
  return functions;
}

}  // namespace

FunctionSymbols FunctionSymbols::parse(std::span<const std::byte> elf, const std::string& file) {
  std::vector<Function> all = functions_of(elf, file);
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

FunctionSymbols FunctionSymbols::of_kernel(const KernelSymbols& kernel) {
  FunctionSymbols result;
  if (kernel.empty()) return result;
  result.kernel_ = kernel.kernel();
  const auto begin = [&result](std::uint64_t at, const KernelSymbol* function) {
    if (!result.boundaries_.empty() && result.boundaries_.back() == at) {
      if (!function || result.functions_.back() != none) return;
      result.boundaries_.pop_back(), result.functions_.pop_back();
    }
    if (function) result.names_.push_back(function->name);
    result.boundaries_.push_back(at);
    result.functions_.push_back(function ? result.names_.size() : none);
  };
  for (const KernelSymbol& symbol : kernel.all())
    begin(symbol.address, symbol.is_code() && is_label_of_a_programmer(symbol.name) ? &symbol : nullptr);
  begin(result.kernel_.last().value() + 1, nullptr);
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

std::vector<SourceRow> FunctionSymbols::source_rows() const {
  return lines_ ? lines_->rows() : std::vector<SourceRow>();
}

std::string FunctionSymbols::place_of(std::uint64_t address) const {
  const std::size_t region = region_of(address);
  if (region == 0 || functions_[region - 1] == none) return "";
  const std::uint64_t offset = address - boundaries_[region - 1];
  return offset == 0 ? name_of(region) : fmt::format("{}+{:#x}", name_of(region), offset);
}

std::string FunctionSymbols::describe(std::uint64_t address, std::uint64_t at) const {
  const CodePlace place = locate(at);
  if (place.function.empty()) return fmt::format("{:#x}", address);
  std::string text = fmt::format("{} ({:#x})", place_of(at), address);
  if (place.source.line != 0)
    text += fmt::format(" at {}:{}", std::filesystem::path(place.source.file).filename().string(),
                        place.source.line);
  return text;
}

std::uint64_t SymbolsOfCore::at(std::uint64_t address) const {
  if (!symbols_.is_kernel()) return address;
  const auto physical = core_.physical(address);
  return physical && symbols_.is_in_kernel(address, physical->value()) ? physical->value() : nowhere;
}

}  // namespace asterism
