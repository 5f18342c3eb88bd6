// Somebody at the machine's terminal: waits for words and then types, as a script says. And the firmware that
// is booted so, as Debian has it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/uart_script.h"
#include "machine.h"

namespace asterism::foreign {

struct Firmware {
  std::string name;
  std::filesystem::path file;
  std::string package;  // of Debian, that has it
  std::vector<UartScriptLine> script;
};
// U-Boot: from its prompt over what it can do without a disk, through a reset, to PSCI's off.
const Firmware& uboot();
// EDK2: from its shell to PSCI's off.
const Firmware& edk2();
// By name, for command lines; throws std::invalid_argument.
const Firmware& firmware_named(std::string_view name);

class Typist {
 public:
  explicit Typist(std::vector<UartScriptLine> script) : script_(std::move(script)) {}

  // The machine has printed a character: what to type now, or nothing.
  std::string sees(char character);
  // All that the machine has printed.
  const std::string& transcript() const { return transcript_; }
  // The first line that was not typed yet.
  const UartScriptLine* waits_for() const { return script_.waits_for(); }

 private:
  UartScript script_;
  std::string transcript_;
};

class Session {
 public:
  Session(Machine& machine, std::vector<UartScriptLine> script);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& transcript() const { return typist_.transcript(); }
  const UartScriptLine* waits_for() const { return typist_.waits_for(); }
  std::function<void(char)> on_output = [](char) {};

 private:
  Typist typist_;
};

}  // namespace asterism::foreign
