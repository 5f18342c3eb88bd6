// Compares every floating-point instruction, and FPSR, with qemu-aarch64 bit for bit.
//
//   ASTERISM_FLOAT_CASES=100000000 ASTERISM_FLOAT_SEED=7
//   build/release/models/core/a64/float_oracle/float_oracle_test
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/temporary_folder.h"
#include "core/a64/cpu.h"
#include "core/a64/float_oracle/cases.h"
#include "core/idle_iss_host.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t batch = 1 << 17, usual_cases = 10 * batch;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// The engine's operations, run one by one.
class Native {
 public:
  explicit Native(const std::vector<FloatInstruction>& instructions) {
    for (const FloatInstruction& instruction : instructions) {
      std::vector<std::uint64_t> constants;
      Decoding decoding(instruction.word, {.el0 = false, .fp_enabled = true}, cpu_.options, constants);
      decode(decoding);
      Program& program = programs_.emplace_back();
      program.operations[0] = decoding.op;
      program.operations[1] = Cpu::exit_operation;
      if (decoding.is_wide()) {
        program.constant = constants[0];
        program.operations[0].imm = offsetof(Program, constant);
      }
    }
  }
  FloatOutcome run(const FloatCase& given) {
    cpu_.fpcr = given.fpcr, cpu_.fpsr = given.fpsr;
    cpu_.flags.set(given.nzcv >> 28);
    for (std::size_t i = 0; i < given.v.size(); ++i) cpu_.v[i].d = given.v[i];
    for (std::size_t i = 0; i < given.x.size(); ++i) cpu_.x[i] = given.x[i];
    const Operation* op = programs_[given.instruction].operations.data();
    while (op) op = op->run(cpu_, op);
    return {cpu_.v[0].d, cpu_.x[0], cpu_.fpsr, cpu_.flags.nzcv() << 28};
  }

 private:
  struct Program {
    std::array<Operation, 2> operations;
    std::uint64_t constant = 0;
  };
  IdleIssHost host_;
  Cpu cpu_{host_, 0, {.features = CoreFeatures::all()}};
  std::vector<Program> programs_;
};

// Runs guest.c on qemu-aarch64 with a batch of cases.
std::vector<FloatOutcome> run_on_qemu(const std::vector<FloatInstruction>& instructions,
                                      const std::vector<FloatCase>& cases) {
  const TemporaryFolder folder;
  const std::string path = folder / "cases";
  {
    std::ofstream file(path, std::ios::binary);
    const auto count = static_cast<std::uint32_t>(instructions.size());
    file.write(reinterpret_cast<const char*>(&count), sizeof count);
    for (const FloatInstruction& instruction : instructions)
      file.write(reinterpret_cast<const char*>(&instruction.word), sizeof instruction.word);
    file.write(reinterpret_cast<const char*>(cases.data()),
               static_cast<std::streamsize>(cases.size() * sizeof(FloatCase)));
  }
  std::vector<FloatOutcome> outcomes(cases.size());
  const std::string command = std::string(FLOAT_ORACLE_QEMU) + " -cpu max " FLOAT_ORACLE_GUEST " < " + path;
  FILE* pipe = popen(command.c_str(), "r");
  const std::size_t got = pipe ? std::fread(outcomes.data(), sizeof(FloatOutcome), outcomes.size(), pipe) : 0;
  EXPECT_EQ(pipe ? pclose(pipe) : -1, 0) << command;
  outcomes.resize(got);
  return outcomes;
}

// QEMU extends the sign of a scalar FCVTZS of half precision with fraction bits to 32 bits. According to the
// manual, the rest of the register is 0, as it is in QEMU for the same conversion without fraction bits.
FloatOutcome by_the_manual(const FloatInstruction& instruction, FloatOutcome of_qemu) {
  constexpr Encoding scalar_fcvtzs = encoding("01 0 111110 001x immb 11111 1 Rn Rd");
  if (scalar_fcvtzs.matches(instruction.word)) of_qemu.v[0] &= 0xffff;
  return of_qemu;
}

TEST(FloatOracle, AgreesWithQemuBitForBit) {
  if (std::string(FLOAT_ORACLE_GUEST).empty() || std::string(FLOAT_ORACLE_QEMU).empty())
    GTEST_SKIP()
        << "qemu-aarch64 or aarch64-linux-gnu-gcc was missing when this was built (scripts/setup test)";
  const std::uint64_t seed = from_environment("ASTERISM_FLOAT_SEED", std::random_device()());
  const std::uint64_t total = from_environment("ASTERISM_FLOAT_CASES", usual_cases);
  std::printf("seed %llu, %llu cases\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(total));
  std::mt19937_64 random(seed);
  const std::vector<FloatInstruction> instructions = float_instructions(random);
  std::printf("%zu instructions\n", instructions.size());
  Native native(instructions);

  int differences = 0;
  for (std::uint64_t done = 0; done < total; done += batch) {
    std::vector<FloatCase> cases(std::min(batch, total - done));
    for (FloatCase& one : cases) one = float_case(random, instructions);
    const std::vector<FloatOutcome> expected = run_on_qemu(instructions, cases);
    ASSERT_EQ(expected.size(), cases.size())
        << "qemu-aarch64 ended early, at "
        << describe(instructions[cases[expected.size()].instruction], cases[expected.size()]);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const FloatOutcome actual = native.run(cases[i]);
      const FloatInstruction& instruction = instructions[cases[i].instruction];
      if (actual == by_the_manual(instruction, expected[i])) continue;
      ADD_FAILURE() << describe(instruction, cases[i]) << "\n  is   " << describe(actual) << "\n  qemu "
                    << describe(expected[i]);
      ASSERT_LT(++differences, 20) << "there may be more differences";
    }
  }
}

}  // namespace
}  // namespace asterism::a64
