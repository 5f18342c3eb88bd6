#include "virtio/virtio_console.h"

#include "base/random.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "virtio/virtio_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t text_place = dram + 0x8000;
constexpr unsigned input_queue = 0, output_queue = 1;

struct VirtioConsoleTest : VirtioRig {
  VirtioConsole console;
  std::string sent;

  explicit VirtioConsoleTest(const VirtioConsoleConfig& config = {}) : console("console", config, context) {
    bind(console);
    queues = 2;
    console.on_transmit = [this](std::uint8_t c) { sent += static_cast<char>(c); };
  }
  void print(const std::string& text) {
    queue = output_queue;
    std::ranges::copy(text, ram.bytes.begin() + (text_place - dram));
    request({{text_place, static_cast<std::uint32_t>(text.size()), false}});
  }
  void offer_buffer(std::uint32_t bytes) {
    queue = input_queue;
    offer({{text_place + 0x1000, bytes, true}});
    set(map.queue_notify, queue);
    wait_for(10_us);
  }
  // The text in the buffer that was used last.
  std::string input() {
    queue = input_queue;
    const auto* const first = reinterpret_cast<const char*>(ram.bytes.data() + (text_place + 0x1000 - dram));
    return {first, last_used().written};
  }
};

SYSTEMC_TEST_F(VirtioConsoleTest, IsFoundWithOnePort) {
  EXPECT_EQ(get(map.device_id), 3u);
  EXPECT_EQ(offered(), 1ull << 32 | 1u << 28);
  set(map.queue_sel, 1);
  EXPECT_EQ(get(map.queue_num_max), 256u);
  set(map.queue_sel, 2);
  EXPECT_EQ(get(map.queue_num_max), 0u);
}

SYSTEMC_TEST_F(VirtioConsoleTest, TransmitsWhatTheDriverSends) {
  start();
  const std::string text(200, 'x');
  print("one\n");
  print(text);
  EXPECT_EQ(sent, "one\n" + text);
  EXPECT_TRUE(line.read());
}

SYSTEMC_TEST_F(VirtioConsoleTest, ReceivesIntoBuffersAsTheyCome) {
  console.receive("early");
  start();
  offer_buffer(3);
  EXPECT_EQ(input(), "ear");
  offer_buffer(100);
  EXPECT_EQ(input(), "ly");
  offer_buffer(100);
  EXPECT_EQ(used_chains(), 2);  // it waits for characters
  console.receive("later");
  wait_for(10_us);
  EXPECT_EQ(input(), "later");
  EXPECT_EQ(used_chains(), 3);
}

SYSTEMC_TEST_F(VirtioConsoleTest, CharactersOnTheLineOutliveAReset) {
  start();
  console.receive("kept");
  console.reset(Reset::power_loss);
  start();
  offer_buffer(100);
  EXPECT_EQ(input(), "kept");
}

struct VirtioConsoleScriptTest : VirtioConsoleTest {
  VirtioConsoleScriptTest()
      : VirtioConsoleTest(
            {.line = {.input = LineInput::script, .script = {{"login: ", "root\n"}, {"# ", ""}}}}) {}
};

SYSTEMC_TEST_F(VirtioConsoleScriptTest, AScriptAnswers) {
  start();
  offer_buffer(100);
  print("login: ");
  wait_for(10_us);
  EXPECT_EQ(input(), "root\n");
  EXPECT_EQ(console.script_waits_for(), "# ");
  print("# ");
  EXPECT_EQ(console.script_waits_for(), std::nullopt);
}

SYSTEMC_TEST_F(VirtioConsoleTest, AnswersAnyPayload) {
  set_log_levels({{"console", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 4_KiB, 1);
}

SYSTEMC_TEST_F(VirtioConsoleTest, SurvivesAnyDriver) {
  set_log_levels({{"console", LogLevel::off}});
  Random random(1);
  for (int i = 0; i < 1'000; ++i) {
    if (i % 4 == 0 || broken()) start();
    write_any_queue(random, text_place, 300);
    set(map.queue_notify, random.below(8) ? queue : random.next());
    console.receive(std::string(random.below(200), 'y'));
    wait_for(Picoseconds(random.below((50_us).count())));
  }
  start();
  sent.clear();
  print("still there");
  EXPECT_EQ(sent, "still there");
}

TEST(VirtioConsoleConfig, IsDescribed) { EXPECT_EQ(description_problem<VirtioConsoleConfig>(), ""); }

}  // namespace
}  // namespace asterism
