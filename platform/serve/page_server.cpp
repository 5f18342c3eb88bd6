#include "platform/serve/page_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "platform/host/human_time.h"

namespace asterism {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto longest_poll = 5s;  // that a page waits for a state
constexpr auto shortest_state = 250ms;
constexpr auto end_limit = 10s;  // for pages to get the report; and for one to ask again while it draws
constexpr std::size_t most_connections = 64, most_pages = 64;
constexpr std::uint32_t most_header = 8 << 10;
constexpr std::size_t most_body = 1 << 10, most_of_record = 1 << 18;
constexpr Picoseconds never = Picoseconds(std::numeric_limits<std::uint64_t>::max());

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// In a time that does not depend on how much of the text is right.
bool is_equal(std::string_view given, std::string_view right) {
  unsigned difference = given.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < right.size(); ++i)
    difference |=
        static_cast<unsigned char>(i < given.size() ? given[i] : 0) ^ static_cast<unsigned char>(right[i]);
  return difference == 0;
}

// The value of a parameter in the query of a target; "" if it has none. Values are digits and letters, so
// that nothing has to be decoded.
std::string_view parameter(std::string_view target, std::string_view name) {
  std::size_t at = target.find('?');
  while (at != std::string_view::npos) {
    const std::string_view rest = target.substr(at + 1);
    const std::string_view pair = rest.substr(0, rest.find('&'));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return pair.substr(name.size() + 1);
    at = target.find('&', at + 1);
  }
  return {};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

PageServerOptions parse_page_server_options(const std::string& text) {
  PageServerOptions options;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto port = number(word);
    if (word == "control")
      options.control = true;
    else if (word == "wait")
      options.waits = true;
    else if (port && *port <= 65535)
      options.port = static_cast<std::uint16_t>(*port);
    else
      throw std::invalid_argument(fmt::format(
          "expected a port (0 to 65535), \"control\" or \"wait\", with commas between them, got \"{}\"",
          word));
  }
  return options;
}

// All handlers run in the thread of the server; requests of the other thread are posted to it.
class PageServer::Host {
 public:
  Host(const PageServerOptions& options, const Files& files)
      : control_(options.control),
        request_limit_(options.request_limit),
        token_(random_token()),
        files_(files(token_)) {
    try {
      const tcp::endpoint at(asio::ip::address_v4::loopback(), options.port);
      acceptor_.open(at.protocol());
      fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(at);
      acceptor_.listen();
    } catch (const boost::system::system_error& error) {
      throw std::runtime_error(
          fmt::format("cannot listen at 127.0.0.1:{}: {}", options.port, error.code().message()));
    }
    const std::uint16_t port = acceptor_.local_endpoint().port();
    for (const char* name : {"127.0.0.1", "localhost"}) hosts_.push_back(fmt::format("{}:{}", name, port));
    accept();
    start();
  }
  ~Host() {
    asio::post(io_, [this] {
      is_over_ = true;
      error_code ignored;
      acceptor_.close(ignored);
      retry_.cancel();
      for (const auto& connection : std::list(connections_)) connection->close();
      io_.stop();
    });
    thread_.join();
    if (record_ >= 0) ::close(record_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  std::string address() const { return fmt::format("http://{}/?token={}", hosts_.front(), token_); }

  bool wait_for_page(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return waiting_ > 0; });
  }
  bool wants_state() const {
    return waiting_.load(std::memory_order_relaxed) > 0 && Clock::now() - published_ >= shortest_state;
  }
  void publish(nlohmann::ordered_json state, Picoseconds now) {
    published_ = Clock::now();
    now_ = now.count();
    send_state(std::move(state));
  }
  void serve_record(const std::filesystem::path& file) {
    asio::post(io_, [this, record = open(file.c_str(), O_RDONLY | O_CLOEXEC)] { record_ = record; });
  }

  bool is_stopped() const { return is_stopped_; }
  void stop() {
    is_stopped_ = true;
    stops_at_ = never.count();
  }
  Picoseconds stops_at() const { return Picoseconds(stops_at_.load()); }
  void wait_until_changed(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return !is_stopped_; });
  }

  void pause() {
    asio::post(io_, [this] { io_.stop(); });
    thread_.join();
    paused_by_ = getpid();
    io_.notify_fork(asio::io_context::fork_prepare);
  }
  void resume() {
    io_.notify_fork(getpid() == paused_by_ ? asio::io_context::fork_parent : asio::io_context::fork_child);
    io_.restart();
    start();
  }

  void finish(const std::filesystem::path& report) {
    asio::post(io_, [this, report] {
      has_ended_ = true;
      report_ = report;
      std::erase_if(pages_, [](const auto& each) {
        return each.second.waiting == 0 && Clock::now() - each.second.seen > end_limit;
      });
      notify();
    });
    send_state({{"phase", "ended"}});
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, end_limit, [this] { return has_ended_ && open_pages_ == 0; });
  }

 private:
  using Request = http::request<http::string_body>;
  using Response = http::response<http::string_body>;

  // An open page, as long as it asks for states.
  struct Page {
    unsigned waiting = 0;  // connections on which it waits for a state
    Clock::time_point seen;
  };

  class Connection : public std::enable_shared_from_this<Connection> {
   public:
    Connection(Host& host, tcp::socket socket) : host_(host), stream_(std::move(socket)), poll_(host.io_) {
      fcntl(stream_.socket().native_handle(), F_SETFD, FD_CLOEXEC);
      error_code ignored;
      stream_.socket().set_option(tcp::no_delay(true), ignored);
    }
    bool is_trusted() const { return is_trusted_; }  // has sent the token
    bool waits_for_state() const { return after_.has_value(); }

    void read() {
      parser_.emplace();
      parser_->header_limit(most_header);
      parser_->body_limit(most_body);
      stream_.expires_after(host_.request_limit_);
      http::async_read(
          stream_, buffer_, *parser_,
          [self = shared_from_this()](const error_code& error, std::size_t) { self->take(error); });
    }
    void close() {
      if (is_closed_) return;
      is_closed_ = true;
      end_poll();
      poll_.cancel();
      error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);  // copies of the process have it, too
      stream_.close();
      host_.remove(*this);
    }
    // Answers a page that waits for a state.
    void send_state() {
      end_poll();
      poll_.cancel();
      error_code ignored;
      stream_.socket().cancel(ignored);
      answer(http::status::ok, "application/json", *host_.state_);
      if (host_.has_ended_ && host_.report_.empty()) leaves_ = page_;
      write();
    }

   private:
    void take(const error_code& error) {
      if (is_closed_) return;
      const bool is_of_text =
          error.category() == http::make_error_code(http::error::end_of_stream).category();
      if (error == http::error::end_of_stream || (error && !is_of_text)) return close();  // gone, or too slow
      if (error) {
        const auto status = error == http::error::header_limit ? http::status::request_header_fields_too_large
                            : error == http::error::body_limit ? http::status::payload_too_large
                                                               : http::status::bad_request;
        answer(status, "text/plain", "This is no request that the server understands.\n");
        response_.keep_alive(false);
        return write();
      }
      const Request& request = parser_->get();
      response_ = {};
      try {
        respond(request);
      } catch (const Refusal& refusal) {
        answer(refusal.status, "text/plain", refusal.text + "\n");
      }
      if (waits_for_state()) return wait_for_state();
      response_.keep_alive(request.keep_alive());
      write();
    }

    struct Refusal {
      http::status status;
      std::string text;
    };

    void respond(const Request& request) {
      const std::string_view target = view(request.target()), path = target.substr(0, target.find('?'));
      check(request, target);
      const bool is_control = path == "/control";
      if (request.method() != (is_control ? http::verb::post : http::verb::get)) {
        if (request.method() == http::verb::post && !host_.control_)
          throw forbidden("This run can only be looked at.");
        response_.set(http::field::allow, is_control ? "POST" : "GET");
        throw Refusal{http::status::method_not_allowed, is_control ? "Expected POST." : "Expected GET."};
      }
      if (is_control) return control(request);
      if (path == "/state") return poll(target);
      if (path == "/record") return send_record(target);
      if (path == "/report") return send_report(target);
      const auto file = std::ranges::find(host_.files_, path, &File::target);
      if (file == host_.files_.end())
        throw Refusal{http::status::not_found, "There is nothing of this name."};
      answer(http::status::ok, file->type, file->contents);
    }
    static Refusal forbidden(std::string text) { return {http::status::forbidden, std::move(text)}; }
    static Refusal wrong(std::string text) { return {http::status::bad_request, std::move(text)}; }

    void check(const Request& request, std::string_view target) {
      // Of two fields of one name, others may see another one.
      for (const auto field : {http::field::host, http::field::origin, http::field::authorization})
        if (request.count(field) > 1) throw wrong("A field is given twice.");
      const std::string_view host = view(request[http::field::host]);
      if (std::ranges::find(host_.hosts_, host) == host_.hosts_.end())
        throw forbidden("Host is not the address at which the run is shown.");
      if (request.count(http::field::origin) > 0 &&
          view(request[http::field::origin]) != fmt::format("http://{}", host))
        throw forbidden("This is a request of another origin.");
      constexpr std::string_view bearer = "Bearer ";
      const std::string_view authorization = view(request[http::field::authorization]);
      const bool in_field =
          authorization.starts_with(bearer) && is_equal(authorization.substr(bearer.size()), host_.token_);
      const bool in_target =
          request.method() != http::verb::post && is_equal(parameter(target, "token"), host_.token_);
      if (!in_field && !in_target)
        throw forbidden("The token is missing or wrong: open the address that the run has printed.");
      is_trusted_ = true;
    }

    void poll(std::string_view target) {
      const auto after = number(parameter(target, "after"));
      const std::string_view page = parameter(target, "page");
      const bool is_name = !page.empty() && page.size() <= 16 &&
                           std::ranges::all_of(page, [](unsigned char c) { return std::isalnum(c) != 0; });
      if (!after || !is_name) throw wrong("Expected /state?page=ID&after=NUMBER.");
      page_ = page;
      if (!host_.begin_poll(page_))
        throw Refusal{http::status::service_unavailable, "Too many pages are open."};
      after_ = after;
    }
    void wait_for_state() {
      if (host_.sequence_ > *after_) return send_state();
      stream_.expires_never();
      poll_.expires_after(longest_poll);
      poll_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error && self->waits_for_state()) self->send_state();
      });
      // Readable without a byte: the page has gone.
      stream_.socket().async_wait(
          tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
            char byte = 0;
            if (!error && self->waits_for_state() &&
                recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
              self->close();
          });
    }
    void end_poll() {
      if (!after_) return;
      after_.reset();
      host_.end_poll(page_, is_closed_);
    }

    void send_record(std::string_view target) {
      const auto from = number(parameter(target, "from")), to = number(parameter(target, "to"));
      if (!from || !to || *from > *to || *to > std::uint64_t(std::numeric_limits<off_t>::max()))
        throw wrong("Expected /record?from=NUMBER&to=NUMBER.");
      std::string bytes(std::min<std::uint64_t>(*to - *from, most_of_record), '\0');
      const ssize_t size = pread(host_.record_, bytes.data(), bytes.size(), static_cast<off_t>(*from));
      if (size < 0) throw Refusal{http::status::not_found, "The run has no record."};
      bytes.resize(static_cast<std::size_t>(size));
      answer(http::status::ok, "application/octet-stream", std::move(bytes));
    }
    void send_report(std::string_view target) {
      std::ifstream file(host_.report_, std::ios::binary);
      if (host_.report_.empty() || !file)
        throw Refusal{http::status::not_found, "The run has no report yet."};
      std::string text{std::istreambuf_iterator<char>(file), {}};
      answer(http::status::ok, "text/html; charset=utf-8", std::move(text));
      // The report contains its scripts, and asks for nothing.
      response_.set("Content-Security-Policy",
                    "default-src 'none'; script-src 'unsafe-inline'; "
                    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      leaves_ = parameter(target, "page");
    }

    void control(const Request& request) {
      if (!host_.control_) throw forbidden("This run can only be looked at.");
      if (view(request[http::field::content_type]) != "application/json")
        throw wrong("Expected application/json.");
      const auto order = nlohmann::json::parse(request.body(), nullptr, false);
      const std::string action = order.is_object() ? text_in(order, "action") : "";
      if (action != "stop" && action != "go_on") throw wrong("Expected the action \"stop\" or \"go_on\".");
      nlohmann::json result = nlohmann::json::object();
      try {
        host_.command(action == "stop",
                      order.contains("until") ? later_time(text_in(order, "until")) : never);
      } catch (const std::invalid_argument& error) {
        result["problem"] = error.what();
      }
      answer(http::status::ok, "application/json", result.dump());
    }
    static std::string text_in(const nlohmann::json& object, const char* name) {
      const auto found = object.find(name);
      return found != object.end() && found->is_string() ? found->get<std::string>() : "";
    }
    // Throws std::invalid_argument.
    Picoseconds later_time(const std::string& text) const {
      const Picoseconds now(host_.now_);
      const auto time = time_of_person(text);
      if (time > now) return time;
      throw std::invalid_argument(fmt::format("{} has passed: it is {}", text, human_time(now)));
    }

    void answer(http::status status, std::string_view type, std::string body) {
      response_.result(status);
      response_.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
      response_.body() = std::move(body);
      protect();
    }
    void protect() {
      response_.set("Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
                    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      response_.set("Referrer-Policy", "no-referrer");
      response_.set("X-Content-Type-Options", "nosniff");
      response_.set("X-Frame-Options", "DENY");
      response_.set("Cross-Origin-Resource-Policy", "same-origin");
      response_.set("Cross-Origin-Opener-Policy", "same-origin");
      response_.set(http::field::cache_control, "no-store");
    }
    void write() {
      response_.version(11);
      if (parser_->get().method() == http::verb::head) response_.body().clear();
      response_.prepare_payload();
      stream_.expires_after(4 * host_.request_limit_);  // a forwarded port may be slow
      http::async_write(stream_, response_,
                        [self = shared_from_this()](const error_code& error, std::size_t) {
                          if (self->is_closed_) return;
                          if (!self->leaves_.empty()) self->host_.forget(std::exchange(self->leaves_, {}));
                          if (error || !self->response_.keep_alive()) return self->close();
                          self->read();
                        });
    }

    Host& host_;
    boost::beast::tcp_stream stream_;
    asio::steady_timer poll_;
    boost::beast::flat_buffer buffer_{most_header + most_body};
    std::optional<http::request_parser<http::string_body>> parser_;
    Response response_;
    std::optional<std::uint64_t> after_;  // the state behind which it waits for another
    std::string page_, leaves_;           // the page that asks; the one that asks for nothing more
    bool is_trusted_ = false, is_closed_ = false;
  };

  void start() {
    sigset_t all, before;  // signals are for the threads of the run; SIGPIPE is of a client that has gone
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { io_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (is_over_) return;
      if (error) {  // the host may have no free socket
        retry_.expires_after(100ms);
        return retry_.async_wait([this](const error_code& cancelled) {
          if (!cancelled && !is_over_) accept();
        });
      }
      if (connections_.size() >= most_connections) drop_oldest();
      if (connections_.size() < most_connections)
        connections_.emplace_back(std::make_shared<Connection>(*this, std::move(socket)))->read();
      accept();
    });
  }
  // Whoever has not sent the token cannot keep others away.
  void drop_oldest() {
    const auto stranger =
        std::ranges::find_if(connections_, [](const auto& each) { return !each->is_trusted(); });
    if (stranger != connections_.end()) std::shared_ptr(*stranger)->close();
  }
  void remove(const Connection& connection) {
    connections_.remove_if([&](const auto& each) { return each.get() == &connection; });
  }

  // The state of the run, for the pages that wait.
  void send_state(nlohmann::ordered_json state) {
    asio::post(io_, [this, state = std::move(state)]() mutable {
      state["sequence"] = ++sequence_;
      state_ = std::make_shared<const std::string>(
          state.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      for (const auto& connection : std::list(connections_))
        if (connection->waits_for_state()) connection->send_state();
    });
  }

  bool begin_poll(const std::string& name) {
    if (pages_.size() >= most_pages)
      std::erase_if(pages_, [](const auto& each) { return each.second.waiting == 0; });
    if (pages_.size() >= most_pages && !pages_.contains(name)) return false;
    ++pages_[name].waiting;
    notify();
    return true;
  }
  void end_poll(const std::string& name, bool has_gone) {
    const auto page = pages_.find(name);
    if (page == pages_.end()) return;
    if (page->second.waiting > 0) --page->second.waiting;
    page->second.seen = Clock::now();
    if (has_gone && page->second.waiting == 0) pages_.erase(page);
    notify();
  }
  void forget(const std::string& name) {
    pages_.erase(name);
    notify();
  }
  void notify() {
    const std::lock_guard lock(mutex_);
    waiting_ = 0;
    for (const auto& [name, page] : pages_) waiting_ += page.waiting;
    open_pages_ = pages_.size();
    changed_.notify_all();
  }
  void command(bool stops, Picoseconds at) {
    const std::lock_guard lock(mutex_);
    stops_at_ = at.count();
    is_stopped_ = stops;
    changed_.notify_all();
  }

  const bool control_;
  const std::chrono::milliseconds request_limit_;
  const std::string token_;
  const std::vector<File> files_;
  std::vector<std::string> hosts_;  // the values of Host that are right

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer retry_{io_};
  std::list<std::shared_ptr<Connection>> connections_;  // in the order in which they came
  std::map<std::string, Page> pages_;
  std::shared_ptr<const std::string> state_ = std::make_shared<const std::string>(R"({"sequence":0})");
  std::uint64_t sequence_ = 0;  // of the state; 0: there is none yet
  int record_ = -1;
  std::filesystem::path report_;
  bool is_over_ = false;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
  pid_t paused_by_ = 0;

  Clock::time_point published_;                                    // of the thread of the run
  std::atomic<std::uint64_t> now_ = 0, stops_at_ = never.count();  // picoseconds
  std::atomic<bool> is_stopped_ = false;
  std::atomic<unsigned> waiting_ = 0;
  std::atomic<std::size_t> open_pages_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

PageServer::PageServer(const PageServerOptions& options, const Files& files)
    : host_(std::make_unique<Host>(options, files)) {}
PageServer::~PageServer() = default;
std::string PageServer::address() const { return host_->address(); }
bool PageServer::wait_for_page(std::chrono::milliseconds at_most) { return host_->wait_for_page(at_most); }
bool PageServer::wants_state() const { return host_->wants_state(); }
void PageServer::publish(nlohmann::ordered_json state, Picoseconds now) {
  host_->publish(std::move(state), now);
}
void PageServer::serve_record(const std::filesystem::path& file) { host_->serve_record(file); }
bool PageServer::is_stopped() const { return host_->is_stopped(); }
void PageServer::stop() { host_->stop(); }
Picoseconds PageServer::stops_at() const { return host_->stops_at(); }
void PageServer::wait_until_changed(std::chrono::milliseconds at_most) { host_->wait_until_changed(at_most); }
void PageServer::pause() { host_->pause(); }
void PageServer::resume() { host_->resume(); }
void PageServer::finish(const std::filesystem::path& report) { host_->finish(report); }

}  // namespace asterism
