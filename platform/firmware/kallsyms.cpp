#include "platform/firmware/kallsyms.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace asterism {
namespace {

using Image = std::span<const std::byte>;

constexpr std::uint64_t part = 8;  // the alignment of each part
constexpr std::uint64_t marked = 256;
constexpr std::size_t longest_name = 1024;

constexpr std::uint64_t aligned(std::uint64_t at) { return (at + part - 1) / part * part; }

// The caller has checked that the value is in the Image.
template <class T>
T value(Image image, std::uint64_t at) {
  T value;
  std::memcpy(&value, image.data() + at, sizeof value);
  return value;
}

// ---- tokens ----

struct Tokens {
  std::uint64_t table, index;  // where they are
  std::array<std::string_view, 256> text;
};

constexpr std::uint64_t index_size = 256 * sizeof(std::uint16_t);

bool is_index(Image image, std::uint64_t at) {
  std::uint16_t before = value<std::uint16_t>(image, at);
  if (before != 0) return false;
  for (unsigned i = 1; i < 256; ++i) {
    const auto next = value<std::uint16_t>(image, at + i * sizeof before);
    if (next <= before) return false;
    before = next;
  }
  return true;
}

// The tokens at `table`, if those are what the index is of.
std::optional<Tokens> tokens_at(Image image, std::uint64_t table, std::uint64_t index) {
  Tokens tokens{table, index, {}};
  const auto* const text = reinterpret_cast<const char*>(image.data());
  for (unsigned i = 0; i < 256; ++i) {
    const std::uint64_t first = table + value<std::uint16_t>(image, index + i * sizeof(std::uint16_t));
    if (first >= index || (i > 0 && text[first - 1] != 0)) return std::nullopt;
    const void* const end = std::memchr(text + first, 0, index - first);
    if (!end) return std::nullopt;
    tokens.text[i] = {text + first, static_cast<const char*>(end)};
  }
  const std::uint64_t end =
      static_cast<std::uint64_t>(tokens.text[255].data() - text) + tokens.text[255].size() + 1;
  return aligned(end) == index ? std::optional(tokens) : std::nullopt;
}

std::optional<Tokens> tokens_before(Image image, std::uint64_t index) {
  const std::uint64_t last = value<std::uint16_t>(image, index + index_size - sizeof(std::uint16_t));
  for (std::uint64_t size = aligned(last + 1); size <= last + longest_name && size <= index; size += part)
    if (auto tokens = tokens_at(image, index - size, index)) return tokens;
  return std::nullopt;
}

// ---- names ----

struct Names {
  std::uint64_t first;        // of the part, behind num_syms
  std::vector<Image> tokens;  // of each symbol
};

// The names behind the number of symbols at `at`, if they and their markers are before `limit`. Each
// name that is read is taken from the budget.
std::optional<Names> names_at(Image image, std::uint64_t at, std::uint64_t limit, std::uint64_t& budget) {
  const std::uint64_t count = value<std::uint64_t>(image, at), first = at + part;
  const std::uint64_t markers = (count + marked - 1) / marked;
  if (count == 0 || count > (limit - at) / 2) return std::nullopt;  // a name takes at least two bytes
  Names names{first, {}};
  std::vector<std::uint32_t> starts;
  std::uint64_t next = first;
  while (names.tokens.size() < count) {
    if (budget == 0 || limit - next < 2) return std::nullopt;
    --budget;
    if (names.tokens.size() % marked == 0) starts.push_back(static_cast<std::uint32_t>(next - first));
    std::uint64_t length = value<std::uint8_t>(image, next++);
    if (length >= 0x80) length = (length & 0x7f) | std::uint64_t{value<std::uint8_t>(image, next++)} << 7;
    if (length == 0 || length > limit - next) return std::nullopt;
    names.tokens.push_back(image.subspan(next, length));
    next += length;
  }
  next = aligned(next);
  if (next > limit || limit - next < markers * sizeof starts[0]) return std::nullopt;
  if (std::memcmp(image.data() + next, starts.data(), markers * sizeof starts[0]) != 0) return std::nullopt;
  return names;
}

std::optional<Names> names_before(Image image, std::uint64_t tokens, std::uint64_t& budget) {
  for (std::uint64_t at = tokens; at >= 2 * part && budget > 0; at -= part)
    if (auto names = names_at(image, at - part, tokens, budget)) return names;
  return std::nullopt;
}

// ---- addresses ----

template <class T>
std::vector<std::uint64_t> addresses_at(Image image, std::uint64_t at, std::uint64_t count,
                                        std::uint64_t kernel_size) {
  std::vector<std::uint64_t> addresses;
  if (at > image.size() || count > (image.size() - at) / sizeof(T)) return addresses;
  for (std::uint64_t i = 0; i < count; ++i) addresses.push_back(value<T>(image, at + i * sizeof(T)));
  const bool fits = std::ranges::is_sorted(addresses) &&
                    (count == 1 || addresses.back() > addresses.front()) &&
                    addresses.back() - addresses.front() < kernel_size;
  return fits ? addresses : std::vector<std::uint64_t>();
}

std::vector<std::uint64_t> find_addresses(Image image, std::uint64_t num_syms, std::uint64_t behind_index,
                                          std::uint64_t count) {
  constexpr std::uint64_t image_size = 16;  // in the header of the Image
  const auto kernel_size = value<std::uint64_t>(image, image_size);
  const std::uint64_t offsets = aligned(count * sizeof(std::uint32_t)),
                      addresses = count * sizeof(std::uint64_t);
  std::vector<std::uint64_t> found;
  if (num_syms >= part + offsets)
    found = addresses_at<std::uint32_t>(image, num_syms - part - offsets, count, kernel_size);
  if (found.empty()) found = addresses_at<std::uint32_t>(image, behind_index, count, kernel_size);
  if (found.empty() && num_syms >= addresses)
    found = addresses_at<std::uint64_t>(image, num_syms - addresses, count, kernel_size);
  if (found.empty()) found = addresses_at<std::uint64_t>(image, behind_index, count, kernel_size);
  return found;
}

std::vector<KernelSymbol> decode(Image image, const Tokens& tokens, std::uint64_t& budget) {
  const auto names = names_before(image, tokens.table, budget);
  if (!names) return {};
  const auto addresses =
      find_addresses(image, names->first - part, tokens.index + index_size, names->tokens.size());
  std::vector<KernelSymbol> symbols;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    std::string text;
    for (const std::byte token : names->tokens[i]) {
      text += tokens.text[static_cast<std::uint8_t>(token)];
      if (text.size() > longest_name) return {};
    }
    const auto is_printed = [](char c) { return c > ' ' && c <= '~'; };
    if (text.size() < 2 || !std::ranges::all_of(text, is_printed)) return {};
    symbols.push_back({addresses[i], text[0], text.substr(1)});
  }
  return symbols;
}

}  // namespace

std::vector<KernelSymbol> find_kallsyms(Image image) {
  std::uint64_t budget = 4 * image.size();  // so that no Image takes long
  for (std::uint64_t at = 2 * part; at + index_size <= image.size(); at += part) {
    if (!is_index(image, at)) continue;
    const auto tokens = tokens_before(image, at);
    if (!tokens) continue;
    if (auto symbols = decode(image, *tokens, budget); !symbols.empty()) return symbols;
  }
  return {};
}

}  // namespace asterism
