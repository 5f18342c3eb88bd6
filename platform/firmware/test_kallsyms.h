// A small Image of Linux with a table of its symbols, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "platform/firmware/kallsyms.h"

namespace asterism {

struct TestKallsyms {
  bool are_addresses_last = false;  // as since Linux 6.4
  bool has_sequence = false;        // seqs_of_names, as since Linux 6.2
  bool is_relative = true;
  std::uint64_t base = 0xffff'8000'0800'0000;  // of the kernel
  std::uint32_t image_size = 0x10000;

  // The addresses are offsets in the kernel.
  std::vector<std::byte> image(const std::vector<KernelSymbol>& symbols, std::uint32_t entry) const {
    std::vector<std::byte> bytes;
    const auto add = [&bytes](auto value) {
      const auto* first = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), first, first + sizeof value);
    };
    const auto align = [&bytes] { bytes.resize((bytes.size() + 7) / 8 * 8); };
    add(std::uint32_t{0xfa40'5a4d});                  // ccmp, which is "MZ"
    add(std::uint32_t{0x1400'0000 + entry / 4 - 1});  // b entry
    add(std::uint64_t{0}), add(std::uint64_t{image_size}), add(std::uint64_t{0xa});
    bytes.resize(64);
    std::memcpy(bytes.data() + 56, "ARM\x64", 4);

    const auto add_addresses = [&] {
      for (const KernelSymbol& each : symbols)
        if (is_relative)
          add(static_cast<std::uint32_t>(each.address));
        else
          add(base + each.address);
      align();
      if (is_relative) add(std::uint64_t{0});
    };
    if (!are_addresses_last) add_addresses();
    add(static_cast<std::uint32_t>(symbols.size())), align();
    // Each symbol is spelt out, but the token 0x80 is "sys_".
    const std::size_t names = bytes.size();
    std::vector<std::uint32_t> markers;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (i % 256 == 0) markers.push_back(static_cast<std::uint32_t>(bytes.size() - names));
      std::string tokens = symbols[i].type + symbols[i].name;
      if (const auto at = tokens.find("sys_"); at != std::string::npos) tokens.replace(at, 4, "\x80");
      if (tokens.size() >= 0x80) add(static_cast<std::uint8_t>((tokens.size() & 0x7f) | 0x80));
      add(static_cast<std::uint8_t>(tokens.size() >= 0x80 ? tokens.size() >> 7 : tokens.size()));
      for (const char c : tokens) add(c);
    }
    align();
    for (const std::uint32_t marker : markers) add(marker);
    align();
    if (has_sequence)
      for (std::size_t i = 0; i < symbols.size(); ++i)
        for (const std::size_t byte : {i >> 16, i >> 8, i}) add(static_cast<std::uint8_t>(byte));
    align();
    const std::size_t table = bytes.size();
    std::vector<std::uint16_t> index;
    for (unsigned i = 0; i < 256; ++i) {
      index.push_back(static_cast<std::uint16_t>(bytes.size() - table));
      if (i == 0x80)
        for (const char c : {'s', 'y', 's', '_'}) add(c);
      else if (i > ' ' && i <= '~')
        add(static_cast<char>(i));
      add('\0');
    }
    align();
    for (const std::uint16_t each : index) add(each);
    if (are_addresses_last) add_addresses();
    return bytes;
  }
};

}  // namespace asterism
