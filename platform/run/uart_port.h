// Connects a UART of the simulation to a socket or a pseudo-terminal of the host (`run --uart0`).
//
// There is one client at a time; another one gets a message and is closed. What the UART transmits while no
// client is connected is in its log only. A client may go and another one may come at any time; one that ends
// its input still receives, until another one comes. The sockets have a thread of their own.
//
// When a character from a client arrives depends on the host: a run that receives one is not reproducible.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/debug/socket_endpoint.h"

namespace asterism {

struct UartEndpoint {
  std::optional<SocketEndpoint> socket = {};  // nullopt: a pseudo-terminal
  bool waits = false;                         // the run begins when a client is connected
};

// Parses "tcp:[HOST:]PORT", "unix:PATH" or "pty", with ",wait" behind it if the run is to wait. Throws
// std::invalid_argument with what was expected.
UartEndpoint parse_uart_endpoint(const std::string& text);

class UartPort {
 public:
  // Throws std::runtime_error with the reason if it cannot listen.
  explicit UartPort(const UartEndpoint& endpoint);
  // Delivers first what was transmitted, and removes a local socket.
  ~UartPort();
  UartPort(const UartPort&) = delete;
  UartPort& operator=(const UartPort&) = delete;

  // What a client connects to: "tcp:127.0.0.1:4000", "unix:PATH", "/dev/pts/3".
  std::string address() const;
  // A descriptor from which the bytes of clients are read. It stays open as long as this object.
  int input() const;
  void transmit(std::string_view text);
  // Waits for a client, at most for this time. Returns whether one is connected that may send.
  bool wait_for_client(std::chrono::milliseconds at_most);

 private:
  class Host;
  std::unique_ptr<Host> host_;
};

}  // namespace asterism
