// The protocol of a live session (docs/live.md): JSON-RPC 2.0, one JSON object a line. This is its form
// alone, without sockets and without a simulation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace asterism {

using LiveJson = nlohmann::ordered_json;

// What is answered in the place of a result.
class LiveError : public std::runtime_error {
 public:
  enum class Code {
    no_json = -32700,
    no_request = -32600,
    no_such_request = -32601,
    bad_parameters = -32602,
    internal = -32603,
    refused = -32000,  // by the simulated machine or by the host
    not_now = -32001,  // the run goes on, or has ended
  };
  LiveError(Code code, const std::string& message, LiveJson id = nullptr)
      : std::runtime_error(message), code(code), id(std::move(id)) {}

  Code code;
  LiveJson id;  // of the request, if it is known
};

struct LiveRequest {
  LiveJson id = nullptr;
  bool wants_answer = false;  // has an id
  std::string method;
  LiveJson params = LiveJson::object();
};
// Throws LiveError.
LiveRequest parse_live_request(const std::string& line);

// One line without its newline. Bytes that are no UTF-8 are replaced.
std::string to_line(const LiveJson& message);
LiveJson live_answer(const LiveJson& id, LiveJson result);
LiveJson live_error(const LiveError& error, const LiveJson& id);
LiveJson live_notification(std::string_view method, LiveJson params);

// Numbers that may exceed 2^53, which is the limit in JavaScript and in jq: "0x40200000".
std::string hex(std::uint64_t value);
std::string hex_of_bytes(std::string_view bytes);

// The parameters of a request. All functions throw LiveError with the name of the parameter. Those that
// return an optional return nullopt if it is absent; `null` counts as absent.
class LiveParams {
 public:
  // Refuses names that are not in the list.
  LiveParams(const LiveRequest& request, const std::vector<std::string>& names);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  std::optional<std::string> text(const std::string& name) const;
  std::string needed_text(const std::string& name) const;
  std::optional<std::vector<std::string>> texts(const std::string& name) const;  // a text counts as a list
  // An integer, or a text with a decimal or hexadecimal number ("0x40").
  std::optional<std::uint64_t> number(const std::string& name) const;
  std::uint64_t needed_number(const std::string& name) const;
  // A text with a unit, or an integer that counts picoseconds.
  std::optional<Picoseconds> time(const std::string& name) const;
  std::optional<bool> flag(const std::string& name) const;
  std::optional<LiveJson> object(const std::string& name) const;
  std::string needed_bytes(const std::string& name) const;  // two hexadecimal digits each
  const LiveJson* find(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& problem) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& expected, const LiveJson& got) const;

 private:
  void need(const std::string& name) const;

  const LiveRequest& request_;
};

}  // namespace asterism
