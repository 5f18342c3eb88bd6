// Random programs made from the decoder's own table: a row is chosen, its free bits are drawn, and words that
// decode are kept. Registers and distances are restricted so that a program ends, and so that its loads and
// stores stay within the data:
//
//   x17           the target of an indirect branch (an ADR before the branch sets it)
//   x18, x19      reserved for code that is put around a program (guest.h)
//   x20, x21      small indices
//   x22           a small index with random upper bits (for UXTW and SXTW)
//   x23           a negative index
//   x24, x25, sp  bases that write-back changes
//   x26 to x28    aligned bases that nothing changes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/a64/decoder.h"
#include "core/a64/oracle/machine.h"

namespace asterism::a64::oracle {

struct Program {
  std::vector<std::uint32_t> words;
};

class Generator {
 public:
  // `of_class`: one of classes(), or "all"; "dense" is integers and branches on four registers, so that
  // instructions depend on each other (and are fused). `row`: only rows whose name contains it.
  Generator(std::string_view of_class, std::string_view row, const Options& options, std::uint64_t seed);
  static const std::vector<std::string>& classes();

  bool is_empty() const { return rows_.empty(); }
  const std::vector<const Row*>& rows() const { return rows_; }

  Program program(unsigned instructions);
  Registers registers();
  void fill(std::span<std::uint8_t> data);

 private:
  struct Slot {
    std::uint32_t word;
    bool is_behind_adr = false;
  };
  void choose_exclusives();
  bool draw(const Row& row, std::uint32_t& word);
  bool steer(std::uint32_t& word);
  bool steer_load_store(std::uint32_t& word);
  void steer_targets(std::uint32_t& word);
  void aim_branches(std::vector<Slot>& slots);
  std::uint64_t value();
  std::uint64_t vector_half();

  Options options_;
  Random random_;
  bool has_memory_ = false, has_branches_ = false, mixed_ = false, few_registers_ = false;
  bool exclusive_pair_ = false;  // of all exclusives in a program
  unsigned exclusive_size_ = 0;
  std::vector<const Row*> rows_;
};

// The name of the word's row; "(no row)" if there is none.
std::string describe(std::uint32_t word, const Options& options);

}  // namespace asterism::a64::oracle
