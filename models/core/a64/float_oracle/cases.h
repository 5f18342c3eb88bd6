// Random cases for floating-point instructions: words from the decoder's own rows, and operands among which
// difficult ones are frequent: NaNs with payloads, denormals, infinities, halfway cases, and results near the
// ends of the range.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/a64/decoder.h"

namespace asterism::a64 {

// An instruction with register 0 as Vd or Xd, and registers 1 to 3 as operands (V3 is Ra of FMADD).
struct FloatInstruction {
  std::uint32_t word = 0;
  const Row* row = nullptr;
};

// The same layout as in guest.c.
struct FloatCase {
  std::uint32_t instruction = 0;  // index
  std::uint32_t fpcr = 0, fpsr = 0, nzcv = 0;
  std::array<std::uint64_t, 2> x{};
  std::array<std::array<std::uint64_t, 2>, 4> v{};
};
struct FloatOutcome {
  std::array<std::uint64_t, 2> v{};
  std::uint64_t x = 0;
  std::uint32_t fpsr = 0, nzcv = 0;
  bool operator==(const FloatOutcome&) const = default;
};

// All forms of all rows of the floating-point instructions; of immediates, samples.
std::vector<FloatInstruction> float_instructions(std::mt19937_64& random);

FloatCase float_case(std::mt19937_64& random, const std::vector<FloatInstruction>& instructions);

std::string describe(const FloatInstruction& instruction, const FloatCase& given);
std::string describe(const FloatOutcome& outcome);

}  // namespace asterism::a64
