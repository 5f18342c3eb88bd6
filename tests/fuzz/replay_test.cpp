// Feeds a seed corpus to the fuzzer's entry function in the normal build, whole and truncated at any byte. A
// failure ends the process.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace asterism {
namespace {

int feed(const std::string& bytes, std::size_t length) {
  // The data is copied, so that AddressSanitizer detects a read beyond its end.
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
  return LLVMFuzzerTestOneInput(data.data(), data.size());
}

TEST(ASTERISM_CORPUS_NAME, EndsWellWholeAndTruncatedAnywhere) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ASTERISM_CORPUS)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_LE(bytes.size(), 8192u);
    for (std::size_t length = 0; length <= bytes.size(); ++length) EXPECT_EQ(feed(bytes, length), 0);
    ++files;
  }
  EXPECT_GE(files, 20);
}

}  // namespace
}  // namespace asterism
