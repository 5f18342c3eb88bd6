// The socket at which a debugger is served: one at a time, another that comes meanwhile is told so and turned
// away.
//
// Sockets have a thread of their own, so that a simulation that runs notices a byte by looking at has_news();
// all else is for one other thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace asterism {

struct GdbEndpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
};

// "[HOST]:PORT"; without HOST the loopback. Throws std::invalid_argument, which says what was expected.
GdbEndpoint parse_gdb_endpoint(const std::string& text);

class GdbPort {
 public:
  // Listens from now on. to_others: the bytes that another debugger gets that comes while one is served.
  // Throws std::runtime_error, which says why it cannot.
  explicit GdbPort(const GdbEndpoint& endpoint, std::string to_others = {});
  // What was sent is delivered first.
  ~GdbPort();
  GdbPort(const GdbPort&) = delete;
  GdbPort& operator=(const GdbPort&) = delete;

  std::string address() const;  // "127.0.0.1:1234"

  // Something has happened since the last take().
  bool has_news() const { return news_.load(std::memory_order_relaxed); }
  struct News {
    bool came = false;             // a debugger, perhaps after another one went
    bool went = false;             // the last one
    std::string bytes = {};        // of the last one
    std::uint64_t connection = 0;  // its number
    unsigned turned_away = 0;      // others
  };
  News take();
  // Until there are some, or until the time is over.
  bool wait_for_news(std::chrono::milliseconds at_most);

  // Its thread ends, and starts again, perhaps in a process that was forked meanwhile and has the connection
  // from then on.
  void pause();
  void resume();

  // To a connection; one that is over by now gets nothing.
  void send(std::uint64_t connection, std::string bytes);
  // When what was sent is delivered.
  void close(std::uint64_t connection);

 private:
  class Sockets;
  std::atomic<bool> news_ = false;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace asterism
