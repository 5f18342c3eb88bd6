#include "core/a64/oracle/decode_sweep.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/random.h"
#include "core/a64/decoder.h"
#include "core/a64/oracle/known_differences.h"
#include "core/a64/oracle/machine.h"
#include "core/a64/oracle/unicorn_calls.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint32_t excp_udef = 1;
constexpr std::size_t chunk = 1 << 15;  // words that one engine translates before a new one is made

bool is_defined(std::uint32_t word, const Options& options) {
  const Row* row = find_row(word, options);
  if (!row) return false;
  std::vector<std::uint64_t> constants;
  Decoding decoding(word, Context{.el0 = false, .fp_enabled = true}, options, constants);
  return row->decode(decoding);
}

// Encodings of options of the engine that `max` has, without any other extension beyond a Cortex-A57. Of the
// SIMD instructions of FP16 there are only those that are allocated, since QEMU aborts at the others.
constexpr Encoding optional_space[] = {
    // clang-format off
    encoding("xx 111 0 00 xx 1 xxxxx 0 xxx 00 Rn Rt"),        // LDADD and similar
    encoding("xx 111 0 00 xx 1 xxxxx 1 000 00 Rn Rt"),        // SWP
    encoding("xx 111 0 00 xx 1 xxxxx 1 100 00 Rn Rt"),        // LDAPR
    encoding("xx 001000 1 x 1 xxxxx x 11111 Rn Rt"),          // CAS
    encoding("0 x 001000 0 x 1 xxxxx x 11111 Rn Rt"),         // CASP
    encoding("x 0011110 11 x xxxxx xxxxxx Rn Rd"),            // scalar floating point of halves
    encoding("00011111 11 x Rm x Ra Rn Rd"),
    encoding("0 Q 0 01110 0 10 Rm 00 0xx 1 Rn Rd"),           // three same (FP16)
    encoding("0 Q 0 01110 0 10 Rm 00 1x0 1 Rn Rd"),
    encoding("0 Q 0 01110 0 10 Rm 00 111 1 Rn Rd"),
    encoding("0 Q 0 01110 1 10 Rm 00 00x 1 Rn Rd"),
    encoding("0 Q 0 01110 1 10 Rm 00 010 1 Rn Rd"),
    encoding("0 Q 0 01110 1 10 Rm 00 11x 1 Rn Rd"),
    encoding("0 Q 1 01110 0 10 Rm 00 0x0 1 Rn Rd"),
    encoding("0 Q 1 01110 0 10 Rm 00 011 1 Rn Rd"),
    encoding("0 Q 1 01110 0 10 Rm 00 1xx 1 Rn Rd"),
    encoding("0 Q 1 01110 1 10 Rm 00 0x0 1 Rn Rd"),
    encoding("0 Q 1 01110 1 10 Rm 00 10x 1 Rn Rd"),
    encoding("0 Q 1 01110 1 10 Rm 00 110 1 Rn Rd"),
    encoding("01 U 11110 x 10 Rm 00 xxx 1 Rn Rd"),
    encoding("0 Q 0 01110 0 1 11100 110xx 10 Rn Rd"),         // two-register miscellaneous (FP16)
    encoding("0 Q 0 01110 0 1 11100 1110x 10 Rn Rd"),
    encoding("0 Q 0 01110 1 1 11100 011xx 10 Rn Rd"),
    encoding("0 Q 0 01110 1 1 11100 110xx 10 Rn Rd"),
    encoding("0 Q 0 01110 1 1 11100 11101 10 Rn Rd"),
    encoding("0 Q 1 01110 0 1 11100 110xx 10 Rn Rd"),
    encoding("0 Q 1 01110 0 1 11100 1110x 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 0110x 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 01111 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 11001 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 1101x 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 11101 10 Rn Rd"),
    encoding("0 Q 1 01110 1 1 11100 11111 10 Rn Rd"),
    encoding("01 0 11110 0 1 11100 1101x 10 Rn Rd"),
    encoding("01 0 11110 0 1 11100 1110x 10 Rn Rd"),
    encoding("01 0 11110 1 1 11100 0110x 10 Rn Rd"),
    encoding("01 0 11110 1 1 11100 01110 10 Rn Rd"),
    encoding("01 0 11110 1 1 11100 1101x 10 Rn Rd"),
    encoding("01 0 11110 1 1 11100 11101 10 Rn Rd"),
    encoding("01 0 11110 1 1 11100 11111 10 Rn Rd"),
    encoding("01 1 11110 0 1 11100 1101x 10 Rn Rd"),
    encoding("01 1 11110 0 1 11100 1110x 10 Rn Rd"),
    encoding("01 1 11110 1 1 11100 0110x 10 Rn Rd"),
    encoding("01 1 11110 1 1 11100 1101x 10 Rn Rd"),
    encoding("01 1 11110 1 1 11100 11101 10 Rn Rd"),
    encoding("0 Q U 01110 xx 11000 xxxxx 10 Rn Rd"),          // across lanes
    encoding("01 U 11110 xx 11000 xxxxx 10 Rn Rd"),           // scalar pairwise
    encoding("0 Q U 011110 001x xxx xxxxx 1 Rn Rd"),          // shift by immediate: of halves
    encoding("01 U 111110 001x xxx xxxxx 1 Rn Rd"),
    encoding("0 Q x 0111100000 xxx 1111 x1 xxxxx Rd"),        // modified immediate: of floating point
    encoding("0 Q U 01110 xx 0 Rm 1 000x 1 Rn Rd"),           // three same extra: SQRDMLAH, SQRDMLSH
    encoding("01 U 11110 xx 0 Rm 1 000x 1 Rn Rd"),
    encoding("0 Q U 01110 xx 0 Rm 1 0010 1 Rn Rd"),           // SDOT, UDOT
    encoding("0 Q U 01111 xx L Rm 11x1 H 0 Rn Rd"),           // by element: SQRDMLAH, SQRDMLSH
    encoding("01 U 11111 xx L Rm 11x1 H 0 Rn Rd"),
    encoding("0 Q U 01111 xx L Rm 1110 H 0 Rn Rd"),           // SDOT, UDOT
    encoding("0 Q 0 01111 00 L Rm 0x01 H 0 Rn Rd"),           // FMLA, FMLS
    encoding("01 0 11111 00 L Rm 0x01 H 0 Rn Rd"),
    encoding("0 Q U 01111 00 L Rm 1001 H 0 Rn Rd"),           // FMUL, FMULX
    encoding("01 U 11111 00 L Rm 1001 H 0 Rn Rd"),
    // clang-format on
};
bool is_in_optional_space(std::uint32_t word) {
  return std::ranges::any_of(optional_space, [&](const Encoding& space) { return space.matches(word); });
}

}  // namespace

// Executes words one at a time, with all registers 0 and no memory but their own. Every effect other than an
// undefined instruction shows that they are defined.
class Sweep::Translator {
 public:
  explicit Translator(int model) : model_(model) {}
  ~Translator() { close(); }

  std::vector<bool> defined(std::span<const std::uint32_t> words) {
    std::vector<bool> result;
    result.reserve(words.size());
    for (std::size_t at = 0; at < words.size(); at += chunk) {
      const auto part = words.subspan(at, std::min(chunk, words.size() - at));
      open();
      require(uc_mem_write(uc_, code_base, part.data(), part.size_bytes()), "code");
      for (std::size_t i = 0; i < part.size(); ++i) result.push_back(is_defined(code_base + 4 * i));
    }
    return result;
  }

 private:
  void open() {
    close();
    require(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc_), "open");
    require(uc_ctl_set_cpu_model(uc_, model_), "model");
    require(uc_mem_map(uc_, code_base, 4 * chunk, UC_PROT_ALL), "code");
    uc_hook hook;
    require(uc_hook_add(uc_, &hook, UC_HOOK_INTR, reinterpret_cast<void*>(&on_exception), this, 1, 0),
            "hook");
    require(uc_hook_add(uc_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(&on_block), this, 1, 0), "hook");
    require(uc_context_alloc(uc_, &reset_), "context");
    require(uc_context_save(uc_, reset_), "context");
  }
  void close() {
    if (!uc_) return;
    uc_context_free(reset_);
    uc_close(uc_);
    uc_ = nullptr;
  }
  bool is_defined(std::uint64_t at) {
    exception_ = 0;
    blocks_ = 0;
    uc_context_restore(uc_, reset_);
    uc_emu_start(uc_, at, at + 4, 0, 0);
    if (exception_ != excp_udef) return true;
    // A branch to this word may have caused its translation together with the following ones.
    std::uint64_t pc = 0;
    uc_reg_read(uc_, UC_ARM64_REG_PC, &pc);
    return pc != at;
  }
  static void on_exception(uc_engine* uc, std::uint32_t number, void* self) {
    static_cast<Translator*>(self)->exception_ = number;
    uc_emu_stop(uc);
  }
  static void on_block(uc_engine* uc, std::uint64_t, std::uint32_t, void* self) {
    if (++static_cast<Translator*>(self)->blocks_ > 1) uc_emu_stop(uc);
  }

  int model_;
  uc_engine* uc_ = nullptr;
  uc_context* reset_ = nullptr;
  std::uint32_t exception_ = 0;
  unsigned blocks_ = 0;
};

Sweep::Sweep()
    : a57_(std::make_unique<Translator>(UC_CPU_ARM64_A57)),
      max_(std::make_unique<Translator>(UC_CPU_ARM64_MAX)) {}
Sweep::~Sweep() = default;

std::vector<SweepDifference> Sweep::compare(std::span<const std::uint32_t> words) {
  std::vector<std::uint32_t> compared, optional;
  for (const std::uint32_t word : words) {
    if (known_difference(word, Aspect::decoding)) continue;
    compared.push_back(word);
    if (is_in_optional_space(word)) optional.push_back(word);
  }
  std::vector<SweepDifference> result;
  const auto check = [&](const std::vector<std::uint32_t>& those, Translator& oracle,
                         const Options& options) {
    const std::vector<bool> expected = oracle.defined(those);
    for (std::size_t i = 0; i < those.size(); ++i) {
      const bool defined = is_defined(those[i], options);
      if (defined == expected[i]) continue;
      const Row* row = find_row(those[i], options);
      result.push_back({those[i], defined, row ? row->name : "-"});
    }
  };
  check(compared, *a57_, {.features = features_of(Cpu::cortex_a57)});
  check(optional, *max_, {.features = features_of(Cpu::max)});
  return result;
}

// ---- words ----

namespace {

// Encodings whose low ten bits are not two registers: branches, exceptions and system instructions;
// conditional compares and instructions on flags; floating-point compares, conditional compares and
// immediates.
bool has_codes_below(std::uint32_t word) {
  return (word & 0x7c00'0000) == 0x5400'0000 || (word & 0x1fe0'0000) == 0x1a00'0000 ||
         (word & 0x1fe0'0000) == 0x1a40'0000 || (word & 0x5f20'0000) == 0x1e20'0000;
}

}  // namespace

std::vector<std::uint32_t> sweep_words(std::uint32_t first, std::uint32_t last, unsigned stride) {
  static constexpr std::array<std::uint32_t, 6> low = {
      0 << 5 | 0, 1 << 5 | 0, 30 << 5 | 1, 31 << 5 | 31, 2 << 5 | 31, 31 << 5 | 2,
  };
  std::vector<std::uint32_t> words;
  for (std::uint64_t upper = first >> 10; upper <= last >> 10; upper += stride) {
    const auto word = static_cast<std::uint32_t>(upper << 10);
    if (has_codes_below(word)) {
      for (std::uint32_t i = 0; i < 32; ++i)
        for (const std::uint32_t other : {0u, 1u, 31u}) {
          words.push_back(word | i << 5 | other);
          if (i != 0 && i != 1 && i != 31) words.push_back(word | other << 5 | i);
        }
    } else {
      for (const std::uint32_t registers : low) words.push_back(word | registers);
    }
  }
  return words;
}

std::vector<std::uint32_t> row_neighbours(unsigned times, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> words;
  for (const Row* row : all_rows()) {
    for (unsigned turned = 0; turned <= 32; ++turned) {
      const std::uint32_t turn = turned == 32 ? 0 : 1u << turned;
      if (turned != 32 && !(row->encoding.mask & turn)) continue;
      for (unsigned i = 0; i < times; ++i)
        words.push_back((row->encoding.value ^ turn) |
                        (static_cast<std::uint32_t>(random.next()) & ~row->encoding.mask));
    }
  }
  return words;
}

}  // namespace asterism::a64::oracle
