#include "tlm/terminal_input.h"

#include <unistd.h>

#include "tlm/systemc_test.h"

namespace asterism {
namespace {

struct TerminalTest : SystemCTest {
  int ends[2];
  std::string received;
  std::unique_ptr<TerminalInput> input;
  TerminalTest() {
    EXPECT_EQ(pipe(ends), 0);
    input = std::make_unique<TerminalInput>("input", ends[0], [this](std::string_view text) {
      received += text;
      arrived.notify(sc_core::SC_ZERO_TIME);
    });
  }
  sc_core::sc_event arrived{"arrived"};
};

// Nothing else happens in this simulation, so that it would end at once if it did not wait for input.
SYSTEMC_TEST_F(TerminalTest, AnIdleSimulationWaitsForTheNextCharacter) {
  std::thread typist([this] {
    usleep(20'000);
    EXPECT_EQ(write(ends[1], "ok", 2), 2);
  });
  sc_core::wait(arrived);
  typist.join();
  EXPECT_EQ(received, "ok");
  EXPECT_EQ(now(), 0_ps);
}

SYSTEMC_TEST_F(TerminalTest, TheEndOfTheInputDoesNotHoldTheSimulation) {
  close(ends[1]);
  wait_for(1_ms);
  EXPECT_EQ(received, "");
}

}  // namespace
}  // namespace asterism
