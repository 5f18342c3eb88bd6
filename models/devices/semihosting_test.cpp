#include "devices/semihosting.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/random.h"
#include "base/temporary_folder.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t base = 0x4000'0000, size = 1 << 16, block = base, text = base + 0x100,
                        buffer = base + 0x1000;
constexpr std::uint64_t failed = ~std::uint64_t{0};

struct Memory : GuestMemory {
  std::vector<std::byte> bytes = std::vector<std::byte>(size);
  bool holds(Address first, std::size_t length) const {
    return AddressRange{Address(base), Bytes(size)}.contains(first, Bytes(length));
  }
  bool read(Address first, std::span<std::byte> data) override {
    if (!holds(first, data.size())) return false;
    std::memcpy(data.data(), &bytes[first.value() - base], data.size());
    return true;
  }
  bool write(Address first, std::span<const std::byte> data) override {
    if (!holds(first, data.size())) return false;
    std::memcpy(&bytes[first.value() - base], data.data(), data.size());
    return true;
  }
};

struct SemihostingTest : testing::Test {
  TemporaryFolder surroundings;
  fs::path directory = surroundings / "files";
  Memory memory;
  std::unique_ptr<Semihosting> host;
  std::string output, errors;
  std::vector<std::string> warnings;
  Picoseconds now;

  SemihostingTest() {
    fs::create_directories(directory);
    SemihostingMachine machine;
    machine.start_seconds = 1'000'000;
    machine.heap_base = Address(0x4100'0000);
    machine.heap_limit = machine.stack_base = Address(0x4200'0000);
    host = std::make_unique<Semihosting>(SemihostingConfig{directory, "cg nx=16"}, machine);
    host->console_output = [this](std::string_view written) { output += written; };
    host->console_error = [this](std::string_view written) { errors += written; };
    host->warn = [this](const std::string& line) { warnings.push_back(line); };
  }

  void poke(std::uint64_t address, std::string_view data) {
    std::memcpy(&memory.bytes[address - base], data.data(), data.size());
  }
  std::string peek(std::uint64_t address, std::size_t length) {
    return std::string(reinterpret_cast<const char*>(&memory.bytes[address - base]), length);
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value;
    std::memcpy(&value, &memory.bytes[address - base], 8);
    return value;
  }
  // Makes a call with an argument block of these words.
  std::uint64_t call(std::uint32_t operation, std::initializer_list<std::uint64_t> words) {
    std::size_t at = block - base;
    for (std::uint64_t value : words) std::memcpy(&memory.bytes[at], &value, 8), at += 8;
    return host->call(operation, block, now, memory).value;
  }
  std::uint64_t plain(std::uint32_t operation, std::uint64_t argument = 0) {
    return host->call(operation, argument, now, memory).value;
  }
  std::uint64_t open(const std::string& name, std::uint64_t mode) {
    poke(text, name);
    return call(Semihosting::sys_open, {text, mode, name.size()});
  }
  std::uint64_t write(std::uint64_t handle, const std::string& data) {
    poke(buffer, data);
    return call(Semihosting::sys_write, {handle, buffer, data.size()});
  }
  std::uint64_t last_error() { return plain(Semihosting::sys_errno); }
  std::string file(const std::string& name) {
    std::ifstream stream(directory / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(SemihostingTest, TheConsoleHasInputOutputAndError) {
  EXPECT_EQ(open(":tt", 0), 1u);
  EXPECT_EQ(open(":tt", 4), 2u);
  EXPECT_EQ(open(":tt", 8), 3u);
  EXPECT_EQ(write(2, "out"), 0u);
  EXPECT_EQ(write(3, "error"), 0u);
  EXPECT_EQ(write(1, "no"), 2u);
  EXPECT_EQ(last_error(), static_cast<unsigned>(EBADF));
  EXPECT_EQ(call(Semihosting::sys_istty, {2}), 1u);
  EXPECT_EQ(output, "out");
  EXPECT_EQ(errors, "error");
}

TEST_F(SemihostingTest, CharactersAndStringsGoToTheConsole) {
  poke(text, std::string_view("x", 1));
  EXPECT_EQ(plain(Semihosting::sys_writec, text), 0xDEADBEEFu);
  poke(text, std::string_view("hello\n\0", 7));
  EXPECT_EQ(plain(Semihosting::sys_write0, text), 0xDEADBEEFu);
  EXPECT_EQ(output, "xhello\n");
}

TEST_F(SemihostingTest, AStringMayEndWithTheMemory) {
  poke(base + size - 70, std::string(69, 'e'));
  plain(Semihosting::sys_write0, base + size - 70);
  EXPECT_EQ(output, std::string(69, 'e'));
  memory.bytes.back() = std::byte{'!'};
  EXPECT_EQ(plain(Semihosting::sys_write0, base + size - 70), failed);
}

TEST_F(SemihostingTest, ConsoleInputComesFromItsSource) {
  std::string typed = "ab";
  host->console_input = [&](std::span<char> space) {
    const std::size_t count = typed.copy(space.data(), space.size());
    typed.erase(0, count);
    return count;
  };
  EXPECT_EQ(plain(Semihosting::sys_readc), 'a');
  open(":tt", 0);
  EXPECT_EQ(call(Semihosting::sys_read, {1, buffer, 5}), 4u);
  EXPECT_EQ(peek(buffer, 1), "b");
  EXPECT_EQ(plain(Semihosting::sys_readc), failed);
}

TEST_F(SemihostingTest, AFileIsWrittenAndReadBack) {
  const auto out = open("result.txt", 4);
  EXPECT_EQ(write(out, "0123456789"), 0u);
  EXPECT_EQ(call(Semihosting::sys_flen, {out}), 10u);
  EXPECT_EQ(call(Semihosting::sys_istty, {out}), 0u);
  EXPECT_EQ(call(Semihosting::sys_close, {out}), 0u);
  EXPECT_EQ(file("result.txt"), "0123456789");
  const auto in = open("result.txt", 1);
  EXPECT_EQ(call(Semihosting::sys_seek, {in, 6}), 0u);
  EXPECT_EQ(call(Semihosting::sys_read, {in, buffer, 100}), 96u);
  EXPECT_EQ(peek(buffer, 4), "6789");
  EXPECT_EQ(call(Semihosting::sys_read, {in, buffer, 100}), 100u);
}

TEST_F(SemihostingTest, AppendingKeepsWhatWasThere) {
  for (const char* part : {"one", "two"}) {
    const auto handle = open("log", 8);
    EXPECT_EQ(write(handle, part), 0u);
    call(Semihosting::sys_close, {handle});
  }
  EXPECT_EQ(file("log"), "onetwo");
}

TEST_F(SemihostingTest, PathsThatClimbOutAreRefusedAndLogged) {
  EXPECT_EQ(open("../escape", 4), failed);
  EXPECT_EQ(last_error(), static_cast<unsigned>(EACCES));
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "guest's SYS_OPEN fails: '../escape' is refused: the path climbs out of the directory"}));
  EXPECT_FALSE(fs::exists(directory.parent_path() / "escape"));
}

TEST_F(SemihostingTest, FilesAreRemovedAndRenamed) {
  open("a", 4);
  poke(text, "ab");
  EXPECT_EQ(call(Semihosting::sys_rename, {text, 1, text + 1, 1}), 0u);
  EXPECT_TRUE(fs::exists(directory / "b"));
  EXPECT_EQ(call(Semihosting::sys_remove, {text + 1, 1}), 0u);
  EXPECT_EQ(call(Semihosting::sys_remove, {text + 1, 1}), failed);
  EXPECT_EQ(last_error(), static_cast<unsigned>(ENOENT));
}

TEST_F(SemihostingTest, TimeIsSimulatedTime) {
  now = 2'345'678'901'234_ps;
  EXPECT_EQ(plain(Semihosting::sys_clock), 234u);
  EXPECT_EQ(plain(Semihosting::sys_time), 1'000'002u);
  EXPECT_EQ(plain(Semihosting::sys_elapsed, buffer), 0u);
  EXPECT_EQ(word(buffer), 2'345'678'901u);
  EXPECT_EQ(plain(Semihosting::sys_tickfreq), 1'000'000'000u);
}

TEST_F(SemihostingTest, TheCommandLineComesWithItsLength) {
  EXPECT_EQ(call(Semihosting::sys_get_cmdline, {buffer, 9}), 0u);
  EXPECT_EQ(peek(buffer, 9), std::string("cg nx=16\0", 9));
  EXPECT_EQ(word(block + 8), 8u);
  EXPECT_EQ(call(Semihosting::sys_get_cmdline, {buffer, 8}), failed);
}

TEST_F(SemihostingTest, HeapInformationNamesTheMemoryToUse) {
  EXPECT_EQ(call(Semihosting::sys_heapinfo, {buffer}), 0u);
  EXPECT_EQ(word(buffer), 0x4100'0000u);
  EXPECT_EQ(word(buffer + 8), 0x4200'0000u);
  EXPECT_EQ(word(buffer + 16), 0x4200'0000u);
  EXPECT_EQ(word(buffer + 24), 0u);
}

TEST_F(SemihostingTest, TheFeaturesFileAnnouncesBothExtensions) {
  const auto handle = open(":semihosting-features", 0);
  EXPECT_EQ(call(Semihosting::sys_flen, {handle}), 5u);
  EXPECT_EQ(call(Semihosting::sys_read, {handle, buffer, 5}), 0u);
  EXPECT_EQ(peek(buffer, 5), "SHFB\x03");
  EXPECT_EQ(open(":semihosting-features", 4), failed);
}

TEST_F(SemihostingTest, ExitHandsOverReasonAndStatus) {
  poke(block, std::string_view("\x26\0\2\0\0\0\0\0\x2a\0\0\0\0\0\0\0", 16));
  for (std::uint32_t operation : {0x18u, 0x20u}) {
    const auto result = host->call(operation, block, now, memory);
    ASSERT_TRUE(result.exit);
    EXPECT_EQ(result.exit->reason, 0x20026u);
    EXPECT_EQ(result.exit->status, 42u);
  }
  poke(block, std::string_view("\x23", 1));  // another reason: a run-time error
  EXPECT_EQ(host->call(0x18, block, now, memory).exit->status, 1u);
}

TEST_F(SemihostingTest, IsErrorLooksAtTheSign) {
  EXPECT_EQ(call(Semihosting::sys_iserror, {failed}), 1u);
  EXPECT_EQ(call(Semihosting::sys_iserror, {0}), 0u);
}

TEST_F(SemihostingTest, TemporaryNamesDoNotDependOnTheHost) {
  EXPECT_EQ(call(Semihosting::sys_tmpnam, {buffer, 0x1A, 64}), 0u);
  EXPECT_EQ(peek(buffer, 19), std::string("semihosting-1a.tmp\0", 19));
  EXPECT_EQ(call(Semihosting::sys_tmpnam, {buffer, 0x1A, 18}), failed);
}

TEST_F(SemihostingTest, BadPointersAreErrorsOfTheGuest) {
  EXPECT_EQ(plain(Semihosting::sys_open, base + size - 8), failed);
  EXPECT_EQ(last_error(), static_cast<unsigned>(EFAULT));
  EXPECT_EQ(plain(Semihosting::sys_write0, 0x10), failed);
  EXPECT_EQ(plain(Semihosting::sys_exit, ~std::uint64_t{0} - 3), failed);
  EXPECT_EQ(call(Semihosting::sys_open, {0, 4, 4}), failed);
  EXPECT_EQ(call(Semihosting::sys_heapinfo, {~std::uint64_t{0}}), failed);
  EXPECT_EQ(warnings.size(), 5u);
}

TEST_F(SemihostingTest, HugeLengthsMoveNothing) {
  const auto handle = open("big", 6);
  for (std::uint64_t length : {failed, failed >> 1, std::uint64_t{size}}) {
    EXPECT_EQ(call(Semihosting::sys_write, {handle, buffer, length}), length);
    EXPECT_EQ(call(Semihosting::sys_read, {handle, buffer, length}), length);
    EXPECT_EQ(call(Semihosting::sys_open, {text, 0, length}), failed);
  }
  EXPECT_EQ(file("big"), "");
}

TEST_F(SemihostingTest, DataLongerThanAPieceArriveWhole) {
  std::string data(10'000, ' ');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>('a' + i % 26);
  EXPECT_EQ(write(open("long", 6), data), 0u);
  EXPECT_EQ(file("long"), data);
  EXPECT_EQ(call(Semihosting::sys_seek, {1, 0}), 0u);
  EXPECT_EQ(call(Semihosting::sys_read, {1, base + 0x8000, 10'000}), 0u);
  EXPECT_EQ(peek(base + 0x8000, 10'000), data);
}

TEST_F(SemihostingTest, ClosedAndUnknownHandlesAreRefused) {
  EXPECT_EQ(call(Semihosting::sys_close, {open("a", 4)}), 0u);
  for (std::uint64_t handle : {std::uint64_t{0}, std::uint64_t{1}, failed}) {
    EXPECT_EQ(call(Semihosting::sys_close, {handle}), failed);
    EXPECT_EQ(call(Semihosting::sys_write, {handle, buffer, 7}), 7u);
    EXPECT_EQ(call(Semihosting::sys_flen, {handle}), failed);
  }
  EXPECT_EQ(last_error(), static_cast<unsigned>(EBADF));
}

TEST_F(SemihostingTest, HandlesAreFew) {
  for (unsigned i = 1; i <= Semihosting::max_handles; ++i) EXPECT_EQ(open(":tt", 4), i);
  EXPECT_EQ(open(":tt", 4), failed);
  EXPECT_EQ(last_error(), static_cast<unsigned>(EMFILE));
  call(Semihosting::sys_close, {5});
  EXPECT_EQ(open(":tt", 4), 5u);
}

TEST_F(SemihostingTest, ResetClosesHandlesAndKeepsFiles) {
  write(open("kept", 4), "data");
  host->reset(Reset::power_loss);
  EXPECT_EQ(call(Semihosting::sys_flen, {1}), failed);
  host->reset(Reset::power_loss);
  EXPECT_EQ(last_error(), 0u);
  EXPECT_EQ(file("kept"), "data");
}

TEST_F(SemihostingTest, NoCommandRunsOnTheHost) {
  EXPECT_EQ(call(Semihosting::sys_system, {text, 4}), failed);
  EXPECT_EQ(plain(0x31 + 1), failed);
  EXPECT_EQ(warnings.back(), "guest called the unknown semihosting operation 0x32");
}

// For random operations on random blocks, every call must return and must create nothing outside.
TEST_F(SemihostingTest, AnyCallGetsAnAnswer) {
  Random random(5);
  const auto pick = [&]() -> std::uint64_t {
    switch (random.below(5)) {
      case 0:
        return random.below(8);
      case 1:
        return base + random.below(size + 64);
      case 2:
        return text;
      case 3:
        return random.below(5000);
      default:
        return random.next();
    }
  };
  const std::vector<std::string> names = {"a", "b/../c", "../d", ":tt", "/e", ":semihosting-features"};
  unsigned succeeded = 0;
  for (int i = 0; i < 50'000; ++i) {
    poke(text, names[random.below(names.size())] + '\0');
    const auto operation = static_cast<std::uint32_t>(random.below(0x34));
    const std::uint64_t words[] = {pick(), pick(), pick(), pick()};
    succeeded += call(operation, {words[0], words[1], words[2], words[3]}) != failed;
    if (random.below(4) == 0) plain(operation, pick());
    if (random.below(100) == 0) host->reset(Reset::warm);
  }
  EXPECT_GT(succeeded, 1000u);
  EXPECT_FALSE(fs::exists(directory.parent_path() / "d"));
}

}  // namespace
}  // namespace asterism
