#include "ecc/page_codec.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

constexpr unsigned out_bytes = 8, third_bytes = chip_symbols;

// The response of a map to a raw bit: `what` yields four bytes for a block in which only this bit of half 0
// is set.
template <typename What>
void fill_from(PageMap& map, What what) {
  std::uint32_t response[half_bytes][8];
  for (unsigned beat = 0; beat < 4; ++beat)
    for (unsigned k = 0; k < 9; ++k)
      for (unsigned bit = 0; bit < 8; ++bit) {
        MemoryBlock block;
        (k < 8 ? block.data[8 * beat + k] : block.parity[beat]) = static_cast<std::uint8_t>(1u << bit);
        const std::array<std::uint8_t, 4> bytes = what(block);
        std::memcpy(&response[9 * beat + k][bit], bytes.data(), bytes.size());
      }
  fill(map, response);
}

std::array<std::uint8_t, 4> syndromes_of_half(EccMode mode, MemoryBlock block) {
  const DecodeResult result = DualModeCodec(EccProfile::thesis).decode(mode, block);
  if (mode == EccMode::normal) return result.syndromes[0];
  return {result.syndromes[0][0], result.syndromes[0][1], result.syndromes[1][0], result.syndromes[1][1]};
}

std::array<std::uint8_t, 4> third_of_half(const MemoryBlock& block) {
  std::array<std::uint8_t, 4> third{};
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned chip = 0; chip < block_chips; ++chip)
      third[p] ^= gf256::multiply(rs_19_16.check(2, chip), block.symbol(chip, p));
  return third;
}

#ifdef ASTERISM_X86_KERNELS
bool host_has(CodecPath path) {
  switch (path) {
    case CodecPath::portable:
      return true;
    case CodecPath::avx2:
      return __builtin_cpu_supports("avx2");
    case CodecPath::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    case CodecPath::gfni:
      return host_has(CodecPath::avx512) && __builtin_cpu_supports("avx512vbmi") &&
             __builtin_cpu_supports("gfni");
  }
  return false;
}
PageKernel kernel(CodecPath path) {
  switch (path) {
    case CodecPath::portable:
      break;
    case CodecPath::avx2:
      return map_pages_avx2;
    case CodecPath::avx512:
      return map_pages_avx512;
    case CodecPath::gfni:
      return map_pages_gfni;
  }
  return map_pages_portable;
}
#else
bool host_has(CodecPath path) { return path == CodecPath::portable; }
PageKernel kernel(CodecPath) { return map_pages_portable; }
#endif

void expect_size(std::size_t bytes, std::size_t expected, const char* of) {
  if (bytes != expected)
    throw std::invalid_argument(std::string(of) + " of a page: expected " + std::to_string(expected) +
                                " bytes, got " + std::to_string(bytes));
}

}  // namespace

std::vector<CodecPath> codec_paths() {
  std::vector<CodecPath> paths;
  for (const auto& [path, name, meaning] : enum_names(CodecPath{}))
    if (host_has(path)) paths.push_back(path);
  return paths;
}

struct PageCodec::Maps {
  PageMap parity, third, syndromes;

  explicit Maps(EccMode mode) {
    fill_from(parity, [mode](MemoryBlock block) {
      if (std::ranges::count(block.parity, 0) != block_beats) return std::array<std::uint8_t, 4>{};
      DualModeCodec::encode(mode, block);
      return std::array{block.parity[0], block.parity[1], block.parity[2], block.parity[3]};
    });
    fill_from(third, [](const MemoryBlock& block) { return third_of_half(block); });
    fill_from(syndromes, [mode](const MemoryBlock& block) { return syndromes_of_half(mode, block); });
  }
};

const PageCodec::Maps& PageCodec::maps(EccMode mode) {
  static const auto normal = std::make_unique<const Maps>(EccMode::normal);
  if (mode == EccMode::normal) return *normal;
  if (mode != EccMode::strong) throw std::invalid_argument("a page codec needs a code");
  static const auto strong = std::make_unique<const Maps>(EccMode::strong);
  return *strong;
}

PageCodec::PageCodec(EccMode mode, CodecPath path) : maps_(maps(mode)), kernel_(kernel(path)) {
  if (!host_has(path)) throw std::invalid_argument("this host lacks the instructions of a path");
}

void PageCodec::run(const PageMap& map, std::span<const std::uint8_t> data, const std::uint8_t* parity,
                    std::uint8_t* out) const {
  const std::size_t blocks = data.size() / block_bytes;
  const std::size_t done = kernel_(map, data.data(), parity, out, blocks);
  map_pages_portable(map, data.data() + block_bytes * done, parity ? parity + block_beats * done : nullptr,
                     out + out_bytes * done, blocks - done);
}

void PageCodec::encode(std::span<const std::uint8_t> data, std::span<std::uint8_t> parity) const {
  expect_size(data.size() % block_bytes, 0, "data over whole blocks");
  expect_size(parity.size(), data.size() / block_bytes * block_beats, "parity");
  run(maps_.parity, data, nullptr, parity.data());
}

void PageCodec::encode_third(std::span<const std::uint8_t> data, std::span<const std::uint8_t> parity,
                             std::span<std::uint8_t> third) const {
  expect_size(data.size() % block_bytes, 0, "data over whole blocks");
  expect_size(parity.size(), data.size() / block_bytes * block_beats, "parity");
  expect_size(third.size(), data.size() / block_bytes * third_bytes, "third symbols");
  constexpr std::size_t at_a_time = 64;
  std::array<std::uint8_t, at_a_time * out_bytes> out;
  for (std::size_t block = 0; block < data.size() / block_bytes; block += at_a_time) {
    const std::size_t blocks = std::min(at_a_time, data.size() / block_bytes - block);
    run(maps_.third, data.subspan(block * block_bytes, blocks * block_bytes),
        parity.data() + block * block_beats, out.data());
    for (std::size_t half = 0; half < 2 * blocks; ++half)
      std::memcpy(&third[block * third_bytes + 2 * half], &out[4 * half], 2);
  }
}

void PageCodec::syndromes(std::span<const std::uint8_t> data, std::span<const std::uint8_t> parity,
                          std::span<std::uint8_t> syndromes) const {
  expect_size(data.size() % block_bytes, 0, "data over whole blocks");
  expect_size(parity.size(), data.size() / block_bytes * block_beats, "parity");
  expect_size(syndromes.size(), data.size() / block_bytes * out_bytes, "syndromes");
  run(maps_.syndromes, data, parity.data(), syndromes.data());
}

}  // namespace asterism
