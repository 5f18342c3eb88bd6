#include "platform/debug/listening_socket.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace asterism {

namespace {

using Stream = boost::asio::generic::stream_protocol;
using Local = boost::asio::local::stream_protocol;

// A socket that a killed run has left behind.
bool is_abandoned(const std::string& path) {
  boost::asio::io_context io;
  Local::socket probe(io);
  boost::system::error_code error;
  probe.connect(Local::endpoint(path), error);
  return error == boost::asio::error::connection_refused;
}

std::string text_of(const boost::asio::ip::tcp::endpoint& at) {
  const std::string host = at.address().to_string();
  return fmt::format("tcp:{}:{}", at.address().is_v6() ? "[" + host + "]" : host, at.port());
}

}  // namespace

ListeningSocket listen_at(boost::asio::io_context& io, const SocketEndpoint& endpoint) {
  const std::string& path = endpoint.path;
  std::string address = "unix:" + path;
  try {
    Stream::endpoint at;
    if (path.empty()) {
      const boost::asio::ip::tcp::endpoint tcp(boost::asio::ip::make_address(endpoint.tcp.host),
                                               endpoint.tcp.port);
      address = text_of(tcp);
      at = tcp;
    } else {
      if (std::filesystem::is_socket(path) && is_abandoned(path)) unlink(path.c_str());
      if (std::filesystem::exists(path) && !std::filesystem::is_socket(path))
        throw std::runtime_error(fmt::format("cannot listen at {}: a file of this name exists", address));
      at = Local::endpoint(path);
    }
    ListeningSocket made{.acceptor = decltype(ListeningSocket::acceptor)(io), .address = address};
    made.acceptor.open(at.protocol());
    if (path.empty()) made.acceptor.set_option(boost::asio::socket_base::reuse_address(true));
    made.acceptor.bind(at);
    if (!path.empty()) chmod(path.c_str(), S_IRUSR | S_IWUSR);  // nobody can connect before listen()
    made.acceptor.listen();
    if (!path.empty()) return made;
    boost::asio::ip::tcp::endpoint bound;
    const Stream::endpoint local = made.acceptor.local_endpoint();
    bound.resize(local.size());
    std::memcpy(bound.data(), local.data(), local.size());
    made.address = text_of(bound);
    return made;
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(fmt::format("cannot listen at {}: {}", address, error.code().message()));
  }
}

}  // namespace asterism
