// The socket to which a debugger connects. It accepts one debugger at a time; another one gets a message and
// is refused.
//
// The sockets have a thread of their own, so that a running simulation can check for received bytes by
// has_news(). All other functions must be called by one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace asterism {

struct GdbEndpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0 selects any free port
};

// Parses "[HOST]:PORT". Without HOST the address is the loopback address. Throws std::invalid_argument with
// what was expected.
GdbEndpoint parse_gdb_endpoint(const std::string& text);

class GdbPort {
 public:
  // Begins to listen. `to_others` is sent to a debugger that connects while another one is connected. Throws
  // std::runtime_error with the reason if it cannot listen.
  explicit GdbPort(const GdbEndpoint& endpoint, std::string to_others = {});
  // Delivers first what was sent.
  ~GdbPort();
  GdbPort(const GdbPort&) = delete;
  GdbPort& operator=(const GdbPort&) = delete;

  std::string address() const;  // "127.0.0.1:1234"

  // Whether anything was received since the last take().
  bool has_news() const { return news_.load(std::memory_order_relaxed); }
  struct News {
    bool came = false;             // a debugger has connected, perhaps after another one has disconnected
    bool went = false;             // the last debugger has disconnected
    std::string bytes = {};        // received from the last debugger
    std::uint64_t connection = 0;  // the number of its connection
    unsigned refused = 0;          // debuggers that were refused
  };
  News take();
  // Waits until there are news, at most for this time.
  bool wait_for_news(std::chrono::milliseconds at_most);

  // Ends the thread, and starts it again. The process that calls resume() may be a fork, which then has the
  // connection.
  void pause();
  void resume();

  // Sends bytes to a connection. Does nothing if it has ended.
  void send(std::uint64_t connection, std::string bytes);
  // Closes a connection after everything that was sent is delivered.
  void close(std::uint64_t connection);

 private:
  class Sockets;
  std::atomic<bool> news_ = false;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace asterism
