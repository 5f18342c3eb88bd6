#include "platform/live/live_port.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <filesystem>
#include <vector>

#include "base/temporary_folder.h"
#include "platform/debug/test_client.h"

namespace asterism {
namespace {

using What = LivePort::News::What;
namespace asio = boost::asio;

struct LivePortTest : testing::Test {
  LivePort::News next() {
    for (int i = 0; i < 100 && news.empty(); ++i)
      if (port.wait_for_news(std::chrono::milliseconds(100)))
        for (LivePort::News& each : port.take()) news.push_back(std::move(each));
    if (news.empty()) return {.what = What::went, .client = 0, .line = "nothing has come"};
    LivePort::News first = std::move(news.front());
    news.pop_front();
    return first;
  }
  std::string line_of(LivePort::Client client) {
    const LivePort::News each = next();
    EXPECT_EQ(each.what, What::line);
    EXPECT_EQ(each.client, client);
    return each.line;
  }

  LivePort port{SocketEndpoint{}};
  std::string at = port.address().substr(4);
  std::deque<LivePort::News> news;
};

TEST_F(LivePortTest, ServesSeveralClientsByLines) {
  TestClient first(at);
  EXPECT_EQ(next().what, What::came);
  TestClient second(at);
  EXPECT_EQ(next().client, 2u);
  first.send("o");
  second.send("two\r\n\nthree\n");
  EXPECT_EQ(line_of(2), "two");
  EXPECT_EQ(line_of(2), "three");
  first.send("ne\n");
  EXPECT_EQ(line_of(1), "one");
  port.send(1, "to the first");
  port.send(2, "to the second");
  EXPECT_EQ(first.receive(13), "to the first\n");
  EXPECT_EQ(second.receive(14), "to the second\n");
  port.close(1);
  EXPECT_EQ(first.receive(1), "");
}

TEST_F(LivePortTest, TellsOfAClientThatDisappears) {
  TestClient client(at);
  EXPECT_EQ(next().what, What::came);
  client.send("half a line");
  client.vanish();
  const LivePort::News went = next();
  EXPECT_EQ(went.what, What::went);
  EXPECT_EQ(went.client, 1u);
  port.send(1, "nobody");
}

TEST_F(LivePortTest, TakesOneLineOfEachClientInTurn) {
  TestClient many(at), one(at);
  EXPECT_EQ(next().what, What::came);
  EXPECT_EQ(next().what, What::came);
  for (int i = 0; i < 3000; ++i) many.send("many\n");
  one.send("one\none\n");
  std::array<int, 3> lines{};
  while (lines[1] + lines[2] < 3002 && port.wait_for_news(std::chrono::seconds(10))) {
    const std::vector<LivePort::News> taken = port.take();
    ASSERT_LE(taken.size(), 2u);
    for (const LivePort::News& each : taken) ++lines.at(each.client);
    ASSERT_TRUE(taken.size() < 2 || taken[0].client != taken[1].client);
  }
  EXPECT_EQ(lines[1], 3000);
  EXPECT_EQ(lines[2], 2);
  EXPECT_FALSE(port.has_news());
}

TEST_F(LivePortTest, LinesOfAClientThatDoesNotReadWaitAndAreDroppedWhenItGoes) {
  TestClient lazy(at), other(at);
  EXPECT_EQ(next().what, What::came);
  EXPECT_EQ(next().what, What::came);
  lazy.send("first\nsecond\n");
  EXPECT_EQ(line_of(1), "first");
  const std::string answer(LivePort::most_unread_before_lines + (32 << 20), 'x');
  port.send(1, answer);
  EXPECT_FALSE(port.has_news());
  EXPECT_FALSE(port.wait_for_news(std::chrono::milliseconds(50)));
  other.send("other\n");
  EXPECT_EQ(line_of(2), "other");
  EXPECT_EQ(lazy.receive(answer.size() + 1), answer + "\n");
  EXPECT_EQ(line_of(1), "second");
  lazy.send("third\nfourth\n");
  EXPECT_EQ(line_of(1), "third");
  port.send(1, answer);
  lazy.vanish();
  const LivePort::News went = next();
  EXPECT_EQ(went.what, What::went) << went.line;
  EXPECT_EQ(went.client, 1u);
  EXPECT_FALSE(port.has_news());
}

TEST_F(LivePortTest, RefusesALineThatIsTooLong) {
  TestClient client(at);
  EXPECT_EQ(next().what, What::came);
  const std::string part(1 << 20, 'x');
  for (std::size_t sent = 0; sent <= LivePort::longest_line; sent += part.size()) client.send(part);
  EXPECT_EQ(next().what, What::too_long);
}

TEST_F(LivePortTest, AcceptsOnlySoManyClients) {
  std::deque<TestClient> clients;
  for (std::size_t i = 0; i < LivePort::most_clients; ++i) {
    clients.emplace_back(at);
    EXPECT_EQ(next().what, What::came);
  }
  TestClient more(at);
  EXPECT_THAT(more.receive(1000), testing::HasSubstr("too many clients are connected"));
}

TEST(LocalLivePort, IsForTheUserAloneAndIsRemovedAtTheEnd) {
  const TemporaryFolder folder;
  const std::string path = (folder / "live").string();
  {
    LivePort port(SocketEndpoint{.path = path});
    EXPECT_EQ(port.address(), "unix:" + path);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    asio::io_context io;
    asio::local::stream_protocol::socket client(io);
    client.connect(asio::local::stream_protocol::endpoint(path));
    EXPECT_TRUE(port.wait_for_news(std::chrono::seconds(10)));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace asterism
