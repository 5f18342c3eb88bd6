#include "platform/live/live_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "platform/config/nearest_name.h"
#include "platform/host/human_time.h"

namespace asterism {

using Code = LiveError::Code;

namespace {

// What a message shows of a value.
std::string shown(const LiveJson& value) {
  constexpr std::size_t most = 100;
  std::string text = to_line(value);
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

LiveRequest parse_live_request(const std::string& line) {
  LiveJson json;
  try {
    json = LiveJson::parse(line);
  } catch (const LiveJson::exception& error) {
    const std::string_view what = error.what();
    const std::size_t words = what.find("] ");
    throw LiveError(Code::no_json, fmt::format("expected a JSON object in one line: {}",
                                               what.substr(words == std::string_view::npos ? 0 : words + 2)));
  }
  if (json.is_array()) throw LiveError(Code::no_request, "expected one request a line, got a list");
  if (!json.is_object())
    throw LiveError(Code::no_request,
                    fmt::format("expected a request as a JSON object, got {}", shown(json)));
  LiveRequest request;
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_number() && !id->is_string() && !id->is_null())
      throw LiveError(Code::no_request, fmt::format("id: expected a number or a text, got {}", shown(*id)));
    request.id = *id;
    request.wants_answer = true;
  }
  const auto refuse = [&](const std::string& problem) {
    throw LiveError(Code::no_request, problem, request.id);
  };
  for (const auto& [name, value] : json.items())
    if (name != "jsonrpc" && name != "id" && name != "method" && name != "params")
      refuse(fmt::format("there is no \"{}\" in a request; it has jsonrpc, id, method and params", name));
  if (json.value("jsonrpc", LiveJson("2.0")) != "2.0")
    refuse(fmt::format("jsonrpc: expected \"2.0\", got {}", shown(json["jsonrpc"])));
  const auto method = json.find("method");
  if (method == json.end() || !method->is_string()) refuse("expected a \"method\", the name of the request");
  request.method = *method;
  if (const auto params = json.find("params"); params != json.end() && !params->is_null()) {
    if (!params->is_object())
      throw LiveError(Code::bad_parameters,
                      fmt::format("params: expected a JSON object, got {}", shown(*params)), request.id);
    request.params = *params;
  }
  return request;
}

std::string to_line(const LiveJson& message) {
  return message.dump(-1, ' ', false, LiveJson::error_handler_t::replace);
}

LiveJson live_answer(const LiveJson& id, LiveJson result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

LiveJson live_error(const LiveError& error, const LiveJson& id) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(error.code)}, {"message", error.what()}}}};
}

LiveJson live_notification(std::string_view method, LiveJson params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::string hex_of_bytes(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(bytes.size() * 2, '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text[2 * i] = digits[byte >> 4], text[2 * i + 1] = digits[byte & 15];
  }
  return text;
}

LiveParams::LiveParams(const LiveRequest& request, const std::vector<std::string>& names)
    : request_(request) {
  for (const auto& [name, value] : request.params.items()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string nearest = nearest_name(name, names);
    throw LiveError(Code::bad_parameters,
                    fmt::format("{}: there is no parameter \"{}\"{}", request.method, name,
                                nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
  }
}

const LiveJson* LiveParams::find(const std::string& name) const {
  const auto found = request_.params.find(name);
  return found == request_.params.end() || found->is_null() ? nullptr : &*found;
}

void LiveParams::refuse(const std::string& name, const std::string& problem) const {
  throw LiveError(Code::bad_parameters, fmt::format("{}: {}: {}", request_.method, name, problem));
}

void LiveParams::refuse(const std::string& name, const std::string& expected, const LiveJson& got) const {
  refuse(name, fmt::format("expected {}, got {}", expected, shown(got)));
}

void LiveParams::need(const std::string& name) const {
  if (!has(name))
    throw LiveError(Code::bad_parameters,
                    fmt::format("{}: needs the parameter \"{}\"", request_.method, name));
}

std::optional<std::string> LiveParams::text(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(name, "a text", *value);
  return value->get<std::string>();
}

std::string LiveParams::needed_text(const std::string& name) const {
  need(name);
  return *text(name);
}

std::optional<std::vector<std::string>> LiveParams::texts(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::vector{value->get<std::string>()};
  const auto is_text = [](const LiveJson& each) { return each.is_string(); };
  if (!value->is_array() || !std::ranges::all_of(*value, is_text)) refuse(name, "a list of texts", *value);
  return value->get<std::vector<std::string>>();
}

std::optional<std::uint64_t> LiveParams::number(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (value->is_string())
    if (const auto number = number_in(value->get<std::string>())) return number;
  refuse(name, "a number from 0 to 2^64-1, or a text such as \"0x40\"", *value);
}

std::uint64_t LiveParams::needed_number(const std::string& name) const {
  need(name);
  return *number(name);
}

std::optional<Picoseconds> LiveParams::time(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_number_unsigned()) return Picoseconds(value->get<std::uint64_t>());
  if (!value->is_string()) refuse(name, "a time such as \"5ms\", or a number of picoseconds", *value);
  try {
    return time_of_person(value->get<std::string>());
  } catch (const std::invalid_argument& error) {
    refuse(name, error.what());
  }
}

std::optional<bool> LiveParams::flag(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(name, "true or false", *value);
  return value->get<bool>();
}

std::optional<LiveJson> LiveParams::object(const std::string& name) const {
  const LiveJson* const value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_object()) refuse(name, "a JSON object", *value);
  return *value;
}

std::string LiveParams::needed_bytes(const std::string& name) const {
  const std::string digits = needed_text(name);
  std::string bytes(digits.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const first = digits.data() + 2 * i;
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(first, first + 2, byte, 16);
    if (error != std::errc() || end != first + 2)
      refuse(name,
             fmt::format("expected hexadecimal digits, got \"{}\" at {}", std::string(first, 2), 2 * i));
    bytes[i] = static_cast<char>(byte);
  }
  if (digits.size() % 2 != 0)
    refuse(name, fmt::format("expected two digits for each byte, got {} digits", digits.size()));
  return bytes;
}

}  // namespace asterism
