// A TCP client for tests of GdbPort and of whole runs.
#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <string>

#include "platform/debug/gdb_packet.h"

namespace asterism {

class TestClient {
 public:
  // "127.0.0.1:1234"
  explicit TestClient(const std::string& address) {
    using boost::asio::ip::tcp;
    const std::size_t colon = address.rfind(':');
    socket_.connect(tcp::endpoint(boost::asio::ip::make_address(address.substr(0, colon)),
                                  static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1)))));
    socket_.set_option(boost::asio::ip::tcp::no_delay(true));  // as GDB does
  }

  // Closes the connection as a killed process does: unread data are discarded, and the other side may receive
  // a reset.
  void vanish() {
    socket_.set_option(boost::asio::socket_base::linger(true, 0));
    socket_.close();
  }

  void send(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  // Returns fewer bytes if the other side has closed the connection.
  std::string receive(std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t length = 0;
    boost::system::error_code error;
    while (length < size && !error)
      length += socket_.read_some(boost::asio::buffer(bytes.data() + length, size - length), error);
    bytes.resize(length);
    return bytes;
  }

  // Acknowledges the answer and returns its payload; "" if the other side has closed the connection.
  std::string ask(const std::string& payload) {
    send(gdb_packet(payload));
    return answer();
  }
  std::string answer() {
    for (;;) {
      while (const auto item = reader_.next())
        if (item->kind == GdbPacketReader::Kind::packet) {
          send("+");
          return gdb_unescaped(item->payload);
        }
      const std::string byte = receive(1);
      if (byte.empty()) return "";
      reader_.feed(byte);
    }
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_{io_};
  GdbPacketReader reader_;
};

}  // namespace asterism
