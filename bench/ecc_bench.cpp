// The speed of the bulk codec, encoding against ISA-L and syndromes of pages, and of the Monte Carlo
// simulation of Table 4.4, in one thread.
//
//   ecc_bench [--check] [--large MIB] [--trials N]
//
// Encoding is by RS(36,32), 32 bytes of data to 4 of parity; for ISA-L it is ec_encode_data with k = 32 and p
// = 4 over buffers of the same size. GB/s count data only. Subjects alternate; a figure is the median of its
// rounds, in processor time. --large: the size of data that does not fit in a cache, 1024 MiB by default.
// --trials: the number for each of the table's 56 cells, 10000000 by default; the time is that of all these
// trials. With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "ecc/fault_coverage.h"
#include "ecc/page_codec.h"
#include "figures.h"

#ifdef ASTERISM_ISAL
#include <isa-l/erasure_code.h>
#endif

namespace asterism {
namespace {

constexpr unsigned rounds = 15;
void figure(const std::string& name, double value, const std::string& unit, double limit) {
  figures.add("  " + name, fmt::format("{:.2f} {}", value, unit), value >= limit,
              limit == 0 ? "" : fmt::format(">= {:.2f}", limit));
}

struct Subject {
  std::function<void()> pass;  // processes all of the data once
  std::vector<double> seconds{};

  double median() const { return asterism::median(seconds); }
};

// Measures the seconds of one pass of each subject; the subjects alternate every 20 ms or so.
void measure(const std::vector<Subject*>& subjects, std::size_t bytes) {
  const std::size_t passes = std::max<std::size_t>(1, 200'000'000 / bytes);
  for (Subject* subject : subjects) subject->pass();
  for (unsigned round = 0; round < rounds; ++round)
    for (Subject* subject : subjects) {
      const double begin = cpu_seconds();
      for (std::size_t i = 0; i < passes; ++i) subject->pass();
      subject->seconds.push_back((cpu_seconds() - begin) / static_cast<double>(passes));
    }
}

// A buffer that is aligned like the pages of a memory.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : lines_(bytes / 64 + 1), bytes_(bytes) {}
  std::uint8_t* data() { return lines_.data()->bytes; }
  std::uint8_t& operator[](std::size_t i) { return data()[i]; }
  std::size_t size() const { return bytes_; }
  operator std::span<std::uint8_t>() { return {data(), bytes_}; }
  operator std::span<const std::uint8_t>() { return {data(), bytes_}; }

 private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  std::vector<Line> lines_;
  std::size_t bytes_;
};

struct Pages {
  Buffer data, parity, syndromes;

  explicit Pages(std::size_t bytes) : data(bytes), parity(bytes / 8), syndromes(bytes / 8) {
    Random random(1);
    for (std::size_t i = 0; i < bytes; i += 8)
      for (unsigned k = 0; k < 8; ++k) data[i + k] = static_cast<std::uint8_t>(random.at(i) >> 8 * k);
    PageCodec(EccMode::normal).encode(data, parity);
  }
};

#ifdef ASTERISM_ISAL
// The layout of ISA-L: 32 buffers of data and 4 of parity, each contiguous.
class IsaL {
 public:
  explicit IsaL(Buffer& data) : length_(data.size() / 32), parity_(4 * length_) {
    std::vector<unsigned char> matrix(36 * 32);
    gf_gen_cauchy1_matrix(matrix.data(), 36, 32);
    ec_init_tables(32, 4, &matrix[32 * 32], tables_.data());
    for (std::size_t i = 0; i < 32; ++i) from_.push_back(&data[i * length_]);
    for (std::size_t i = 0; i < 4; ++i) to_.push_back(&parity_[i * length_]);
  }
  void encode() {
    ec_encode_data(static_cast<int>(length_), 32, 4, tables_.data(), from_.data(), to_.data());
  }

 private:
  std::size_t length_;
  Buffer parity_;
  std::vector<std::uint8_t> tables_ = std::vector<std::uint8_t>(32 * 4 * 32);
  std::vector<unsigned char*> from_, to_;
};
#endif

void measure_size(std::size_t bytes, const std::string& where, bool in_cache) {
  Pages pages(bytes);
  const auto gigabytes = static_cast<double>(bytes) / 1e9;
  std::vector<Subject> encoders, checkers;
  const std::vector<CodecPath> paths = in_cache ? codec_paths() : std::vector{codec_paths().back()};
  std::vector<PageCodec> codecs;
  codecs.reserve(paths.size());
  for (const CodecPath path : paths) codecs.emplace_back(EccMode::normal, path);
  for (const PageCodec& codec : codecs) {
    encoders.push_back({[&] { codec.encode(pages.data, pages.parity); }});
    checkers.push_back({[&] { codec.syndromes(pages.data, pages.parity, pages.syndromes); }});
  }
#ifdef ASTERISM_ISAL
  IsaL isal(pages.data);
  encoders.push_back({[&] { isal.encode(); }});
#endif
  std::vector<Subject*> all;
  for (auto* subjects : {&encoders, &checkers})
    for (Subject& subject : *subjects) all.push_back(&subject);
  measure(all, bytes);

  fmt::print("{}\n", where);
#ifdef ASTERISM_ISAL
  const double peer = gigabytes / encoders.back().median();
  figure("ISA-L encodes", peer, "GB/s", 0);
#endif
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string name(to_text(paths[i]));
    const double encoding = gigabytes / encoders[i].median(), checking = gigabytes / checkers[i].median();
    figure(name + " encodes", encoding, "GB/s", 0);
#ifdef ASTERISM_ISAL
    if (i + 1 == paths.size()) figure("of ISA-L's speed", encoding / peer, "", 1);
#endif
    figure(name + " finds syndromes", checking, "GB/s", in_cache && paths[i] == CodecPath::gfni ? 30 : 0);
    figure(name + " finds syndromes, codewords", checking / 32 * 1000, "M/s",
           in_cache && paths[i] == CodecPath::portable ? 100 : 0);
  }
}

void measure_table(std::uint64_t trials) {
  const double begin = cpu_seconds();
  std::uint64_t silent = 0;
  for (const auto& [code, code_name, code_meaning] : enum_names(CoverageCode{}))
    for (const auto& [failure, name, meaning] : enum_names(FailureMode{}))
      silent += measure_coverage(EccProfile::thesis, code, failure, trials, 1).silent;
  const double seconds = cpu_seconds() - begin;
  constexpr double limit = 60;
  fmt::print("Table 4.4, 56 cells of {} trials, {} silent\n", trials, silent);
  figures.add("  profile thesis", fmt::format("{:.2f} s", seconds), trials != 10'000'000 || seconds < limit,
              fmt::format("< {:.0f} s", limit));
}

void measure(std::size_t large, std::uint64_t trials) {
#ifndef ASTERISM_ISAL
  fmt::print("built without ISA-L (libisal-dev): nothing to compare encoding with\n");
#endif
  measure_size(4096, "a page of 4 KiB", true);
  measure_size(32 << 10, "32 KiB", true);
  measure_size(large << 20, fmt::format("{} MiB", large), false);
  measure_table(trials);
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::size_t large = 1024;
  std::uint64_t trials = 10'000'000;
  app.add_option("--large", large, "MiB of the largest area");
  app.add_option("--trials", trials, "Of a cell of Table 4.4");
  return asterism::bench_main(argc, argv, app, [&] { asterism::measure(large, trials); });
}
