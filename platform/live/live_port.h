// The socket to which clients of a live session connect, several at a time. It receives and sends lines.
//
// The sockets have a thread of their own, so that a running simulation can check for received lines by
// has_news(). All other functions must be called by one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/debug/socket_endpoint.h"

namespace asterism {

class LivePort {
 public:
  static constexpr std::size_t most_clients = 16;
  static constexpr std::size_t longest_line = 16 << 20;
  // Lines of a client that were not taken yet. With more, nothing is read from it.
  static constexpr std::size_t most_waiting = 1000;
  // Of what was sent to a client and not read by it. With more, its lines wait.
  static constexpr std::size_t most_unread_before_lines = 1 << 20;
  // Of what was sent to a client and not read by it, beside one line. With more, the connection is closed.
  static constexpr std::size_t most_unread = 64 << 20;

  // Throws std::runtime_error with the reason if it cannot listen.
  explicit LivePort(const SocketEndpoint& endpoint);
  // Delivers first what was sent, and removes a local socket.
  ~LivePort();
  LivePort(const LivePort&) = delete;
  LivePort& operator=(const LivePort&) = delete;

  std::string address() const;  // "tcp:127.0.0.1:4000", "unix:PATH"

  using Client = std::uint64_t;  // the number of a connection
  struct News {
    enum class What : std::uint8_t {
      came,
      line,
      too_long,  // a line that is longer than longest_line; nothing more is read from this client
      went,      // it sends nothing more; it may still receive, until close()
    } what;
    Client client;
    std::string line = {};
  };
  // Whether take() has something to return.
  bool has_news() const { return news_.load(std::memory_order_relaxed); }
  // At most one of each client, so that a client with many lines does not keep others waiting. The lines of a
  // client whose connection has ended in both directions are dropped.
  std::vector<News> take();
  // Waits until there are news, at most for this time.
  bool wait_for_news(std::chrono::milliseconds at_most);

  // Sends a line, to which it adds the newline. Does nothing if the connection has ended.
  void send(Client client, std::string line);
  // Closes a connection after everything that was sent is delivered.
  void close(Client client);

  // Ends the thread, and starts it again.
  void pause();
  void resume();

 private:
  class Sockets;
  std::atomic<bool> news_ = false;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace asterism
