#include "core/a64/oracle/decode_sweep.h"

#include <unicorn/unicorn.h>

#include <array>
#include <stdexcept>
#include <unordered_set>

#include "base/random.h"
#include "core/a64/decoder.h"
#include "core/a64/oracle/known_differences.h"
#include "core/a64/oracle/machine.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint32_t excp_udef = 1;
constexpr std::size_t chunk = 1 << 15;  // words that one engine translates before it is made anew

bool is_defined(std::uint32_t word, const Options& options) {
  const Row* row = find_row(word, options);
  if (!row) return false;
  std::vector<std::uint64_t> constants;
  Decoding decoding(word, Context{.el0 = false, .fp_enabled = true}, options, constants);
  return row->decode(decoding);
}

bool is_atomics_space(std::uint32_t word) {
  const std::uint32_t operation = word >> 12 & 0xf;
  return ((word & 0x3f20'0c00) == 0x3820'0000 && operation <= 8) ||  // LDADD and its kin, SWP
         (word & 0x3fa0'7c00) == 0x08a0'7c00 ||                      // CAS
         (word & 0xbfa0'7c00) == 0x0820'7c00;                        // CASP
}

void require(uc_err error, const char* what) {
  if (error != UC_ERR_OK)
    throw std::runtime_error(std::string("unicorn: ") + what + ": " + uc_strerror(error));
}

}  // namespace

// Runs words one at a time, all registers 0 and no memory but theirs: whatever they do, but an undefined instruction, tells
// that they are defined.
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
    // A branch of another word may have had this one translated together with the next ones.
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
  std::vector<std::uint32_t> plain, atomics;
  for (const std::uint32_t word : words)
    if (!known_difference(word, Aspect::decoding)) (is_atomics_space(word) ? atomics : plain).push_back(word);
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
  check(plain, *a57_, {});
  check(atomics, *max_, {});
  check(atomics, *a57_, {.lse = false});
  return result;
}

// ---- words ----

namespace {

// Low ten bits that are no two registers: branches, exceptions and system; conditional compares and the flags' instructions;
// floating-point compares, conditional ones and immediates.
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
