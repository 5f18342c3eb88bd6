// A scripted user at the machine's terminal, which waits for a text and then types a line; and the firmware
// that is booted in this way, as Debian packages it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/uart_script.h"
#include "machine.h"

namespace asterism::foreign {

struct Firmware {
  std::string name;
  std::filesystem::path file;
  std::string package;  // Debian package that contains the file
  std::vector<UartScriptLine> script;
};
// U-Boot. The script begins at its prompt, uses what works without a disk, resets once, and powers off by
// PSCI.
const Firmware& uboot();
// EDK2. The script begins in its shell and powers off by PSCI.
const Firmware& edk2();
// Finds firmware by name, for command lines; throws std::invalid_argument.
const Firmware& firmware_named(std::string_view name);

class Typist {
 public:
  explicit Typist(std::vector<UartScriptLine> script) : script_(std::move(script)) {}

  // Takes a character that the machine has printed; returns the text to type now, or an empty string.
  std::string sees(char character);
  // Everything that the machine has printed.
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
