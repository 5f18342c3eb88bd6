// A place that a user names for clients of a run to connect to.
#pragma once

#include <optional>
#include <string>

#include "platform/debug/gdb_port.h"

namespace asterism {

struct SocketEndpoint {
  GdbEndpoint tcp = {};
  std::string path = {};  // of a local socket; "": TCP
};

// Parses "tcp:[HOST:]PORT" or "unix:PATH". Returns nullopt if the text has neither form. Throws
// std::invalid_argument with what is wrong in it, or "", for the end of a message.
std::optional<SocketEndpoint> parse_socket_endpoint(const std::string& text);

}  // namespace asterism
