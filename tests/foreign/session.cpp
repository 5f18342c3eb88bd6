#include "session.h"

#include <stdexcept>
#include <utility>

namespace asterism::foreign {

const Firmware& uboot() {
  static const std::string prompt = "\n=> ";
  static const Firmware firmware{"uboot",
                                 "/usr/lib/u-boot/qemu_arm64/u-boot.bin",
                                 "u-boot-qemu",
                                 {{"stop autoboot", " "},
                                  {prompt, "version\n"},
                                  {prompt, "bdinfo\n"},
                                  {prompt, "mw.l 40200000 5eed1234 40000\n"},
                                  {prompt, "cp.b 40200000 40400001 100000\n"},
                                  {prompt, "cmp.b 40200000 40400001 100000\n"},
                                  {prompt, "crc32 40200000 100000\n"},
                                  {prompt, "md.q 40400000 4\n"},
                                  {prompt, "fdt addr 40000000\n"},
                                  {prompt, "fdt print /psci\n"},
                                  {prompt, "setexpr sum 1234 * 10001; printenv sum\n"},
                                  {prompt, "sleep 1\n"},
                                  {prompt, "reset\n"},
                                  {"stop autoboot", " "},
                                  {prompt, "printenv sum\n"},
                                  {prompt, "poweroff\n"}}};
  return firmware;
}

const Firmware& edk2() {
  static const std::string prompt = "Shell> ";
  static const Firmware firmware{"edk2",
                                 "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd",
                                 "qemu-efi-aarch64",
                                 {{"any other key to continue", " "},
                                  {prompt, "ver\r"},
                                  {prompt, "map\r"},
                                  {prompt, "memmap\r"},
                                  {prompt, "set colour green\r"},
                                  {prompt, "set colour\r"},
                                  {prompt, "date\r"},
                                  {prompt, "reset -s\r"}}};
  return firmware;
}

const Firmware& firmware_named(std::string_view name) {
  for (const Firmware* firmware : {&uboot(), &edk2()})
    if (firmware->name == name) return *firmware;
  throw std::invalid_argument("no firmware of the name '" + std::string(name) + "'");
}

std::string Typist::sees(char character) {
  transcript_ += character;
  return script_.sees(character);
}

Session::Session(Machine& machine, std::vector<UartScriptLine> script) : typist_(std::move(script)) {
  machine.uart.on_output = [this, &machine](char character) {
    on_output(character);
    machine.uart.type(typist_.sees(character));
  };
}

}  // namespace asterism::foreign
