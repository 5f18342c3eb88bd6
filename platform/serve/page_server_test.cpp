#include "platform/serve/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <thread>
#include <utility>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A socket that sends any bytes.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes) const { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Until the server closes the connection.
  std::string receive_all() const {
    std::string all;
    for (std::string part; !(part = receive()).empty();) all += part;
    return all;
  }
  // One answer with its body.
  std::string receive_answer() const {
    std::string all;
    for (;;) {
      const std::size_t head = all.find("\r\n\r\n"), length = all.find("Content-Length: ");
      if (head != std::string::npos && length < head &&
          all.size() >= head + 4 + std::stoul(all.substr(length + 16)))
        return all;
      const std::string part = receive();
      if (part.empty()) return all;
      all += part;
    }
  }

 private:
  std::string receive() const {
    std::string bytes(4096, '\0');
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }
  int socket_;
};

struct PageServerTest : testing::Test {
  explicit PageServerTest(const PageServerOptions& options = {})
      : server(options, [this](const std::string& given) {
          token = given;
          return std::vector<PageServer::File>{{"/", "text/html", "the page"},
                                               {"/page.js", "text/javascript", "code"}};
        }) {
    const std::string address = server.address();
    EXPECT_EQ(address.substr(address.find("/?")), "/?token=" + token);
    port =
        static_cast<std::uint16_t>(std::stoul(address.substr(std::string_view("http://127.0.0.1:").size())));
  }

  std::string host() const { return fmt::format("127.0.0.1:{}", port); }
  std::string raw(const std::string& bytes) const {
    const RawClient client(port);
    client.send(bytes);
    return client.receive_answer();
  }
  // `fields` end in "\r\n".
  std::string get(const std::string& target, const std::string& fields = "") const {
    return raw(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", target, host(), fields));
  }
  std::string get_with_token(const std::string& target, const std::string& fields = "") const {
    return get(target, fmt::format("Authorization: Bearer {}\r\n{}", token, fields));
  }
  std::string post(const std::string& body, const std::string& fields) const {
    return raw(fmt::format("POST /control HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{}\r\n{}", host(),
                           body.size(), fields, body));
  }
  std::string order(const std::string& body) const {
    return post(body, "Content-Type: application/json\r\nAuthorization: Bearer " + token + "\r\n");
  }

  std::string token;
  std::uint16_t port = 0;
  PageServer server;
};

struct ControlledPageServerTest : PageServerTest {
  ControlledPageServerTest() : PageServerTest({.control = true}) {}
};
struct HastyPageServerTest : PageServerTest {
  HastyPageServerTest() : PageServerTest({.request_limit = 200ms}) {}
};

const std::string ok = "HTTP/1.1 200 OK\r\n", forbidden = "HTTP/1.1 403 Forbidden\r\n",
                  not_found = "HTTP/1.1 404 Not Found\r\n", bad = "HTTP/1.1 400 Bad Request\r\n";

TEST(PageServerOptions, AreAPortAndWords) {
  EXPECT_EQ(parse_page_server_options("").port, 0);
  const PageServerOptions all = parse_page_server_options("8080,control,wait");
  EXPECT_EQ(all.port, 8080);
  EXPECT_TRUE(all.control && all.waits);
  EXPECT_FALSE(parse_page_server_options("control").waits);
  for (const char* wrong : {"65536", "-1", "8080x", "0.0.0.0:8080", "control,,wait"})
    EXPECT_THROW(parse_page_server_options(wrong), std::invalid_argument) << wrong;
}

TEST_F(PageServerTest, NobodySeesAnythingWithoutTheToken) {
  for (const char* target :
       {"/", "/page.js", "/state?page=a&after=0", "/record?from=0&to=9", "/report", "/none"}) {
    const std::string answer = get(target);
    EXPECT_THAT(answer, StartsWith(forbidden)) << target;
    EXPECT_THAT(answer,
                EndsWith("The token is missing or wrong: open the address that the run has printed.\n"));
  }
  for (const std::string& wrong : {std::string(), token.substr(1), token.substr(0, 31), token + "0",
                                   token + "%00", std::string(32, '0')}) {
    EXPECT_THAT(get("/?token=" + wrong), StartsWith(forbidden)) << wrong;
    EXPECT_THAT(get("/", "Authorization: Bearer " + wrong + "\r\n"), StartsWith(forbidden)) << wrong;
  }
  EXPECT_THAT(get("/", "Cookie: token=" + token + "\r\n"), StartsWith(forbidden));
  EXPECT_THAT(get("/?token=" + token), AllOf(StartsWith(ok), EndsWith("the page")));
  EXPECT_THAT(get_with_token("/page.js"), AllOf(StartsWith(ok), EndsWith("code")));
}

TEST_F(PageServerTest, TwoServersHaveTwoTokens) {
  const PageServer other({}, [this](const std::string& given) {
    EXPECT_NE(given, token);
    EXPECT_EQ(given.size(), 32u);
    return std::vector<PageServer::File>{};
  });
}

TEST_F(PageServerTest, AnotherNameOfThisComputerIsRefused) {
  const auto status_for = [&](const std::string& fields) {
    return raw(fmt::format("GET /?token={} HTTP/1.1\r\n{}\r\n", token, fields));
  };
  EXPECT_THAT(status_for(fmt::format("Host: localhost:{}\r\n", port)), StartsWith(ok));
  for (const std::string& fields :
       {std::string(), std::string("Host: attacker.example\r\n"),
        fmt::format("Host: attacker.example:{}\r\n", port), std::string("Host: 127.0.0.1\r\n"),
        fmt::format("Host: 127.0.0.1:{}\r\n", port ^ 1),
        fmt::format("Host: 127.0.0.1:{}.attacker.example\r\n", port),
        fmt::format("Host: [::1]:{}\r\n", port)})
    EXPECT_THAT(status_for(fields), StartsWith(forbidden)) << fields;
  EXPECT_THAT(status_for(fmt::format("Host: {0}\r\nHost: {0}\r\n", host())), StartsWith(bad));
}

TEST_F(PageServerTest, AnotherOriginIsRefused) {
  EXPECT_THAT(get_with_token("/", fmt::format("Origin: http://{}\r\n", host())), StartsWith(ok));
  for (const std::string& origin :
       {std::string("https://attacker.example"), std::string("null"), std::string(),
        fmt::format("https://{}", host()), fmt::format("http://127.0.0.1:{}", port ^ 1),
        fmt::format("http://localhost:{}", port)}) {
    const std::string answer = get_with_token("/", "Origin: " + origin + "\r\n");
    EXPECT_THAT(answer, StartsWith(forbidden)) << origin;
    EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(PageServerTest, EveryAnswerForbidsWhatThePageDoesNotNeed) {
  for (const std::string& answer : {get_with_token("/"), get("/"), get_with_token("/none")})
    for (const char* field :
         {"Content-Security-Policy: default-src 'none'; script-src 'self';", "Referrer-Policy: no-referrer",
          "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
          "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-store"})
      EXPECT_THAT(answer, HasSubstr(field));
}

TEST_F(PageServerTest, NoTargetNamesAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "record.bin") << "record";
  std::ofstream(folder / "secret") << "SECRET";
  server.serve_record(folder / "record.bin");
  for (const std::string& target :
       {std::string("/secret"), "//" + (folder / "secret").string(), (folder / "secret").string(),
        std::string("/../secret"), std::string("/./secret"), std::string("/%2e%2e/secret"),
        std::string("/..%2fsecret"), std::string("/..%5csecret"), std::string("/record/../secret"),
        std::string("/record%00/../secret"), std::string("/record/"), std::string("/files/"),
        "file://" + (folder / "secret").string(), std::string("/page.js/../secret"), std::string("/PAGE.JS"),
        std::string("*"), "http://127.0.0.1/" + (folder / "secret").string()}) {
    const std::string answer = get_with_token(target);
    EXPECT_THAT(answer, AnyOf(StartsWith(not_found), StartsWith(bad))) << target;
    EXPECT_THAT(answer, Not(HasSubstr("SECRET"))) << target;
  }
  const std::string nul = std::string("GET /record\0 HTTP/1.1\r\nHost: ", 29) + host() + "\r\n\r\n";
  EXPECT_THAT(raw(nul), StartsWith(bad));
  for (const char* query :
       {"", "?from=0", "?from=../secret&to=9", "?from=-1&to=9", "?from=9&to=0", "?from=0x0&to=9",
        "?from=0&to=18446744073709551616", "?from=0&to=9223372036854775808"})
    EXPECT_THAT(get_with_token(std::string("/record") + query), StartsWith(bad)) << query;
}

TEST_F(PageServerTest, ARunThatMayOnlyBeLookedAtTakesNoOrders) {
  EXPECT_THAT(order(R"({"action": "stop"})"), StartsWith(forbidden));
  EXPECT_THAT(raw("POST / HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " + token + "\r\n\r\n"),
              StartsWith(forbidden));
  for (const char* method : {"PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PATCH"})
    EXPECT_THAT(raw(fmt::format("{} / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n", method,
                                host(), token)),
                StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"))
        << method;
  for (const char* method : {"PUT", "HEAD", "OPTIONS"})
    EXPECT_THAT(raw(fmt::format("{} /?token={} HTTP/1.1\r\nHost: {}\r\n\r\n", method, token, host())),
                AllOf(StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"), HasSubstr("\r\nAllow: GET\r\n")))
        << method;
  for (const std::string& target : {std::string("/"), "/?token=" + token})
    EXPECT_THAT(raw(fmt::format("HEAD {} HTTP/1.1\r\nHost: {}\r\n\r\n", target, host())),
                EndsWith("\r\n\r\n"));
  EXPECT_FALSE(server.is_stopped());
}

TEST_F(ControlledPageServerTest, AnOrderNeedsTheTokenInAFieldAndJson) {
  const std::string stop = R"({"action": "stop"})", json = "Content-Type: application/json\r\n",
                    bearer = "Authorization: Bearer " + token + "\r\n";
  EXPECT_THAT(post(stop, json), StartsWith(forbidden));
  EXPECT_THAT(raw(fmt::format("POST /control?token={} HTTP/1.1\r\nHost: {}\r\n{}Content-Length: {}\r\n\r\n{}",
                              token, host(), json, stop.size(), stop)),
              StartsWith(forbidden));
  EXPECT_THAT(post(stop, bearer), StartsWith(bad));
  EXPECT_THAT(post(stop, bearer + "Content-Type: text/plain\r\n"), StartsWith(bad));
  EXPECT_THAT(post(stop, bearer + json + "Origin: http://attacker.example\r\n"), StartsWith(forbidden));
  for (const char* wrong :
       {"", "stop", "{}", "[]", "7", R"({"action": "end"})", R"({"action": 5})", "{\"action\": \"stop\""})
    EXPECT_THAT(order(wrong), StartsWith(bad)) << wrong;
  EXPECT_THAT(get_with_token("/control"), StartsWith("HTTP/1.1 405 "));
  EXPECT_FALSE(server.is_stopped());
}

TEST_F(ControlledPageServerTest, APageStopsTheRunAndLetsItGoOn) {
  EXPECT_THAT(order(R"({"action": "stop"})"), AllOf(StartsWith(ok), EndsWith("{}")));
  EXPECT_TRUE(server.is_stopped());
  auto waiting = std::async(std::launch::async, [&] { server.wait_until_changed(10s); });
  EXPECT_THAT(order(R"({"action": "go_on", "until": "5ms"})"), AllOf(StartsWith(ok), EndsWith("{}")));
  waiting.get();
  EXPECT_FALSE(server.is_stopped());
  EXPECT_EQ(server.stops_at(), 5_ms);
  server.publish({}, 6_ms);
  EXPECT_THAT(order(R"({"action": "go_on", "until": "5ms"})"),
              AllOf(StartsWith(ok), EndsWith(R"({"problem":"5ms has passed: it is 6 ms"})")));
  for (const char* wrong : {R"("soon")", R"("")", R"("8")", "8", "null"})
    EXPECT_THAT(order(fmt::format(R"({{"action": "go_on", "until": {}}})", wrong)),
                HasSubstr(R"({"problem":")"))
        << wrong;
  EXPECT_EQ(server.stops_at(), 5_ms);
  EXPECT_THAT(order(R"({"action": "go_on", "until": "7 ms"})"), EndsWith("{}"));
  EXPECT_EQ(server.stops_at(), 7_ms);
  EXPECT_THAT(order(R"({"action": "go_on"})"), AllOf(StartsWith(ok), EndsWith("{}")));
  EXPECT_GT(server.stops_at(), 1_s);
}

TEST_F(PageServerTest, WhatIsTooLongOrNoRequestIsRefused) {
  EXPECT_THAT(get_with_token("/", "Long: " + std::string(9000, 'x') + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(raw("GET /" + std::string(20000, 'x')), StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(post(std::string(2000, 'x'), ""), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(raw("POST /control HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(raw("\x16\x03\x01\x02\r\n\r\n"), StartsWith(bad));
  EXPECT_THAT(raw("GET / HTTP/9.9\r\n\r\n"), StartsWith(bad));
  EXPECT_THAT(get_with_token("/"), StartsWith(ok));
}

TEST_F(HastyPageServerTest, ASlowClientIsClosed) {
  const RawClient silent(port), slow(port);
  slow.send("GET / HTTP/1.1\r\nHost");
  EXPECT_EQ(slow.receive_all(), "");
  EXPECT_EQ(silent.receive_all(), "");
}

TEST_F(PageServerTest, ManyConnectionsKeepNobodyAway) {
  std::vector<std::unique_ptr<RawClient>> many;
  for (int i = 0; i < 200; ++i) many.push_back(std::make_unique<RawClient>(port));
  EXPECT_THAT(get_with_token("/"), StartsWith(ok));
}

std::string state_after(std::uint64_t number, const std::string& page = "a") {
  return fmt::format("/state?page={}&after={}", page, number);
}

TEST_F(PageServerTest, EveryPageGetsTheNextStateAndALateOneTheLast) {
  EXPECT_FALSE(server.wants_state());
  auto one = std::async(std::launch::async, [&] { return get_with_token(state_after(0, "one")); });
  auto two = std::async(std::launch::async, [&] { return get_with_token(state_after(0, "two")); });
  EXPECT_TRUE(server.wait_for_page(10s));
  while (!server.wants_state()) std::this_thread::sleep_for(1ms);
  server.publish({{"phase", "running"}}, 1_ms);
  for (auto* each : {&one, &two}) EXPECT_THAT(each->get(), EndsWith(R"({"phase":"running","sequence":1})"));
  EXPECT_THAT(get_with_token(state_after(0, "late")), EndsWith(R"({"phase":"running","sequence":1})"));
  EXPECT_FALSE(server.wants_state());
  for (const char* wrong : {"/state", "/state?page=a", "/state?after=0", "/state?page=a_&after=0",
                            "/state?page=a&after=x", "/state?page=12345678901234567&after=0"})
    EXPECT_THAT(get_with_token(wrong), StartsWith(bad)) << wrong;
}

TEST_F(PageServerTest, TextOfAGuestIsValidUtf8) {
  server.publish({{"text", "\xff"}}, 1_ms);
  EXPECT_THAT(get_with_token(state_after(0)), EndsWith("{\"text\":\"\xef\xbf\xbd\",\"sequence\":1}"));
}

TEST_F(PageServerTest, TheRecordIsReadInParts) {
  const TemporaryFolder folder;
  EXPECT_THAT(get_with_token("/record?from=0&to=4"), StartsWith(not_found));
  std::ofstream(folder / "record.bin") << std::string(3 << 20, 'r') << "end";
  server.serve_record(folder / "record.bin");
  std::filesystem::remove(folder / "record.bin");  // as when the run's folder gets its name
  EXPECT_THAT(get_with_token(fmt::format("/record?from={}&to={}", (3 << 20) + 1, (3 << 20) + 2)),
              EndsWith("\r\n\r\nn"));
  EXPECT_THAT(get_with_token("/record?from=0&to=4000000"), HasSubstr("Content-Length: 262144\r\n"));
  EXPECT_THAT(get_with_token("/record?from=4000000&to=4000001"), HasSubstr("Content-Length: 0\r\n"));
}

TEST_F(PageServerTest, APageThatDoesNotReadHoldsUpNobody) {
  const TemporaryFolder folder;
  std::ofstream(folder / "record.bin") << std::string(1 << 20, 'r');
  server.serve_record(folder / "record.bin");
  const RawClient deaf(port);
  for (int i = 0; i < 20; ++i)
    deaf.send(
        fmt::format("GET /record?from=0&to=1048576 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
                    host(), token));
  for (int i = 0; i < 100; ++i) server.publish({{"text", std::string(10'000, 'x')}}, 1_ms);
  EXPECT_THAT(get_with_token(state_after(99)), HasSubstr("\"sequence\":100"));
}

TEST_F(PageServerTest, ConnectionsLastWhileTheProcessIsCopied) {
  const RawClient client(port);
  client.send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n", state_after(0),
                          host(), token));
  EXPECT_TRUE(server.wait_for_page(10s));
  server.pause();
  server.resume();
  server.publish({}, 1_ms);
  EXPECT_THAT(client.receive_answer(), EndsWith(R"({"sequence":1})"));
}

TEST_F(PageServerTest, TheEndWaitsUntilOpenPagesHaveTheReport) {
  const TemporaryFolder folder;
  std::ofstream(folder / "report.html") << "what happened";
  EXPECT_THAT(get_with_token("/report"), StartsWith(not_found));
  server.publish({}, 1_ms);
  auto page = std::async(std::launch::async, [&] { return get_with_token(state_after(1)); });
  EXPECT_TRUE(server.wait_for_page(10s));
  auto finished = std::async(std::launch::async, [&] { server.finish(folder / "report.html"); });
  EXPECT_THAT(page.get(), EndsWith(R"({"phase":"ended","sequence":2})"));
  EXPECT_EQ(finished.wait_for(50ms), std::future_status::timeout);
  EXPECT_THAT(get("/report?page=a&token=" + token),
              AllOf(StartsWith(ok), HasSubstr("script-src 'unsafe-inline'"), EndsWith("what happened")));
  EXPECT_EQ(finished.wait_for(5s), std::future_status::ready);
}

TEST_F(PageServerTest, TheEndWaitsForNobodyWhoHasGone) {
  server.publish({}, 1_ms);
  {
    const RawClient page(port);
    page.send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n", state_after(1),
                          host(), token));
    EXPECT_TRUE(server.wait_for_page(10s));
  }
  while (server.wait_for_page(0s)) std::this_thread::sleep_for(1ms);
  const auto began = std::chrono::steady_clock::now();
  server.finish("report.html");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

TEST_F(PageServerTest, APortThatIsTakenIsNamed) {
  try {
    const PageServer other({.port = port},
                           [](const std::string&) { return std::vector<PageServer::File>{}; });
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), fmt::format("cannot listen at 127.0.0.1:{}: Address already in use", port));
  }
}

}  // namespace
}  // namespace asterism
