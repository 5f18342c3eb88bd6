// Runs single loads and stores near the borders of pages that are missing, read-only, not yet accessed or for
// EL1 only. Unicorn decides which of them fault, and with what syndrome and address. The state after a fault
// is compared with the state before it, because a fault changes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "core/a64/oracle/machine.h"
#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

constexpr unsigned pages = data_size / 4096;

std::vector<std::uint64_t> random_tables(Random& random) {
  using enum PageKind;
  static constexpr std::array<PageKind, 8> kinds = {read_write,   read_write, el0,     el0_read_only,
                                                    not_accessed, read_only,  missing, missing};
  std::array<PageKind, pages> chosen{};
  for (PageKind& kind : chosen) kind = kinds[random.below(kinds.size())];
  return identity_tables(chosen);
}

// The bases of addresses are near the pages' borders.
Registers about_borders(Generator& generator, Random& random) {
  Registers registers = generator.registers();
  const auto border = [&] { return data_base + 4096 * (2 + random.below(pages - 3)); };
  for (unsigned i = 24; i < 26; ++i) registers.x[i] = border() + random.below(160) - 80;
  for (unsigned i = 26; i < 29; ++i) registers.x[i] = border() + 16 * (random.below(10) - 5);
  registers.sp = border() + 16 * (random.below(10) - 5);
  return registers;
}

struct Tally {
  std::uint64_t runs = 0;
  std::map<std::uint64_t, std::uint64_t> syndromes;
};

class FaultStream {
 public:
  FaultStream(const std::string& of_class, std::uint64_t seed)
      : cpu_(of_class == "exclusive" ? Cpu::max : Cpu::cortex_a57),
        options_{.features = features_of(cpu_)},
        random_(seed),
        generator_(of_class, "", options_, seed),
        native_(make_native_machine(options_)),
        oracle_(make_unicorn_machine(cpu_)) {
    generator_.fill(native_->data());
    std::ranges::copy(native_->data(), oracle_->data().begin());
  }

  // Returns a description of the first difference, or an empty text.
  std::string run(unsigned programs, Tally& tally) {
    for (unsigned i = 0; i < programs; ++i) {
      if (i % 64 == 0) {
        const std::vector<std::uint64_t> tables = random_tables(random_);
        native_->translate_by(tables);
        oracle_->translate_by(tables);
        const std::array<std::uint32_t, 16> blank{};  // literals must not read the oracle's words
        native_->place(blank);
        oracle_->place(blank);
      }
      const std::uint32_t word = generator_.program(1).words.front();
      native_->place({&word, 1});
      oracle_->place({&word, 1});
      for (int times = 0; times < 8; ++times) {
        const Registers from = about_borders(generator_, random_);
        if (const std::string text = step(from, tally); !text.empty())
          return fmt::format("{:08x} {}\n{}  bases {:x} {:x} {:x} {:x} {:x} sp {:x}\n", word,
                             describe(word, options_), text, from.x[24], from.x[25], from.x[26], from.x[27],
                             from.x[28], from.sp);
      }
    }
    return {};
  }

 private:
  std::string step(const Registers& from, Tally& tally) {
    const std::vector<std::uint8_t> before(native_->data().begin(), native_->data().end());
    Outcome oracle = oracle_->run(from);
    if (oracle.left_memory) {  // Unicorn does not translate addresses beyond the data
      std::ranges::copy(before, oracle_->data().begin());
      return {};
    }
    const Outcome native = native_->run(from);
    ++tally.runs;
    if (oracle.exception) {
      ++tally.syndromes[oracle.exception->syndrome];
      // Unicorn keeps what an instruction did before its fault; the engine must undo it.
      oracle.registers = from;
      std::ranges::copy(before, oracle_->data().begin());
    }
    std::string text = difference(native, oracle);
    if (!std::ranges::equal(native_->data(), oracle_->data())) text += "  memory differs\n";
    return text;
  }

  Cpu cpu_;
  Options options_;
  Random random_;
  Generator generator_;
  std::unique_ptr<Machine> native_, oracle_;
};

class A64FaultStreams : public testing::TestWithParam<std::string> {};

TEST_P(A64FaultStreams, FaultAsUnicornDoesAndChangeNothing) {
  Tally tally;
  ASSERT_EQ(FaultStream(GetParam(), 1).run(4000, tally), "");
  EXPECT_GT(tally.runs, 31'000u);
  // The list has translation, access flag and permission faults of the last level, for loads and for stores.
  for (const std::uint64_t syndrome : {0x9600'0007u, 0x9600'0047u, 0x9600'000bu, 0x9600'004bu, 0x9600'004fu})
    EXPECT_GT(tally.syndromes[syndrome], 100u) << std::hex << syndrome;
}

INSTANTIATE_TEST_SUITE_P(Classes, A64FaultStreams,
                         testing::Values("load_store", "exclusive", "simd_load_store"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace asterism::a64::oracle
