#include "platform/live/live_port.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "platform/debug/listening_socket.h"

namespace asterism {

namespace asio = boost::asio;
using boost::system::error_code;
using Stream = asio::generic::stream_protocol;

// All handlers run in the thread of the sockets; requests of the other thread are posted to it.
class LivePort::Sockets {
 public:
  Sockets(const SocketEndpoint& endpoint, std::atomic<bool>& news)
      : news_(news), path_(endpoint.path), listening_(listen_at(io_, endpoint)) {
    accept();
    start();
  }
  ~Sockets() {
    asio::post(io_, [this] {
      is_over_ = true;
      listening_.acceptor.close();
      retry_.cancel();
      for (auto each = clients_.begin(); each != clients_.end();) close_when_sent((each++)->first);
      if (clients_.empty()) return;
      retry_.expires_after(std::chrono::seconds(1));  // for a client that does not read
      retry_.async_wait([this](const error_code&) { io_.stop(); });
    });
    thread_.join();
    if (!path_.empty()) unlink(path_.c_str());
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  const std::string& address() const { return listening_.address; }

  void pause() {
    asio::post(io_, [this] { io_.stop(); });  // after what was sent before
    thread_.join();
    io_.notify_fork(asio::io_context::fork_prepare);
  }
  void resume() {
    io_.notify_fork(asio::io_context::fork_parent);
    io_.restart();
    start();
  }

  std::vector<News> take() {
    std::vector<News> taken;
    {
      const std::lock_guard lock(mutex_);
      for (auto each = inboxes_.begin(); each != inboxes_.end();) {
        Inbox& inbox = each->second;
        if (inbox.is_ready()) {
          inbox.bytes -= inbox.news.front().line.size();
          taken.push_back(std::move(inbox.news.front()));
          inbox.news.pop_front();
        }
        each = inbox.has_gone && inbox.news.empty() ? inboxes_.erase(each) : std::next(each);
      }
      find_news();
    }
    if (!taken.empty()) asio::post(io_, [this] { read_on(); });
    return taken;
  }
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [&] { return news_.load(); });
  }
  void send(Client number, std::string line) {
    line += '\n';
    bool is_too_much = false;
    {
      const std::lock_guard lock(mutex_);
      const auto inbox = inboxes_.find(number);
      if (inbox == inboxes_.end()) return;
      is_too_much = inbox->second.unread > most_unread;
      inbox->second.unread += line.size();
      find_news();
    }
    asio::post(io_, [this, number, is_too_much, line = std::move(line)]() mutable {
      Connection* const client = find(number);
      if (!client) return;
      if (is_too_much) return lose(number);
      client->outgoing.push_back(std::move(line));
      if (client->outgoing.size() == 1) write(number);
    });
  }
  void close(Client number) {
    asio::post(io_, [this, number] { close_when_sent(number); });
  }

 private:
  struct Connection {
    Stream::socket socket;
    std::array<char, 16384> incoming{};
    std::string line = {};   // its beginning
    bool is_paused = false;  // reads nothing until lines are taken
    std::deque<std::string> outgoing = {};
    bool is_closing = false;
    bool has_gone = false;  // it has been reported
  };
  // What the other thread knows of a connection.
  struct Inbox {
    std::deque<News> news = {};
    std::size_t bytes = 0;   // of its lines
    std::size_t unread = 0;  // bytes that were sent to the client and not read by it
    bool has_gone = false;   // the connection does not exist any more

    bool is_full() const { return bytes > longest_line || news.size() >= most_waiting; }
    bool is_ready() const {
      return !news.empty() && (news.front().what != News::What::line || unread <= most_unread_before_lines);
    }
  };

  void start() {
    thread_ = std::thread([this] { io_.run(); });
  }
  Connection* find(Client number) {
    const auto found = clients_.find(number);
    return found == clients_.end() ? nullptr : &found->second;
  }
  void accept() {
    listening_.acceptor.async_accept([this](const error_code& error, Stream::socket socket) {
      if (is_over_) return;
      if (error || clients_.size() >= most_clients) {
        if (!error) refuse(socket);
        retry_.expires_after(std::chrono::milliseconds(100));  // the host may have no free socket
        return retry_.async_wait([this](const error_code&) {
          if (!is_over_) accept();
        });
      }
      error_code ignored;  // of a local socket
      socket.set_option(asio::ip::tcp::no_delay(true), ignored);
      const Client number = ++last_;
      clients_.emplace(number, Connection{.socket = std::move(socket)});
      {
        const std::lock_guard lock(mutex_);
        inboxes_.try_emplace(number);
      }
      report({.what = News::What::came, .client = number});
      read(number);
      accept();
    });
  }
  static void refuse(Stream::socket& socket) {
    static const std::string message =
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too many clients are connected"}})"
        "\n";
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(message), ignored);
  }
  void read(Client number) {
    Connection& client = *find(number);
    client.socket.async_read_some(asio::buffer(client.incoming),
                                  [this, number](const error_code& error, std::size_t size) {
                                    Connection* const from = find(number);
                                    if (!from || from->is_closing) return;
                                    if (error == asio::error::eof) return tell_that_it_went(number);
                                    if (error) return lose(number);
                                    if (!split(number, *from, size)) return;
                                    from->is_paused = is_full(number);
                                    if (!from->is_paused) read(number);
                                  });
  }
  // Returns whether to read on.
  bool split(Client number, Connection& client, std::size_t size) {
    std::string_view text(client.incoming.data(), size);
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      client.line += text.substr(0, end);
      if (!client.line.empty() && client.line.back() == '\r') client.line.pop_back();
      if (!client.line.empty())
        report({.what = News::What::line, .client = number, .line = std::exchange(client.line, {})});
    }
    client.line += text;
    if (client.line.size() <= longest_line) return true;
    report({.what = News::What::too_long, .client = number});
    return false;
  }
  void read_on() {
    for (auto& [number, client] : clients_) {
      if (!client.is_paused || is_full(number)) continue;
      client.is_paused = false;
      read(number);
    }
  }
  bool is_full(Client number) {
    const std::lock_guard lock(mutex_);
    return inboxes_.at(number).is_full();
  }
  void write(Client number) {
    Connection& client = *find(number);
    asio::async_write(client.socket, asio::buffer(client.outgoing.front()),
                      [this, number](const error_code& error, std::size_t size) {
                        Connection* const to = find(number);
                        if (!to) return;
                        if (error) return lose(number);
                        {
                          const std::lock_guard lock(mutex_);
                          inboxes_.at(number).unread -= size;
                          find_news();
                        }
                        to->outgoing.pop_front();
                        if (!to->outgoing.empty()) return write(number);
                        if (to->is_closing) end(number);
                      });
  }
  void close_when_sent(Client number) {
    Connection* const client = find(number);
    if (!client) return;
    client->is_closing = true;
    drop_lines(number);
    if (client->outgoing.empty()) end(number);
  }
  // The client has gone, which is no error.
  void lose(Client number) {
    drop_lines(number);
    tell_that_it_went(number);
    end(number);
  }
  // Once, though both its input and the connection may end.
  void tell_that_it_went(Client number) {
    if (!std::exchange(find(number)->has_gone, true)) report({.what = News::What::went, .client = number});
  }
  void end(Client number) {
    clients_.erase(number);
    {
      const std::lock_guard lock(mutex_);
      Inbox& inbox = inboxes_.at(number);
      inbox.has_gone = true;
      if (inbox.news.empty()) inboxes_.erase(number);
    }
    if (is_over_ && clients_.empty()) retry_.cancel();
  }
  void drop_lines(Client number) {
    const std::lock_guard lock(mutex_);
    Inbox& inbox = inboxes_.at(number);
    std::erase_if(inbox.news, [](const News& each) { return each.what == News::What::line; });
    inbox.bytes = 0;
    find_news();
  }
  void report(News news) {
    const std::lock_guard lock(mutex_);
    Inbox& inbox = inboxes_.at(news.client);
    inbox.bytes += news.line.size();
    inbox.news.push_back(std::move(news));
    find_news();
  }
  // With the mutex locked.
  void find_news() {
    news_ = std::ranges::any_of(inboxes_, [](const auto& each) { return each.second.is_ready(); });
    if (news_) changed_.notify_all();
  }

  std::atomic<bool>& news_;
  std::mutex mutex_;  // of inboxes_
  std::condition_variable changed_;
  std::map<Client, Inbox> inboxes_;

  const std::string path_;
  asio::io_context io_{1};
  ListeningSocket listening_;
  asio::steady_timer retry_{io_};
  std::map<Client, Connection> clients_;
  Client last_ = 0;
  bool is_over_ = false;
  std::thread thread_;
};

LivePort::LivePort(const SocketEndpoint& endpoint) : sockets_(std::make_unique<Sockets>(endpoint, news_)) {}
LivePort::~LivePort() = default;

std::string LivePort::address() const { return sockets_->address(); }
std::vector<LivePort::News> LivePort::take() { return sockets_->take(); }
bool LivePort::wait_for_news(std::chrono::milliseconds at_most) { return sockets_->wait(at_most); }
void LivePort::send(Client client, std::string line) { sockets_->send(client, std::move(line)); }
void LivePort::close(Client client) { sockets_->close(client); }
void LivePort::pause() { sockets_->pause(); }
void LivePort::resume() { sockets_->resume(); }

}  // namespace asterism
