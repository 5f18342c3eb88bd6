#include "tlm/host_line.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/fields.h"

namespace asterism {
namespace {

std::string contents_of(const std::filesystem::path& file, const std::string& device) {
  std::ifstream stream(file, std::ios::binary);
  std::string contents{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw std::invalid_argument(device + ": cannot read the input file '" + file.string() + "'");
  return contents;
}

}  // namespace

static_assert(member_count<HostLineConfig>() == 3);
void describe(Fields& f, HostLineConfig& c) {
  f("input", c.input, "Where received characters come from.", one_of<LineInput>());
  f.when("input", c.input, LineInput::file, [&] {
    f("input_file", c.input_file,
      "The file that is received byte for byte. After its end nothing more is received.", required());
  });
  f.when("input", c.input, LineInput::script, [&] {
    f("script", c.script, "The lines of the script: what it waits for, and what it types.", required());
  });
  f.check(c.input != LineInput::script || !c.script.empty(), "script", "has at least one line");
}

HostLine::HostLine(const HostLineConfig& config)
    : script_(config.input == LineInput::script ? config.script : std::vector<UartScriptLine>()) {}

void HostLine::open(const HostLineConfig& config, const std::string& device) {
  if (config.input == LineInput::terminal)
    receive_from(0);
  else if (config.input == LineInput::file)
    receive(contents_of(config.input_file, device));
}

void HostLine::receive_from(int descriptor) {
  host_inputs_.push_back(std::make_unique<TerminalInput>(sc_core::sc_gen_unique_name("host_input"),
                                                         descriptor,
                                                         [this](auto characters) { receive(characters); }));
}

void HostLine::transmit(std::uint8_t character) {
  if (on_transmit) on_transmit(character);
  if (script_.waits_for()) receive(script_.sees(static_cast<char>(character)));
}

std::optional<std::string> HostLine::script_waits_for() const {
  const UartScriptLine* const line = script_.waits_for();
  return line ? std::optional(line->after) : std::nullopt;
}

void HostLine::add_to(DeviceShape& shape, const HostLineConfig& config) {
  shape.is_serial_line = true;
  shape.host.input_key = "input";
  if (config.input == LineInput::file) shape.host.files = {{"input_file", config.input_file}};
  if (config.input == LineInput::script) shape.host.input = HostUse::Input::script;
  if (config.input == LineInput::terminal) shape.host.input = HostUse::Input::terminal;
}

}  // namespace asterism
