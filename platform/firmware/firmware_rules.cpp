#include "platform/firmware/firmware_rules.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/firmware/elf_symbols.h"

namespace asterism {
namespace {

struct Symbol {
  std::uint64_t value = 0, size = 0;
};
using Symbols = std::map<std::string, Symbol, std::less<>>;

Symbols symbols_of(const ElfImage& firmware, const std::string& file) {
  Symbols symbols;
  for (const ElfSymbol& each : elf_symbols(firmware.bytes(), file))
    symbols.try_emplace(each.name, Symbol{each.value, each.size});
  return symbols;
}

std::optional<std::uint64_t> value_of(const Symbols& symbols, std::string_view name) {
  const auto found = symbols.find(name);
  return found != symbols.end() ? std::optional(found->second.value) : std::nullopt;
}

// Stacks of `each` bytes; 0: one.
std::vector<AddressRange> divided(std::uint64_t low, std::uint64_t high, std::uint64_t each) {
  std::vector<AddressRange> stacks;
  const std::uint64_t size = each != 0 ? each : high - low;
  for (std::uint64_t at = low; size != 0 && at < high && high - at >= size; at += size)
    stacks.push_back({Address(at), Bytes(size)});
  return stacks;
}

// The stacks by the symbols of sw/boot, picolibc and CMSIS.
std::vector<AddressRange> usual_stacks(const Symbols& symbols) {
  const auto symbol = [&](std::string_view name) { return value_of(symbols, name); };
  if (const auto low = symbol("__stacks_start"), high = symbol("__stacks_end"),
      each = symbol("__stack_bytes");
      low && high && each)
    return divided(*low, *high, *each);
  if (const auto low = symbol("__StackLimit"), high = symbol("__StackTop"); low && high)
    return divided(*low, *high, 0);
  const auto high = symbol("__stack"), low = symbol("__heap_end"), size = symbol("__stack_size");
  if (high && low) return divided(*low, *high, 0);
  if (high && size && *size <= *high) return divided(*high - *size, *high, 0);
  return {};
}

class StackReader {
 public:
  StackReader(const Symbols& symbols, const std::string& file, const ConfigDocument& document)
      : symbols_(symbols), file_(file), document_(document) {}

  std::vector<AddressRange> read(const StackConfig& config, const std::string& path) const {
    const std::uint64_t low = bound(config.low, path + ".low");
    std::uint64_t high = 0;
    if (!config.high.empty()) {
      high = bound(config.high, path + ".high");
    } else {
      const auto symbol = symbols_.find(config.low);
      if (symbol == symbols_.end() || symbol->second.size == 0)
        refuse(path, fmt::format("needs \"high\", because {} has no size in {}", config.low, file_));
      high = low + symbol->second.size;
    }
    if (low >= high)
      refuse(path, fmt::format("ends at {:#x}, expected an address above its beginning, {:#x}", high, low));
    const std::uint64_t each = config.each.count();
    if (each != 0 && (high - low) % each != 0)
      refuse(path + ".each",
             fmt::format("{} bytes do not divide the {} bytes from low to high", each, high - low));
    return divided(low, high, each);
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& problem,
                           const std::string& nearest = "") const {
    throw ConfigError(Diagnostic{
        .origin = document_.origin_of(path), .path = path, .problem = problem, .nearest = nearest});
  }
  // A symbol, or an address such as 0x40300000.
  std::uint64_t bound(const std::string& text, const std::string& path) const {
    if (const auto value = value_of(symbols_, text)) return *value;
    if (text.starts_with("0x")) {
      std::uint64_t address = 0;
      const char* const end = text.data() + text.size();
      if (const auto [rest, error] = std::from_chars(text.data() + 2, end, address, 16);
          error == std::errc() && rest == end)
        return address;
    }
    std::vector<std::string> names;
    for (const auto& [name, symbol] : symbols_) names.push_back(name);
    refuse(path, fmt::format("\"{}\" is neither an address nor a symbol of {}", text, file_),
           nearest_name(text, names));
  }

  const Symbols& symbols_;
  const std::string& file_;
  const ConfigDocument& document_;
};

}  // namespace

std::vector<AddressRange> find_stacks(const ChecksConfig& checks, const ElfImage& firmware,
                                      const std::string& file, const ConfigDocument& document) {
  if (!checks.reports(GuestCheck::stack)) return {};
  if (checks.stacks.empty()) {
    try {
      return usual_stacks(symbols_of(firmware, file));
    } catch (const ConfigError&) {
      return {};  // a program runs without symbols, too
    }
  }
  const Symbols symbols = symbols_of(firmware, file);
  const StackReader reader(symbols, file, document);
  std::vector<AddressRange> stacks;
  for (std::size_t i = 0; i < checks.stacks.size(); ++i)
    for (const AddressRange& stack : reader.read(checks.stacks[i], fmt::format("node.checks.stacks.{}", i)))
      stacks.push_back(stack);
  return stacks;
}

GuestRules firmware_rules(const ChecksConfig& checks, const ElfImage& firmware,
                          std::vector<AddressRange> stacks) {
  GuestRules rules;
  for (const Segment& segment : firmware.segments()) {
    if (!segment.is_writable && checks.reports(GuestCheck::read_only))
      rules.read_only.push_back(segment.range());
    if (!segment.is_executable && checks.reports(GuestCheck::no_execute))
      rules.not_executable.push_back(segment.range());
  }
  rules.stacks = std::move(stacks);
  using enum GuestRules::Alignment;
  if (checks.reports(GuestCheck::alignment)) rules.alignment = reported;
  if (checks.alignment == AlignmentAction::fault) rules.alignment = faults;
  return rules;
}

}  // namespace asterism
