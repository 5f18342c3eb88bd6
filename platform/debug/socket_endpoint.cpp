#include "platform/debug/socket_endpoint.h"

#include <stdexcept>

namespace asterism {

std::optional<SocketEndpoint> parse_socket_endpoint(const std::string& text) {
  SocketEndpoint endpoint;
  if (text.starts_with("unix:") && text.size() > 5) {
    endpoint.path = text.substr(5);
    if (endpoint.path.size() >= 108)
      throw std::invalid_argument(": the path of a socket has at most 107 bytes");
    return endpoint;
  }
  if (!text.starts_with("tcp:")) return std::nullopt;
  std::string at = text.substr(4);
  if (at.find(':') == std::string::npos) at.insert(0, ":");
  try {
    endpoint.tcp = parse_gdb_endpoint(at);
  } catch (const std::invalid_argument& error) {
    const std::string why = error.what();
    const std::size_t colon = why.find("\": ");
    throw std::invalid_argument(colon == std::string::npos ? "" : why.substr(colon + 1));
  }
  return endpoint;
}

}  // namespace asterism
