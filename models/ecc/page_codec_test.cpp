#include "ecc/page_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/parameter_name.h"
#include "base/random.h"

namespace asterism {
namespace {

// Eight whole pages of 64 blocks, groups of 16 blocks, a group of 8, and a rest.
constexpr std::size_t odd_count = 8 * 64 + 3 * 16 + 8 + 5;

struct Pages {
  std::vector<std::uint8_t> data, parity, third, syndromes;

  explicit Pages(std::size_t blocks)
      : data(64 * blocks), parity(8 * blocks), third(4 * blocks), syndromes(8 * blocks, 0xAA) {}
  std::size_t blocks() const { return data.size() / 64; }
  MemoryBlock block(std::size_t i) const {
    MemoryBlock block;
    std::copy_n(data.begin() + 64 * static_cast<std::ptrdiff_t>(i), 64, block.data.begin());
    std::copy_n(parity.begin() + 8 * static_cast<std::ptrdiff_t>(i), 8, block.parity.begin());
    std::copy_n(third.begin() + 4 * static_cast<std::ptrdiff_t>(i), 4, block.third.begin());
    return block;
  }
};
Pages random_pages(std::size_t blocks) {
  Pages pages(blocks);
  Random random(5);
  for (auto& byte : pages.data) byte = static_cast<std::uint8_t>(random.next());
  for (auto& byte : pages.parity) byte = static_cast<std::uint8_t>(random.next());
  return pages;
}

class PageCodecPaths : public testing::TestWithParam<std::tuple<CodecPath, EccMode>> {
 protected:
  const EccMode mode = std::get<1>(GetParam());
  const PageCodec codec{mode, std::get<0>(GetParam())};
};

TEST_P(PageCodecPaths, EncodesAsTheCodecOfOneBlock) {
  Pages pages = random_pages(odd_count);
  codec.encode(pages.data, pages.parity);
  if (mode == EccMode::strong) codec.encode_third(pages.data, pages.parity, pages.third);
  for (std::size_t i = 0; i < odd_count; ++i) {
    MemoryBlock expected = pages.block(i);
    DualModeCodec::encode(mode, expected);
    ASSERT_EQ(pages.block(i), expected) << i;
  }
}

TEST_P(PageCodecPaths, FindsTheSyndromesOfAnyPages) {
  Pages pages = random_pages(odd_count);
  codec.syndromes(pages.data, pages.parity, pages.syndromes);
  for (std::size_t i = 0; i < odd_count; ++i) {
    MemoryBlock block = pages.block(i);
    const auto expected = DualModeCodec(EccProfile::thesis).decode(mode, block).syndromes;
    const unsigned rows = mode == EccMode::normal ? 4 : 2;
    for (unsigned byte = 0; byte < 8; ++byte)
      ASSERT_EQ(pages.syndromes[8 * i + byte], expected[byte / rows][byte % rows]) << i << ' ' << byte;
  }
}

TEST_P(PageCodecPaths, LeavesNoSyndromesOfWhatItEncoded) {
  Pages pages = random_pages(odd_count);
  codec.encode(pages.data, pages.parity);
  codec.syndromes(pages.data, pages.parity, pages.syndromes);
  EXPECT_EQ(pages.syndromes, std::vector<std::uint8_t>(8 * odd_count));
}

TEST_P(PageCodecPaths, WritesNothingBehindItsEnd) {
  for (std::size_t blocks = 0; blocks < 20; ++blocks) {
    Pages pages = random_pages(blocks + 1);
    const std::uint8_t guard = pages.parity[8 * blocks];
    codec.encode(std::span(pages.data).first(64 * blocks), std::span(pages.parity).first(8 * blocks));
    EXPECT_EQ(pages.parity[8 * blocks], guard);
  }
}

INSTANTIATE_TEST_SUITE_P(OfThisHost, PageCodecPaths,
                         testing::Combine(testing::ValuesIn(codec_paths()),
                                          testing::Values(EccMode::normal, EccMode::strong)),
                         ParameterName());

TEST(PageCodec, RefusesSizesThatDoNotFit) {
  const PageCodec codec(EccMode::normal);
  std::vector<std::uint8_t> data(128), parity(8);
  EXPECT_THROW(codec.encode(data, parity), std::invalid_argument);
  EXPECT_THROW(codec.encode(std::span(data).first(100), parity), std::invalid_argument);
  EXPECT_THROW(PageCodec{EccMode::none}, std::invalid_argument);
}

}  // namespace
}  // namespace asterism
