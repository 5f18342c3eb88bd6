#include "platform/debug/gdb_port.h"

#include <gtest/gtest.h>

#include "platform/debug/test_client.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

struct GdbPortTest : testing::Test {
  GdbPort port{GdbEndpoint{}, "occupied"};
  std::uint64_t connection = 0;

  GdbPort::News wait() {
    EXPECT_TRUE(port.wait_for_news(10s));
    GdbPort::News news = port.take();
    if (news.came) connection = news.connection;
    return news;
  }
};

TEST_F(GdbPortTest, BytesGoBothWays) {
  TestClient client(port.address());
  EXPECT_TRUE(wait().came);
  client.send("abc");
  EXPECT_EQ(wait().bytes, "abc");
  EXPECT_FALSE(port.has_news());
  port.send(connection, "12");
  port.send(connection, "34");
  EXPECT_EQ(client.receive(4), "1234");
}

TEST_F(GdbPortTest, TheOtherSideIsNotifiedOfTheEnd) {
  TestClient client(port.address());
  wait();
  port.send(connection, "last");
  port.close(connection);
  EXPECT_EQ(client.receive(100), "last");
  EXPECT_TRUE(wait().went);
}

TEST_F(GdbPortTest, ADebuggerThatVanishesIsNoticed) {
  {
    TestClient client(port.address());
    EXPECT_TRUE(wait().came);
  }
  EXPECT_TRUE(wait().went);
  const std::uint64_t over = connection;
  port.send(over, "to no debugger");
  TestClient next(port.address());
  const GdbPort::News news = wait();
  EXPECT_TRUE(news.came);
  EXPECT_FALSE(news.went);
  port.send(over, "to no debugger");
  port.close(over);
  port.send(connection, "x");
  EXPECT_EQ(next.receive(1), "x");
}

TEST_F(GdbPortTest, ASecondDebuggerIsRefused) {
  TestClient first(port.address());
  wait();
  TestClient second(port.address());
  second.send("asks");
  EXPECT_EQ(second.receive(100), "occupied");
  const GdbPort::News news = wait();
  EXPECT_EQ(news.refused, 1u);
  EXPECT_FALSE(news.came || news.went);
  EXPECT_EQ(news.bytes, "");
  first.send("still here");
  EXPECT_EQ(wait().bytes, "still here");
}

TEST_F(GdbPortTest, AnEndpointThatIsTakenIsAnError) {
  const std::string address = port.address();
  EXPECT_THROW(GdbPort(parse_gdb_endpoint(address)), std::runtime_error);
}

TEST(GdbEndpointTest, IsAHostAndAPort) {
  EXPECT_EQ(parse_gdb_endpoint(":1234").host, "127.0.0.1");
  EXPECT_EQ(parse_gdb_endpoint(":1234").port, 1234);
  EXPECT_EQ(parse_gdb_endpoint("localhost:0").host, "127.0.0.1");
  EXPECT_EQ(parse_gdb_endpoint("0.0.0.0:65535").host, "0.0.0.0");
  EXPECT_EQ(parse_gdb_endpoint("[::1]:1234").host, "::1");
  for (const char* bad : {"", "1234", ":", ":x", ":70000", ":-1", "example.org:1", ":12 "})
    EXPECT_THROW(parse_gdb_endpoint(bad), std::invalid_argument) << bad;
}

}  // namespace
}  // namespace asterism
