// foreign_boot uboot|edk2 [--time looks|instructions] [--interactive] [--limit N]
// foreign_boot uboot|edk2 --qemu
//
// Boots firmware and prints its output. The input is a script of commands, or with --interactive the keyboard
// (Ctrl-] ends the program).
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>

#include "qemu_session.h"
#include "session.h"

namespace asterism::foreign {
namespace {

constexpr char end_key = 0x1d;  // Ctrl-]
constexpr int usage = 64;       // exit status

// The terminal, one key at a time.
class Keyboard {
 public:
  Keyboard() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    cfmakeraw(&raw);
    raw.c_oflag = before_.c_oflag;
    is_terminal_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  ~Keyboard() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  // Returns the keys that were typed; waits at most `timeout` for the first.
  std::string keys(std::chrono::milliseconds timeout) {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (has_ended || poll(&in, 1, static_cast<int>(timeout.count())) <= 0) return {};
    char buffer[64];
    const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got <= 0) return has_ended = true, std::string();
    std::string keys(buffer, static_cast<std::size_t>(got));
    if (const auto end = keys.find(end_key); end != std::string::npos) keys.resize(end), has_ended = true;
    return keys;
  }
  bool has_ended = false;

 private:
  termios before_{};
  bool is_terminal_ = false;
};

Machine::End run_interactively(Machine& machine) {
  constexpr std::uint64_t between_polls = 1'000'000;  // instructions
  Keyboard keyboard;
  const auto listen = [&](std::chrono::milliseconds timeout) { machine.uart.type(keyboard.keys(timeout)); };
  machine.on_sleep = [&](Picoseconds time) {
    listen(std::chrono::milliseconds(std::min(time / 1_ms, std::uint64_t{10})));
  };
  for (;;) {
    listen(std::chrono::milliseconds(0));
    if (keyboard.has_ended) return Machine::End::count;
    const Machine::End end = machine.run(machine.instructions() + between_polls);
    if (end != Machine::End::count) return end;
  }
}

int boot(const std::string& name, Time time, bool interactive, std::uint64_t limit) {
  const Firmware& firmware = firmware_named(name);
  Machine machine(firmware.file, time);
  machine.warn = [](const std::string& line) { fmt::print(stderr, "[{}]\n", line); };
  Session session(machine, interactive ? std::vector<UartScriptLine>() : firmware.script);
  session.on_output = [](char character) { std::cout.put(character).flush(); };

  const std::clock_t began = std::clock();
  const Machine::End end = interactive ? run_interactively(machine) : machine.run(limit);
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;

  static const std::map<Machine::End, std::string> ends = {{Machine::End::count, "stopped"},
                                                           {Machine::End::powered_off, "powered off"},
                                                           {Machine::End::asleep, "asleep for ever"},
                                                           {Machine::End::stuck, "stuck"}};
  const auto count = static_cast<double>(machine.instructions());
  const std::string why = machine.iss().why();
  fmt::print(stderr, "\n{}{}: {} instructions, {} interrupts, {:.2f} s of CPU time, {:.0f} MIPS\n",
             ends.at(end), why.empty() ? "" : " " + why, machine.instructions(), machine.interrupts_taken(),
             seconds, count / seconds / 1e6);
  if (session.waits_for()) fmt::print(stderr, "still waiting for '{}'\n", session.waits_for()->after);
  if (end == Machine::End::stuck || end == Machine::End::asleep)
    fmt::print(stderr, "pc {:#x}, ESR {:#x}, FAR {:#x}, ELR {:#x}\n", machine.iss().read(CoreRegister::pc),
               machine.iss().read(CoreRegister::esr), machine.iss().read(CoreRegister::far),
               machine.iss().read(CoreRegister::elr));
  return end == Machine::End::powered_off || interactive ? 0 : 1;
}

}  // namespace
}  // namespace asterism::foreign

int main(int argc, char** argv) {
  using namespace asterism::foreign;
  CLI::App app{"Boots firmware that was built for QEMU's virt machine"};
  std::string name;
  Time time = Time::looks;
  bool interactive = false, on_qemu = false;
  std::uint64_t limit = Machine::never;
  app.add_option("firmware", name, "uboot or edk2")->required()->check(CLI::IsMember({"uboot", "edk2"}));
  app.add_option("--time", time, "What makes time pass: timer registers being read, or 1 ns an instruction")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Time>{{"looks", Time::looks}, {"instructions", Time::instructions}}));
  app.add_flag("--interactive", interactive, "Type yourself; Ctrl-] ends");
  app.add_option("--limit", limit, "Instructions")->check(CLI::Range(std::uint64_t{1}, ~std::uint64_t{0}));
  app.add_flag("--qemu", on_qemu, "On qemu-system-aarch64 instead, with the same device tree");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }
  try {
    if (on_qemu) {
      std::cout << qemu_transcript(firmware_named(name), std::chrono::minutes(2));
      return 0;
    }
    return boot(name, time, interactive, limit);
  } catch (const std::exception& error) {
    fmt::print(stderr, "foreign_boot: {}\n", error.what());
    return 1;
  }
}
