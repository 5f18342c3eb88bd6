// Compares the memory that rtl/dma_engine leaves, and its registers, with those of a reference, tests it as a
// device of a node, and tests mutants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/rtl_device.h"
#include "testbenches/dma_engine/mutants.h"
#include "testbenches/testbench.h"
#include "tlm/payload.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

using testing::ElementsAre;

constexpr Frequency clock_rate = 100_MHz;
constexpr Picoseconds period = 10_ns;
constexpr unsigned burst_words = 16;
constexpr const char* block = "rtl/dma_engine/block.json";

constexpr std::uint64_t id = 0x00, control = 0x04, status = 0x08, enable = 0x0C, clear = 0x10, length = 0x14,
                        source_low = 0x18, source_high = 0x1C, destination_low = 0x20,
                        destination_high = 0x24, error_low = 0x28, error_high = 0x2C, burst = 0x30;
constexpr std::uint32_t start = 1, stop = 2;            // of CONTROL
constexpr std::uint32_t busy = 1, done = 2, error = 4;  // of STATUS; ENABLE and CLEAR have the last two
constexpr std::uint32_t read_error = 0x10, write_error = 0x20, stopped = 0x30;  // CAUSE in STATUS

std::shared_ptr<const RtlLibrary> engine_library(const std::string& file, bool assertions) {
  return library_of(file, {std::string("assertions=") + (assertions ? "true" : "false")});
}

// Bytes that have a value before they are written.
struct Bytes8 {
  std::map<std::uint64_t, std::uint8_t> written;
  std::set<std::uint64_t> bad;  // words that are answered with an error

  std::uint8_t at(std::uint64_t address) const {
    const auto found = written.find(address);
    return found != written.end() ? found->second : static_cast<std::uint8_t>(Random(7).at(address));
  }
  std::uint32_t word(std::uint64_t address) const {
    std::uint32_t value = 0;
    for (unsigned byte = 0; byte < 4; ++byte) value |= std::uint32_t{at(address + byte)} << 8 * byte;
    return value;
  }
  // Returns the data, and whether the access fails.
  std::pair<std::uint32_t, bool> access(const BusAccess& access) {
    if (bad.contains(access.address)) return {0xBAD0BAD0, true};
    if (!access.write) return {word(access.address), false};
    for (unsigned byte = 0; byte < 4; ++byte)
      if (access.strobes >> byte & 1)
        written[access.address + byte] = static_cast<std::uint8_t>(access.data >> 8 * byte);
    return {0, false};
  }
};

// ---- a reference ----

struct Copy {
  std::uint64_t source = 0, destination = 0;
  std::uint32_t length = 0;
};
struct End {
  std::uint32_t status = 0;
  std::uint32_t left = 0;  // LENGTH
  std::uint64_t error_address = 0;
  bool operator==(const End&) const = default;
};

// Copies byte by byte, in the bursts of the engine. `words` counts the accesses.
End copy_in(Bytes8& memory, const Copy& copy, std::size_t& words) {
  const auto word_of = [](std::uint64_t address) { return address & ~std::uint64_t{3}; };
  std::uint32_t read = 0, written = 0;
  std::vector<std::uint8_t> bytes;
  while (written < copy.length) {
    const std::uint64_t first = word_of(copy.destination + written);
    while (read < copy.length && word_of(copy.destination + read) - first < 4 * burst_words) {
      const std::uint64_t word = word_of(copy.source + read);
      ++words;
      if (memory.bad.contains(word)) return {error | read_error, copy.length - written, word};
      for (; read < copy.length && word_of(copy.source + read) == word; ++read)
        bytes.push_back(memory.at(copy.source + read));
    }
    const std::uint64_t end =
        read == copy.length ? copy.destination + read : word_of(copy.destination + read);
    while (copy.destination + written != end) {
      const std::uint64_t word = word_of(copy.destination + written);
      ++words;
      if (memory.bad.contains(word)) return {error | write_error, copy.length - written, word};
      for (; copy.destination + written != end && word_of(copy.destination + written) == word; ++written)
        memory.written[copy.destination + written] = bytes[written];
    }
  }
  return {done, 0, 0};
}

// ---- the engine with a memory ----

struct Engine : RtlBus {
  Bytes8 memory;
  std::vector<std::pair<BusAccess, Picoseconds>> accesses;
  std::vector<std::pair<Picoseconds, std::uint32_t>> levels;  // of the lines: bit 0 DONE, bit 1 ERROR
  Picoseconds latency = 35_ns;
  Random jitter{3};  // of the latency, if it is zero

  explicit Engine(const RtlOptions& options = {}, const std::string& file = block, bool assertions = true)
      : RtlBus(engine_library(file, assertions), "engine", {.time = {.clock = clock_rate, .quantum = 1_us}},
               options) {
    on_interrupts = [this](Picoseconds at, std::uint32_t now_high) { levels.emplace_back(at, now_high); };
    on_master = [this](const BusAccess& access, Picoseconds at) {
      accesses.emplace_back(access, at);
      wanted_ = at;
    };
  }
  Picoseconds now() const { return now_; }

  // Handles the answers of memory and the events of the engine in the order of time, as a scheduler does.
  void let_time_pass(Picoseconds until) {
    while (now_ < until) {
      std::optional<Picoseconds> next = next_event();
      if (wanted_) {
        if (!answer_at_)
          answer_at_ = std::max(now_, *wanted_) +
                       (latency != Picoseconds() ? latency : Picoseconds(1 + jitter.below(80'000)));
        next = answer_at_;
      }
      if (!next || *next > until) break;
      now_ = std::max(now_, *next);
      catch_up(now_);
      if (answer_at_ && *answer_at_ <= now_) {
        wanted_.reset();
        answer_at_.reset();
        const auto [data, failed] = memory.access(accesses.back().first);
        answer_master(data, failed, now_);
      }
    }
    now_ = std::max(now_, until);
    catch_up(now_);
  }
  void write(std::uint64_t address, std::uint32_t data, unsigned strobes = 0xF) {
    let_time_pass(access({.write = true, .address = address, .data = data, .strobes = strobes}, now_).end);
  }
  std::uint32_t read(std::uint64_t address) {
    const Answer answer = access({.address = address}, now_);
    let_time_pass(answer.end);
    return answer.data;
  }
  std::uint64_t read_pair(std::uint64_t low) {
    const std::uint64_t upper = read(low + 4);
    return upper << 32 | read(low);
  }
  void write_pair(std::uint64_t low, std::uint64_t value) {
    write(low, static_cast<std::uint32_t>(value));
    write(low + 4, static_cast<std::uint32_t>(value >> 32));
  }
  // Returns the time of the edge that starts it.
  Picoseconds begin_copy(const Copy& copy) {
    write_pair(source_low, copy.source);
    write_pair(destination_low, copy.destination);
    write(length, copy.length);
    write(control, start);
    return now_;
  }
  End wait_for_end() {
    while ((read(status) & busy) != 0) let_time_pass(now_ + 1_us);
    End end;
    end.status = read(status);
    end.left = read(length);
    end.error_address = read_pair(error_low);
    return end;
  }

 private:
  Picoseconds now_;
  std::optional<Picoseconds> wanted_, answer_at_;
};

// Copies with both, and returns the difference; "" if there is none.
std::string difference(Engine& engine, const Copy& copy) {
  Bytes8 expected = engine.memory;
  std::size_t words = engine.accesses.size();
  const End end = copy_in(expected, copy, words);
  engine.begin_copy(copy);
  const End found = engine.wait_for_end();
  if (found != end)
    return "status " + std::to_string(found.status) + ", expected " + std::to_string(end.status) + "; left " +
           std::to_string(found.left) + ", expected " + std::to_string(end.left);
  if (engine.memory.written != expected.written) return "memory";
  if (engine.accesses.size() != words) return "accesses";
  return "";
}

// Random copies, some of which meet an error. All are near a place that needs both halves of an address.
std::string difference_of_many(Engine& engine, std::uint64_t seed, unsigned copies) {
  Random random(seed);
  constexpr std::uint64_t base = 0x3'0000'0000 - 512;
  engine.latency = {};
  for (unsigned i = 0; i < copies; ++i) {
    Copy copy{.source = base + random.below(1024),
              .destination = base + 0x1'0000'0000 + random.below(1024),
              .length = static_cast<std::uint32_t>(random.below(random.below(4) == 0 ? 300 : 20))};
    if (random.below(8) == 0 && copy.source > base + 300)
      copy.destination = copy.source - 1 - random.below(300);  // they overlap
    engine.memory.bad.clear();
    if (random.below(3) == 0) {
      const std::uint64_t near = random.below(2) ? copy.source : copy.destination;
      engine.memory.bad.insert((near + random.below(copy.length + 8)) & ~std::uint64_t{3});
    }
    if (random.below(4) == 0) engine.write(enable, static_cast<std::uint32_t>(random.below(8)));
    if (random.below(4) == 0) engine.write(clear, static_cast<std::uint32_t>(random.below(8)));
    if (const std::string found = difference(engine, copy); found != "")
      return "copy " + std::to_string(i) + ": " + found;
  }
  return "";
}

TEST(DmaEngineTest, CopiesAnyBytesAnywhere) {
  Engine engine;
  for (std::uint64_t from = 0; from < 4; ++from)
    for (std::uint64_t to = 0; to < 4; ++to)
      for (const std::uint32_t bytes :
           {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 61, 63, 64, 65, 66, 67, 68, 127, 130, 200})
        ASSERT_EQ(difference(engine, {0x1000 + from, 0x2000 + to, bytes}), "") << from << to << ' ' << bytes;
}

TEST(DmaEngineTest, RandomCopiesAreThoseOfTheReference) {
  Engine lazy, all({.skip = false}), checked({.check_idle = true});
  for (Engine* engine : {&lazy, &all, &checked}) {
    EXPECT_EQ(difference_of_many(*engine, 1, 1000), "");
    EXPECT_EQ(engine->memory.written, lazy.memory.written);
    EXPECT_EQ(engine->levels, lazy.levels);
    EXPECT_EQ(engine->now(), lazy.now());
  }
  EXPECT_GT(lazy.levels.size(), 300u);
}

TEST(DmaEngineTest, ReadsABurstBeforeItIsWritten) {
  Engine engine;
  EXPECT_EQ(engine.read(id), 0x444D'4131u);
  EXPECT_EQ(engine.read(burst), burst_words);
  engine.memory.written[0x1000] = 77;
  const Picoseconds started = engine.begin_copy({0x1000, 0x2000, 4 * burst_words + 8});
  engine.wait_for_end();
  std::vector<std::uint64_t> addresses, expected;
  for (const auto& [access, at] : engine.accesses) addresses.push_back(access.address);
  for (std::uint64_t word = 0; word < burst_words; ++word) expected.push_back(0x1000 + 4 * word);
  for (std::uint64_t word = 0; word < burst_words; ++word) expected.push_back(0x2000 + 4 * word);
  for (const std::uint64_t rest : {0x1040, 0x1044, 0x2040, 0x2044}) expected.push_back(rest);
  EXPECT_EQ(addresses, expected);
  EXPECT_EQ(engine.memory.at(0x2000), 77);
  // Setup is the cycle after the start, and enable the one after it, in which the request is observed. The
  // memory answers 35 ns later, the edge after that takes the answer.
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(engine.accesses[i].second, started + 10_ns + 50_ns * i);
}

TEST(DmaEngineTest, EachEndHasAnInterruptOfItsOwn) {
  Engine engine;
  engine.write(enable, done | error);
  engine.memory.bad = {0x3000};
  const Picoseconds first = engine.begin_copy({0x1000, 0x2000, 4});
  engine.let_time_pass(engine.now() + 1_us);
  const Picoseconds second = engine.begin_copy({0x3000, 0x2000, 4});
  engine.let_time_pass(engine.now() + 1_us);
  EXPECT_EQ(engine.read(status), error | read_error);
  EXPECT_EQ(engine.read_pair(error_low), 0x3000u);
  engine.write(clear, error);
  EXPECT_THAT(engine.levels, ElementsAre(std::pair(first + 100_ns, 1u), std::pair(second, 0u),
                                         std::pair(second + 50_ns, 2u), std::pair(engine.now(), 0u)));
}

TEST(DmaEngineTest, ZeroBytesAreCopiedAtOnce) {
  Engine engine;
  engine.write(enable, done);
  const Picoseconds started = engine.begin_copy({0x1000, 0x2000, 0});
  EXPECT_THAT(engine.levels, ElementsAre(std::pair(started, 1u)));
  EXPECT_EQ(engine.read(status), done);
  EXPECT_TRUE(engine.accesses.empty());
}

TEST(DmaEngineTest, AStopEndsTheCopyAfterTheAccessInProgress) {
  Engine engine;
  engine.write(enable, done | error);
  const Picoseconds started = engine.begin_copy({0x1000, 0x2000, 4 * burst_words + 100});
  engine.let_time_pass(started + 50_ns * burst_words + 120_ns);  // the third write is in progress
  engine.write(control, stop);
  engine.let_time_pass(engine.now() + 1_us);
  EXPECT_EQ(engine.accesses.size(), burst_words + 3u);
  EXPECT_EQ(engine.wait_for_end(), (End{error | stopped, 4 * burst_words + 88, 0}));
  EXPECT_THAT(engine.levels, ElementsAre(std::pair(started + 50_ns * (burst_words + 3), 2u)));
  EXPECT_EQ(engine.read_pair(destination_low), 0x200Cu);
  EXPECT_EQ(difference(engine, {0x1001, 0x2002, 9}), "") << "the next copy is not stopped";
}

TEST(DmaEngineTest, ACopyInProgressIsNotChanged) {
  Engine engine;
  Bytes8 expected = engine.memory;
  const Copy copy{0x1000, 0x2000, 200};
  std::size_t words = 0;
  copy_in(expected, copy, words);
  engine.begin_copy(copy);
  for (const std::uint64_t reg : {length, source_low, source_high, destination_low, destination_high})
    engine.write(reg, 0x5555'5555);
  engine.write(control, start);
  EXPECT_EQ(engine.wait_for_end(), (End{done, 0, 0}));
  EXPECT_EQ(engine.memory.written, expected.written);
  EXPECT_EQ(engine.accesses.size(), words);
}

TEST(DmaEngineTest, BytesOfRegistersAreWrittenAlone) {
  Engine engine;
  engine.write_pair(source_low, 0x1122'3344'5566'7788);
  engine.write(source_low, 0xAABB'CCDD, 0b0110);
  engine.write(source_high, 0xAABB'CCDD, 0b1001);
  EXPECT_EQ(engine.read_pair(source_low), 0xAA22'33DD'55BB'CC88u);
  engine.write(length, 0xFFFF'FFFF, 0b0001);
  engine.write(control, start << 8, 0b0010);
  EXPECT_EQ(engine.read(length), 0xFFu);
  EXPECT_EQ(engine.read(status), 0u);
}

TEST(DmaEngineTest, WaitingForMemoryIsNotStepped) {
  Engine engine;
  engine.latency = 100'000_s;
  engine.begin_copy({0x1000, 0x2000, 4});
  engine.let_time_pass(1_us);
  EXPECT_EQ(engine.next_event(), std::nullopt);
  engine.let_time_pass(100'001_s);  // ten trillion cycles
  EXPECT_EQ(engine.accesses.size(), 2u);
  EXPECT_EQ(engine.read(length), 4u);
}

class DmaEngineRtlMutantTest : public testing::TestWithParam<Mutant> {};
TEST_P(DmaEngineRtlMutantTest, IsFound) {
  Engine engine({}, mutant_of("dma_engine", GetParam()), false);
  std::string found = difference_of_many(engine, 1, 300);
  if (found.empty()) {
    engine.latency = 35_ns;
    engine.write(enable, 0);
    engine.levels.clear();
    const Picoseconds started = engine.begin_copy({0x1000, 0x2000, 100});
    engine.let_time_pass(started + 100_ns);
    engine.write(control, stop);
    if (engine.wait_for_end().status != (error | stopped)) found = "it does not stop";
    if (!engine.levels.empty()) found = "an interrupt that is not enabled";
  }
  EXPECT_NE(found, "");
}
INSTANTIATE_TEST_SUITE_P(DmaEngine, DmaEngineRtlMutantTest, testing::ValuesIn(dma_engine_mutants),
                         ParameterName());

// ---- as a device ----

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  Bytes8 bytes;
  std::uint64_t size = 0x1'0000;

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!accept(payload, Bytes(size))) return;
    EXPECT_EQ(master_of(payload), 1030u);
    for_each_word(payload, [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned first,
                               unsigned count) {
      BusAccess access{.write = payload.is_write(), .address = word, .data = value, .strobes = 0};
      for (unsigned byte = 0; byte < 4; ++byte) access.strobes |= (lanes >> 8 * byte & 1) << byte;
      const std::uint32_t data = bytes.access(access).first;
      if (payload.is_read()) put_word(payload, data, first, count);
    });
    delay += to_sc_time(35_ns);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct DmaEngineDeviceTest : SystemCTest {
  RtlDevice engine{
      "engine", engine_library(block, true), {.bus = {.time = {.clock = clock_rate}}, .master = 1030}, {}};
  TestInitiator cpu{"cpu"};
  Memory memory{"memory"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> done_line{"done_line"}, error_line{"error_line"};

  DmaEngineDeviceTest() {
    cpu.socket.bind(engine.target);
    engine.master->bind(memory.socket);
    engine.interrupts[0].bind(done_line);
    engine.interrupts[1].bind(error_line);
  }
  // Returns the time of the edge that starts it.
  Picoseconds begin_copy(const Copy& copy) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write<std::uint64_t>(source_low, copy.source);
    cpu.write<std::uint64_t>(destination_low, copy.destination);
    cpu.write32(length, copy.length);
    cpu.write32(enable, done | error);
    cpu.write32(control, start);
    return now() + to_picoseconds(cpu.delay);
  }
  std::uint32_t read(std::uint64_t reg) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    return cpu.read32(reg);
  }
};

SYSTEMC_TEST_F(DmaEngineDeviceTest, CopiesBytesThroughItsSocketAndInterrupts) {
  Bytes8 expected = memory.bytes;
  const Copy copy{0x1003, 0x2001, 70};
  std::size_t words = 0;
  copy_in(expected, copy, words);
  const Picoseconds started = begin_copy(copy);
  expect_earliest(started + 50_ns * words, [&] { return done_line.read(); });
  EXPECT_EQ(memory.bytes.written, expected.written);
  EXPECT_FALSE(error_line.read());
  EXPECT_EQ(engine.own_accesses(), words);
  wait_for(1_us);
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), sc_core::sc_max_time() - sc_core::sc_time_stamp());
}

SYSTEMC_TEST_F(DmaEngineDeviceTest, AnAddressWithoutMemoryEndsTheCopy) {
  begin_copy({memory.size - 8, 0x2000, 16});
  wait_for(10_us);
  EXPECT_TRUE(error_line.read());
  EXPECT_FALSE(done_line.read());
  EXPECT_EQ(read(status), error | read_error);
  EXPECT_EQ(read(error_low), memory.size);
  EXPECT_EQ(read(length), 16u);
  EXPECT_TRUE(memory.bytes.written.empty());
}

SYSTEMC_TEST_F(DmaEngineDeviceTest, DebugReadsDuringACopyChangeNothing) {
  Bytes8 expected = memory.bytes;
  const Copy copy{0x1003, 0x2001, 70};
  std::size_t words = 0;
  copy_in(expected, copy, words);
  const Picoseconds started = begin_copy(copy);
  std::uint32_t left = copy.length;
  for (; !done_line.read() && now() < started + 100_us; wait_for(3_ns)) {
    std::uint32_t value = 0;
    ASSERT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, length, &value, 4), 4u);
    EXPECT_LE(value, left);
    left = value;
  }
  EXPECT_LE(now(), started + 50_ns * words + 3_ns);
  EXPECT_EQ(memory.bytes.written, expected.written);
  EXPECT_EQ(engine.own_accesses(), words);
}

}  // namespace
}  // namespace asterism
