#include "qemu_session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "machine.h"

namespace asterism::foreign {
namespace {

constexpr const char* machine = "virt,gic-version=2";

class Qemu {
 public:
  explicit Qemu(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"qemu-system-aarch64", "-cpu", "cortex-a57", "-m", "256", "-display", "none", "-net",
                      "none", "-vga", "none", "-monitor", "none", "-serial", "stdio"});
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execvp(pointers[0], pointers.data());
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  ~Qemu() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(to_);
    close(from_);
  }
  Qemu(const Qemu&) = delete;
  Qemu& operator=(const Qemu&) = delete;

  // Returns the next characters; an empty string after the timeout or when QEMU has ended.
  std::string read(std::chrono::milliseconds timeout) const {
    pollfd from{from_, POLLIN, 0};
    if (poll(&from, 1, static_cast<int>(timeout.count())) <= 0) return {};
    char buffer[4096];
    const ssize_t got = ::read(from_, buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
  }
  void type(const std::string& text) const {
    if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("QEMU takes no input");
  }

 private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

std::filesystem::path write_device_tree(const TemporaryFolder& folder) {
  std::filesystem::path file = folder / "device_tree";
  const std::vector<std::byte> blob = Machine::default_device_tree();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
  return file;
}

}  // namespace

bool has_qemu() { return std::system("command -v qemu-system-aarch64 >/dev/null 2>&1") == 0; }

std::vector<std::byte> qemu_device_tree() {
  const TemporaryFolder folder;
  const std::filesystem::path result = folder / "completed";
  const Qemu qemu(
      {"-M", std::string(machine) + ",dumpdtb=" + result.string(), "-dtb", write_device_tree(folder)});
  while (!qemu.read(std::chrono::seconds(10)).empty()) {
  }
  std::ifstream stream(result, std::ios::binary);
  const std::string contents{std::istreambuf_iterator<char>(stream), {}};
  if (contents.empty()) throw std::runtime_error("QEMU gives no device tree");
  const std::span<const std::byte> bytes = std::as_bytes(std::span(contents));
  return {bytes.begin(), bytes.end()};
}

std::string qemu_transcript(const Firmware& firmware, std::chrono::seconds timeout) {
  const TemporaryFolder folder;
  const Qemu qemu({"-M", machine, "-rtc", "base=2023-11-14T22:13:20", "-bios", firmware.file, "-dtb",
                   write_device_tree(folder)});
  Typist typist(firmware.script);
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const std::string printed = left.count() > 0 ? qemu.read(left) : std::string();
    if (printed.empty()) return typist.transcript();
    for (const char character : printed)
      if (const std::string text = typist.sees(character); !text.empty()) qemu.type(text);
  }
}

}  // namespace asterism::foreign
