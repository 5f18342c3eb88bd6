#include "platform/debug/gdb_port.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace asterism {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

GdbEndpoint parse_gdb_endpoint(const std::string& text) {
  const auto bad = [&](const char* why) {
    return std::invalid_argument(fmt::format("expected [HOST]:PORT, such as :1234, got \"{}\"{}", text, why));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw bad("");
  GdbEndpoint endpoint;
  const std::string port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (error != std::errc() || end != port.data() + port.size())
    throw bad(": a port is a number from 0 to 65535");
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return endpoint;
  if (host == "localhost") host = "127.0.0.1";
  error_code bad_address;
  asio::ip::make_address(host, bad_address);
  if (bad_address) throw bad(": HOST must be a numeric address of this computer");
  endpoint.host = host;
  return endpoint;
}

// All handlers run in the thread of the sockets; requests of the other thread are posted to it.
class GdbPort::Sockets {
 public:
  Sockets(const GdbEndpoint& endpoint, std::string to_others, std::atomic<bool>& news)
      : news_(news), to_others_(std::move(to_others)) {
    try {
      const tcp::endpoint at(asio::ip::make_address(endpoint.host), endpoint.port);
      acceptor_.open(at.protocol());
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(at);
      acceptor_.listen();
    } catch (const boost::system::system_error& error) {
      throw std::runtime_error(
          fmt::format("cannot listen at {}:{}: {}", endpoint.host, endpoint.port, error.code().message()));
    }
    const tcp::endpoint at = acceptor_.local_endpoint();
    const std::string host = at.address().to_string();
    address_ = fmt::format("{}:{}", at.address().is_v6() ? "[" + host + "]" : host, at.port());
    accept();
    start();
  }
  ~Sockets() {
    asio::post(io_, [this] {
      over_ = true;
      acceptor_.close();
      next_.reset();
      retry_.cancel();
      close_when_sent();
      if (!socket_) return;
      close_timeout_.expires_after(std::chrono::seconds(1));
      close_timeout_.async_wait([this](const error_code& error) {
        if (!error) lose();
      });
    });
    thread_.join();
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  const std::string& address() const { return address_; }

  void pause() {
    asio::post(io_, [this] { io_.stop(); });  // after what was sent before
    thread_.join();
    paused_by_ = getpid();
    io_.notify_fork(asio::io_context::fork_prepare);
  }
  void resume() {
    io_.notify_fork(getpid() == paused_by_ ? asio::io_context::fork_parent : asio::io_context::fork_child);
    io_.restart();
    start();
  }

  News take() {
    const std::lock_guard lock(mutex_);
    news_ = false;
    return std::exchange(pending_, {});
  }
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [&] { return news_.load(); });
  }
  void send(std::uint64_t connection, std::string bytes) {
    asio::post(io_, [this, connection, bytes = std::move(bytes)]() mutable {
      if (!socket_ || connection != connection_) return;
      outgoing_.push_back(std::move(bytes));
      if (outgoing_.size() == 1) write();
    });
  }
  void close(std::uint64_t connection) {
    asio::post(io_, [this, connection] {
      if (connection == connection_) close_when_sent();
    });
  }

 private:
  void start() {
    thread_ = std::thread([this] { io_.run(); });
  }
  // Handlers of a connection that has ended find another number.
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) next_.emplace(std::move(socket));
      if (error || socket_) return wait_a_little();
      serve_next();
    });
  }
  // The end of the previous connection may not have been noticed yet, or the host may have no free socket.
  void wait_a_little() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](const error_code&) {
      if (over_) return;
      if (next_ && !socket_) return serve_next();
      if (next_) refuse();
      accept();
    });
  }
  // Received bytes are read first, because closing a socket with unread bytes would discard the message.
  void refuse() {
    error_code error;
    std::array<char, 4096> asked;
    next_->non_blocking(true, error);
    next_->read_some(asio::buffer(asked), error);
    next_->write_some(asio::buffer(to_others_), error);
    next_.reset();
    report([](News& news) { ++news.refused; });
  }
  void serve_next() {
    error_code ignored;
    next_->set_option(tcp::no_delay(true), ignored);
    keep_alive(*next_);
    socket_.emplace(std::move(*next_));
    next_.reset();
    ++connection_;
    is_closing_ = false;
    report([this](News& news) { news = {.came = true, .connection = connection_, .refused = news.refused}; });
    read();
    accept();
  }
  // A host that disappears is noticed after a minute, even if nothing is sent to it.
  static void keep_alive(tcp::socket& socket) {
    error_code ignored;
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    for (const auto& [option, value] :
         {std::pair{TCP_KEEPIDLE, 30}, {TCP_KEEPINTVL, 10}, {TCP_KEEPCNT, 3}, {TCP_USER_TIMEOUT, 60'000}})
      setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  }
  void read() {
    socket_->async_read_some(asio::buffer(incoming_),
                             [this, connection = connection_](const error_code& error, std::size_t size) {
                               if (connection != connection_) return;
                               if (error) return lose();
                               report([&](News& news) { news.bytes.append(incoming_.data(), size); });
                               read();
                             });
  }
  void write() {
    asio::async_write(*socket_, asio::buffer(outgoing_.front()),
                      [this, connection = connection_](const error_code& error, std::size_t) {
                        if (connection != connection_) return;
                        if (error) return lose();
                        outgoing_.pop_front();
                        if (!outgoing_.empty()) return write();
                        if (is_closing_) lose();
                      });
  }
  void close_when_sent() {
    is_closing_ = true;
    if (socket_ && outgoing_.empty()) lose();
  }
  void lose() {
    if (!socket_) return;
    error_code ignored;
    socket_->shutdown(tcp::socket::shutdown_both, ignored);
    socket_->close(ignored);
    socket_.reset();
    close_timeout_.cancel();
    if (next_) retry_.cancel();
    ++connection_;
    outgoing_.clear();
    if (!over_) report([](News& news) { news.went = true; });
  }
  template <class F>
  void report(F change) {
    const std::lock_guard lock(mutex_);
    change(pending_);
    news_ = true;
    changed_.notify_all();
  }

  std::atomic<bool>& news_;
  const std::string to_others_;
  std::mutex mutex_;  // of pending_
  std::condition_variable changed_;
  News pending_;

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  std::string address_;
  asio::steady_timer retry_{io_};
  asio::steady_timer close_timeout_{io_};  // for a debugger that does not read what was sent, at the end
  std::optional<tcp::socket> socket_,
      next_;  // the connected one; one that connects while another is connected
  std::uint64_t connection_ = 0;
  std::array<char, 4096> incoming_{};
  std::deque<std::string> outgoing_;
  bool is_closing_ = false, over_ = false;
  std::thread thread_;
  pid_t paused_by_ = 0;
};

GdbPort::GdbPort(const GdbEndpoint& endpoint, std::string to_others)
    : sockets_(std::make_unique<Sockets>(endpoint, std::move(to_others), news_)) {}
GdbPort::~GdbPort() = default;

std::string GdbPort::address() const { return sockets_->address(); }
void GdbPort::pause() { sockets_->pause(); }
void GdbPort::resume() { sockets_->resume(); }
GdbPort::News GdbPort::take() { return sockets_->take(); }
bool GdbPort::wait_for_news(std::chrono::milliseconds at_most) { return sockets_->wait(at_most); }
void GdbPort::send(std::uint64_t connection, std::string bytes) {
  sockets_->send(connection, std::move(bytes));
}
void GdbPort::close(std::uint64_t connection) { sockets_->close(connection); }

}  // namespace asterism
