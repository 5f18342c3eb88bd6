// The host's side of a serial line: where the characters come from that a device receives, and the keys that
// say so. A device with such a line has HostLineConfig among its keys, and derives from HostLine.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/uart_script.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/terminal_input.h"

namespace asterism {

class Fields;

enum class LineInput { none, file, script, terminal };
constexpr auto enum_names(LineInput) {
  return std::to_array<EnumName<LineInput>>(
      {{LineInput::none, "none", "nothing is ever received"},
       {LineInput::file, "file", "the contents of input_file, from time 0 on"},
       {LineInput::script, "script", "what script types after the words that it waits for"},
       {LineInput::terminal, "terminal",
        "standard input, at the host's time: such a run is not reproducible"}});
}

struct HostLineConfig {
  LineInput input = LineInput::none;
  std::filesystem::path input_file = {};    // for LineInput::file
  std::vector<UartScriptLine> script = {};  // for LineInput::script
};
// Its keys are those of the device.
void describe(Fields& f, HostLineConfig& c);

class HostLine : public SerialLine {
 public:
  // Appends characters to those that wait on the line. They and the script belong to the environment: no
  // reset loses them.
  virtual void receive(std::string_view characters) = 0;
  // In addition to its other input (tlm/terminal_input.h).
  void receive_from(int descriptor) override;
  bool waits_for_the_host() const override { return !host_inputs_.empty(); }
  std::optional<std::string> script_waits_for() const override;

 protected:
  explicit HostLine(const HostLineConfig& config);
  // Lets the file or the terminal send; at the end of the device's constructor. Throws std::invalid_argument
  // if the file cannot be read. platform/ sets the mode of the terminal.
  void open(const HostLineConfig& config, const std::string& device);
  // The device has transmitted a character.
  void transmit(std::uint8_t character);
  // Adds what a device with this line exchanges with the host.
  static void add_to(DeviceShape& shape, const HostLineConfig& config);

 private:
  UartScript script_;
  std::vector<std::unique_ptr<TerminalInput>> host_inputs_;
};

}  // namespace asterism
