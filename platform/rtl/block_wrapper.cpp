#include "platform/rtl/block_wrapper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/enum_names.h"

namespace asterism {
namespace {

// A C++ string literal.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace

std::string wrapper_text(const BlockConfig& config, const std::vector<BoundPort>& ports,
                         const std::string& digest) {
  std::string table, members, ties, parameters, clock;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const TopPort& port = ports[i].port;
    const bool input = port.direction == TopPort::Direction::input;
    table += fmt::format("    {{{}, {}, {}, {}}},\n", literal(port.name), literal(ports[i].role),
                         input ? "ASTERISM_RTL_INPUT" : "ASTERISM_RTL_OUTPUT", port.width);
    members += fmt::format("    case {}: return &model.{};\n", i, port.identifier);
    if (ports[i].is_clock) clock = fmt::format("#define ASTERISM_BLOCK_CLOCK {}\n", port.identifier);
    if (ports[i].tied != 0)
      ties += fmt::format(
          "  {{ const uint32_t value = {}; std::memcpy(&model.{}, &value, "
          "sizeof value < sizeof model.{} ? sizeof value : sizeof model.{}); }}\n",
          ports[i].tied, port.identifier, port.identifier, port.identifier);
  }
  for (const auto& [name, value] : config.parameters)
    parameters += fmt::format("    {{{}, {}}},\n", literal(name), value);

  std::string text = "#include \"Vblock.h\"\n\n#include <cstring>\n\n";
  text += rtl_abi_text();
  text += fmt::format("\nstatic const AsterismRtlPort block_ports[] = {{\n{}}};\n", table);
  text += fmt::format("static const AsterismRtlParameter block_parameters[] = {{\n{}    {{nullptr, 0}}}};\n",
                      parameters);
  text += fmt::format(
      "static void* block_port(Vblock& model, uint32_t index) {{\n  switch (index) {{\n{}    default: return "
      "nullptr;\n  }}\n}}\n",
      members);
  text += fmt::format("static void block_tie(Vblock& model) {{\n  static_cast<void>(model);\n{}}}\n", ties);
  text += clock;
  text += fmt::format("#define ASTERISM_BLOCK_NAME {}\n", literal(config.name));
  text += fmt::format("#define ASTERISM_BLOCK_CONTRACT {}\n", literal(to_text(config.contract)));
  text += fmt::format("#define ASTERISM_BLOCK_DIGEST {}\n", literal(digest));
  text += fmt::format("#define ASTERISM_BLOCK_RESET_ACTIVE_HIGH {}\n",
                      config.reset && config.reset->active == ResetLevel::high ? 1 : 0);
  text += fmt::format("#define ASTERISM_BLOCK_RESET_CYCLES {}\n", config.reset ? config.reset->cycles : 0);
  text += fmt::format("#define ASTERISM_BLOCK_ASSERTIONS {}\n", config.assertions ? 1 : 0);
  text += fmt::format("#define ASTERISM_BLOCK_PARAMETER_COUNT {}\n", config.parameters.size());
  text += "\n";
  text += verilated_block_text();
  return text;
}

}  // namespace asterism
