#include "devices/qemu_test_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace asterism {

QemuTestMachine::QemuTestMachine() {
  if (std::system("command -v qemu-system-aarch64 >/dev/null 2>&1") != 0) return;
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    execlp("qemu-system-aarch64", "qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a57",
           "-S", "-display", "none", "-net", "none", "-vga", "none", "-serial", "null", "-monitor", "none",
           "-qtest", "stdio", "-qtest-log", "none", nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_ = fdopen(to[1], "w");
  from_ = fdopen(from[0], "r");
}

QemuTestMachine::~QemuTestMachine() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  std::fclose(to_);
  std::fclose(from_);
}

std::string QemuTestMachine::ask(const std::string& command) {
  std::fputs((command + "\n").c_str(), to_);
  std::fflush(to_);
  char line[256];
  if (!std::fgets(line, sizeof line, from_) || std::string_view(line).substr(0, 2) != "OK")
    throw std::runtime_error("QEMU does not answer '" + command + "'");
  return line;
}

std::uint32_t QemuTestMachine::read(std::uint64_t address) {
  return static_cast<std::uint32_t>(
      std::stoull(ask(fmt::format("readl {:#x}", address)).substr(3), nullptr, 16));
}
void QemuTestMachine::write(std::uint64_t address, std::uint32_t value) {
  ask(fmt::format("writel {:#x} {:#x}", address, value));
}
void QemuTestMachine::set_gic_input(unsigned input, bool high) {
  ask(fmt::format("set_irq_in /machine/unattached/device[1] unnamed-gpio-in {} {:d}", input, high));
}

}  // namespace asterism
