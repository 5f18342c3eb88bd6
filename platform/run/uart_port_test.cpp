#include "platform/run/uart_port.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <thread>

#include "base/temporary_folder.h"
#include "platform/debug/test_client.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

std::string received(const UartPort& port, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t done = 0; done < size;) {
    pollfd readable{port.input(), POLLIN, 0};
    if (poll(&readable, 1, 10'000) != 1) return "nothing has come";
    const ssize_t count = read(port.input(), text.data() + done, size - done);
    if (count <= 0) return "the end has come";
    done += static_cast<std::size_t>(count);
  }
  return text;
}

void expect_refusal(const std::string& text, const std::string& why) {
  try {
    parse_uart_endpoint(text);
    ADD_FAILURE() << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "expected tcp:[HOST:]PORT, unix:PATH or pty, perhaps with \",wait\", got \"" +
                                text + "\"" + why);
  }
}

TEST(UartEndpoint, IsASocketOrAPseudoTerminal) {
  EXPECT_FALSE(parse_uart_endpoint("pty").socket);
  EXPECT_EQ(parse_uart_endpoint("tcp:4000").socket->tcp.port, 4000);
  EXPECT_EQ(parse_uart_endpoint("tcp:4000").socket->tcp.host, "127.0.0.1");
  EXPECT_EQ(parse_uart_endpoint("tcp:0.0.0.0:1").socket->tcp.host, "0.0.0.0");
  EXPECT_FALSE(parse_uart_endpoint("tcp::4000").waits);
  const UartEndpoint waiting = parse_uart_endpoint("unix:a,b,wait");
  EXPECT_EQ(waiting.socket->path, "a,b");
  EXPECT_TRUE(waiting.waits);
}

TEST(UartEndpoint, SaysWhatItExpects) {
  for (const char* bad : {"", "tty", "unix:", "4000", "pty:1"}) expect_refusal(bad, "");
  expect_refusal("tcp:99999", ": a port is a number from 0 to 65535");
  expect_refusal("tcp:nowhere:1", ": HOST must be a numeric address of this computer");
  expect_refusal("unix:" + std::string(108, 'p'), ": the path of a socket has at most 107 bytes");
}

TEST(UartPort, BytesGoBothWaysAndClientsComeAndGo) {
  UartPort port(parse_uart_endpoint("tcp:0"));
  ASSERT_THAT(port.address(), testing::StartsWith("tcp:127.0.0.1:"));
  const std::string at = port.address().substr(4);
  EXPECT_FALSE(port.wait_for_client(1ms));
  port.transmit("nobody reads this");
  for (int i = 0; i < 3; ++i) {
    TestClient client(at);
    client.send(std::string("in\0", 3));
    EXPECT_EQ(received(port, 3), std::string("in\0", 3));
    EXPECT_TRUE(port.wait_for_client(10s));
    port.transmit("o");
    port.transmit("ut");
    EXPECT_EQ(client.receive(3), "out");
    client.vanish();
    while (port.wait_for_client(1ms)) continue;
  }
}

TEST(UartPort, ASecondClientIsToldThatThereIsOne) {
  UartPort port(parse_uart_endpoint("tcp:0"));
  TestClient first(port.address().substr(4));
  EXPECT_TRUE(port.wait_for_client(10s));
  TestClient second(port.address().substr(4));
  EXPECT_EQ(second.receive(100), "another client is connected to this UART\n");
  port.transmit("hi");
  EXPECT_EQ(first.receive(2), "hi");
}

TEST(UartPort, WhatWasTransmittedIsDeliveredAtTheEnd) {
  const TemporaryFolder folder;
  const std::string path = (folder / "uart").string();
  auto port = std::make_unique<UartPort>(parse_uart_endpoint("unix:" + path));
  EXPECT_EQ(port->address(), "unix:" + path);
  asio::io_context io;
  Local::socket client(io);
  client.connect(Local::endpoint(path));
  EXPECT_TRUE(port->wait_for_client(10s));
  const std::string text(1'000'000, 't');
  port->transmit(text);
  std::thread end([&] { port = nullptr; });
  std::string all(text.size() + 1, '\0');
  boost::system::error_code error;
  all.resize(asio::read(client, asio::buffer(all), error));
  end.join();
  EXPECT_EQ(all, text);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UartPort, AClientThatEndsItsInputReceivesUntilAnotherComes) {
  UartPort port(parse_uart_endpoint("tcp:0"));
  asio::io_context io;
  asio::ip::tcp::socket first(io);
  const std::string at = port.address().substr(4);
  first.connect({asio::ip::make_address("127.0.0.1"),
                 static_cast<std::uint16_t>(std::stoul(at.substr(at.rfind(':') + 1)))});
  asio::write(first, asio::buffer("in", 2));
  first.shutdown(asio::ip::tcp::socket::shutdown_send);
  EXPECT_EQ(received(port, 2), "in");
  while (port.wait_for_client(1ms)) continue;
  port.transmit("out");
  std::string out(3, '\0');
  asio::read(first, asio::buffer(out));
  EXPECT_EQ(out, "out");
  TestClient second(at);
  second.send("x");
  EXPECT_EQ(received(port, 1), "x");
  port.transmit("hi");
  EXPECT_EQ(second.receive(2), "hi");
  boost::system::error_code end;
  EXPECT_EQ(asio::read(first, asio::buffer(out), end), 0u);
}

TEST(UartPort, AnOccupiedPlaceIsRefusedAndAnAbandonedSocketIsNot) {
  const TemporaryFolder folder;
  const std::string path = (folder / "uart").string();
  const auto why = [](const std::string& endpoint) -> std::string {
    try {
      UartPort port(parse_uart_endpoint(endpoint));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  {
    UartPort port(parse_uart_endpoint("tcp:0"));
    EXPECT_EQ(why(port.address()), "cannot listen at " + port.address() + ": Address already in use");
    UartPort local(parse_uart_endpoint("unix:" + path));
    EXPECT_EQ(why("unix:" + path), "cannot listen at unix:" + path + ": Address already in use");
  }
  {
    asio::io_context io;
    Local::acceptor killed(io, Local::endpoint(path));  // leaves its file behind
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(why("unix:" + path), "");
  EXPECT_THAT(why("unix:/no/such/folder/uart"), HasSubstr("No such file or directory"));
}

TEST(UartPort, APseudoTerminalMayBeOpenedAgain) {
  UartPort port(parse_uart_endpoint("pty"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(port.wait_for_client(1ms));
    const int terminal = open(port.address().c_str(), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    ASSERT_TRUE(port.wait_for_client(10s));
    EXPECT_EQ(write(terminal, "\r\x03", 2), 2);
    EXPECT_EQ(received(port, 2), "\r\x03");
    port.transmit("a\nb");
    std::string text(3, '\0');
    std::size_t done = 0;
    for (ssize_t count = 1; done < 3 && count > 0; done += static_cast<std::size_t>(count))
      count = read(terminal, text.data() + done, 3 - done);
    EXPECT_EQ(text, "a\nb");
    close(terminal);
    while (port.wait_for_client(1ms)) continue;
  }
}

TEST(UartPort, ATerminalGetsWhatWasTransmittedBeforeTheEnd) {
  auto port = std::make_unique<UartPort>(parse_uart_endpoint("pty"));
  const int terminal = open(port->address().c_str(), O_RDWR | O_NOCTTY);
  ASSERT_TRUE(port->wait_for_client(10s));
  port->transmit("bye");
  std::thread end([&] { port = nullptr; });
  std::this_thread::sleep_for(200ms);
  std::string text(3, '\0');
  EXPECT_EQ(read(terminal, text.data(), 3), 3);
  EXPECT_EQ(text, "bye");
  end.join();
  close(terminal);
}

}  // namespace
}  // namespace asterism
