#include "platform/run/uart_port.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "platform/debug/listening_socket.h"

namespace asterism {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

namespace {

// What a client that does not read may leave unread. The rest is in the log only.
constexpr std::size_t most_unread = 16 << 20;

// The slave of a pseudo-terminal passes bytes as they are.
void make_raw(int master) {
  termios mode{};
  if (tcgetattr(master, &mode) != 0) return;
  cfmakeraw(&mode);
  tcsetattr(master, TCSANOW, &mode);
}

const std::string to_others = "another client is connected to this UART\n";

}  // namespace

UartEndpoint parse_uart_endpoint(const std::string& text) {
  const auto bad = [&](const std::string& why) {
    return std::invalid_argument(fmt::format(
        "expected tcp:[HOST:]PORT, unix:PATH or pty, perhaps with \",wait\", got \"{}\"{}", text, why));
  };
  UartEndpoint endpoint;
  std::string place = text;
  constexpr std::string_view wait = ",wait";
  if (place.ends_with(wait)) {
    endpoint.waits = true;
    place.resize(place.size() - wait.size());
  }
  if (place == "pty") return endpoint;
  try {
    endpoint.socket = parse_socket_endpoint(place);
  } catch (const std::invalid_argument& error) {
    throw bad(error.what());
  }
  if (!endpoint.socket) throw bad("");
  return endpoint;
}

// All handlers run in the thread of the sockets; requests of the other thread are posted to it.
class UartPort::Host {
 public:
  explicit Host(const UartEndpoint& endpoint) {
    if (endpoint.socket)
      listen(*endpoint.socket);
    else
      open_pty();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "socketpair");
    thread_ = std::thread([this] {
      sigset_t broken_pipe;  // of a client that has gone
      sigemptyset(&broken_pipe);
      sigaddset(&broken_pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
      io_.run();
    });
  }
  ~Host() {
    shutdown(ends_[0], SHUT_RDWR);  // ends a send() that waits
    asio::post(io_, [this] {
      is_over_ = true;
      if (acceptor_) acceptor_->close();
      retry_.cancel();
      if (!client_ || (outgoing_.empty() && writing_.empty())) return leave();
      retry_.expires_after(std::chrono::seconds(1));  // for a client that does not read
      retry_.async_wait([this](const error_code&) { leave(); });
    });
    thread_.join();
    if (pty_ && client_) wait_until_read();
    for (const int end : ends_) close(end);
    if (!path_.empty()) unlink(path_.c_str());
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const std::string& address() const { return address_; }
  int input() const { return ends_[0]; }
  void transmit(std::string text) {
    if (!is_heard_) return;
    asio::post(io_, [this, text = std::move(text)] {
      if (!client_ || outgoing_.size() + writing_.size() + text.size() > most_unread) return;
      outgoing_ += text;
      write();
    });
  }
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return connected_.wait_for(lock, at_most, [&] { return is_connected_.load(); });
  }

 private:
  void listen(const SocketEndpoint& endpoint) {
    ListeningSocket made = listen_at(io_, endpoint);
    acceptor_.emplace(std::move(made.acceptor));
    address_ = made.address;
    path_ = endpoint.path;
    accept();
  }
  void open_pty() {
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
      throw std::runtime_error(fmt::format("cannot listen at a pseudo-terminal: {}", std::strerror(errno)));
    std::array<char, 128> name{};
    if (ptsname_r(master, name.data(), name.size()) != 0)
      throw std::runtime_error(fmt::format("cannot listen at a pseudo-terminal: {}", std::strerror(errno)));
    address_ = name.data();
    make_raw(master);
    // Until a terminal has opened the other side once, it does not count as closed.
    close(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    pty_.emplace(io_, master);
    look_at_pty();
  }
  // A terminal loses what it has not read when this side is closed.
  void wait_until_read() const {
    const int terminal = open(address_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    for (int i = 0, unread = 1; i < 100 && unread > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (ioctl(terminal, FIONREAD, &unread) != 0) break;
    }
    close(terminal);
  }
  // There is no event for a client that opens the other side.
  void look_at_pty() {
    pollfd state{pty_->native_handle(), POLLIN, 0};
    if (poll(&state, 1, 0) >= 0 && !(state.revents & POLLHUP)) return serve(dup(pty_->native_handle()));
    retry_.expires_after(std::chrono::milliseconds(50));
    retry_.async_wait([this](const error_code& error) {
      if (!error && !is_over_) look_at_pty();
    });
  }
  void accept() {
    acceptor_->async_accept([this](const error_code& error, Protocol::socket socket) {
      if (is_over_) return;
      if (error) {  // the host may have no free socket
        retry_.expires_after(std::chrono::milliseconds(100));
        return retry_.async_wait([this](const error_code& cancelled) {
          if (!cancelled && !is_over_) accept();
        });
      }
      if (is_connected_) {
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(to_others), ignored);
      } else {
        if (client_) lose();
        serve(socket.release());
      }
      accept();
    });
  }
  void serve(int descriptor) {
    client_.emplace(io_, descriptor);
    {
      const std::lock_guard lock(mutex_);
      is_connected_ = is_heard_ = true;
    }
    connected_.notify_all();
    read();
  }
  // A client that has ended its input still receives. Whether it has gone instead shows when something is
  // written, or when another one comes.
  void read() {
    client_->async_read_some(
        asio::buffer(incoming_), [this, number = number_](const error_code& error, std::size_t size) {
          if (number != number_) return;
          if (error == asio::error::eof && acceptor_) return void(is_connected_ = false);
          if (error) return lose();
          send(ends_[1], incoming_.data(), size, MSG_NOSIGNAL);  // waits if the simulation does not read
          read();
        });
  }
  void write() {
    if (!writing_.empty() || outgoing_.empty()) return;
    writing_ = std::exchange(outgoing_, {});
    asio::async_write(*client_, asio::buffer(writing_),
                      [this, number = number_](const error_code& error, std::size_t) {
                        if (number != number_) return;
                        writing_.clear();
                        if (error) return lose();
                        write();
                        if (is_over_ && writing_.empty()) leave();
                      });
  }
  // The client has gone, which is no error.
  void lose() {
    ++number_;  // handlers of this client find another number
    client_.reset();
    is_connected_ = is_heard_ = false;
    outgoing_.clear();
    writing_.clear();
    if (is_over_) return leave();
    if (pty_) look_at_pty();
  }
  void leave() { io_.stop(); }

  asio::io_context io_{1};
  std::optional<asio::basic_socket_acceptor<Protocol>> acceptor_;
  std::optional<asio::posix::stream_descriptor> pty_, client_;
  asio::steady_timer retry_{io_};
  std::string address_, path_;
  std::uint64_t number_ = 0;  // of the client
  std::array<char, 4096> incoming_{};
  std::string outgoing_, writing_;
  std::array<int, 2> ends_{-1, -1};  // of the way into the simulation
  bool is_over_ = false;
  std::mutex mutex_;
  std::condition_variable connected_;
  std::atomic<bool> is_connected_ = false;  // a client that may send
  std::atomic<bool> is_heard_ = false;      // one that may receive
  std::thread thread_;
};

UartPort::UartPort(const UartEndpoint& endpoint) : host_(std::make_unique<Host>(endpoint)) {}
UartPort::~UartPort() = default;
std::string UartPort::address() const { return host_->address(); }
int UartPort::input() const { return host_->input(); }
void UartPort::transmit(std::string_view text) { host_->transmit(std::string(text)); }
bool UartPort::wait_for_client(std::chrono::milliseconds at_most) { return host_->wait(at_most); }

}  // namespace asterism
