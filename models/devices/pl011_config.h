// Configuration of a PL011 UART (pl011.h): where the characters come from that it receives.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/enum_names.h"
#include "devices/uart_script.h"

namespace asterism {

class Fields;

enum class Pl011Input { none, file, script, terminal };
constexpr auto enum_names(Pl011Input) {
  return std::to_array<EnumName<Pl011Input>>(
      {{Pl011Input::none, "none", "nothing is ever received"},
       {Pl011Input::file, "file", "the contents of input_file, from time 0 on"},
       {Pl011Input::script, "script", "what script types after the words that it waits for"},
       {Pl011Input::terminal, "terminal",
        "standard input, at the host's time: such a run is not reproducible"}});
}

struct Pl011Config {
  Pl011Input input = Pl011Input::none;
  std::filesystem::path input_file;         // for Pl011Input::file
  std::uint64_t characters_per_second = 0;  // 0: the guest's baud rate, 115,200 baud until it has set one
  std::vector<UartScriptLine> script = {};  // for Pl011Input::script
};
void describe(Fields& f, Pl011Config& c);

}  // namespace asterism
