// A socket to which clients of a run connect.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <string>

#include "platform/debug/socket_endpoint.h"

namespace asterism {

struct ListeningSocket {
  boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor;
  std::string address;  // "tcp:127.0.0.1:4000", "unix:PATH"
};

// Only the user can connect to a local socket (mode 0600); one that a killed run has left behind is replaced.
// The caller removes it in the end. Throws std::runtime_error with the reason.
ListeningSocket listen_at(boost::asio::io_context& io, const SocketEndpoint& endpoint);

}  // namespace asterism
