// Operations call each other. Each call must be a tail call, or the stack would grow with every instruction,
// and in these tests it is too small for that. Builds that are not optimised have a loop instead.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstring>
#include <string>

#include "core/a64/operation.h"
#include "core/a64/oracle/guest.h"
#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::size_t stack = 64 << 10;
constexpr std::uint64_t length = 5'000'000;  // 16 bytes lost at one instruction of 512 would be 150 KiB

// A long program of one class in a loop.
GuestResult loop(const std::string& of_class, std::uint64_t seed) {
  Generator generator(of_class, "", {}, seed);
  GuestResult guest = GuestHost::beginning(make_guest(seed, 1));
  std::vector<std::uint32_t> words;
  const auto move = [&](unsigned rd,
                        std::uint64_t value) {  // MOVZ and MOVK undo what write-back has changed
    words.push_back(0xd280'0000 | static_cast<std::uint32_t>(value & 0xffff) << 5 | rd);
    words.push_back(0xf2a0'0000 | static_cast<std::uint32_t>(value >> 16 & 0xffff) << 5 | rd);
  };
  move(24, data_base + 0x8000);
  move(25, data_base + 0x8100);
  words.push_back(0x9100'035f);  // mov sp, x26
  const std::vector<std::uint32_t> program = generator.program(512).words;
  words.insert(words.end(), program.begin(), program.end());
  words.push_back(0x1400'0000 | (-static_cast<std::uint32_t>(words.size()) & 0x03ff'ffff));  // b
  std::memcpy(guest.code.data() + (program_base - code_base), words.data(), 4 * words.size());
  const Registers registers = generator.registers();
  std::ranges::copy(registers.x, guest.state.x.begin());
  guest.state.x[26] = data_base + 0x8000;
  guest.state.pc = program_base;
  return guest;
}

struct Job {
  const GuestResult* from;
  GuestResult result;
};

void* run(void* argument) {
  auto& job = *static_cast<Job*>(argument);
  job.result = GuestHost(*job.from, 1).run(length, length);
  return nullptr;
}

class A64TailCalls : public testing::TestWithParam<std::string> {};

TEST_P(A64TailCalls, DoNotGrowTheStack) {
  if (!threaded) GTEST_SKIP() << "the operations of this build are not threaded (a64/operation.h)";
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const GuestResult from = loop(GetParam(), seed);
    Job job{&from, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_EQ(job.result.instructions, length);
    EXPECT_GE(job.result.state.pc, program_base);
    EXPECT_LT(job.result.state.pc, vectors);
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, A64TailCalls, testing::ValuesIn(Generator::classes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace asterism::a64::oracle
