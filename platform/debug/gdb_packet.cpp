#include "platform/debug/gdb_packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <utility>

namespace asterism {
namespace {

constexpr char escape = '}', flipped = 0x20;
constexpr std::string_view escaped = "$#}*";
constexpr std::size_t trailer = 3;  // # and two digits

unsigned checksum(std::string_view payload) {
  return std::accumulate(payload.begin(), payload.end(), 0u,
                         [](unsigned sum, char byte) { return sum + static_cast<unsigned char>(byte); }) &
         0xff;
}

}  // namespace

void GdbPacketReader::feed(std::string_view bytes) {
  bytes_.erase(0, std::exchange(at_, 0));
  bytes_ += bytes;
}

std::optional<GdbPacketReader::Item> GdbPacketReader::next() {
  while (!empty()) {
    if (skipping_ || bytes_[at_] == '$') {
      const std::size_t end = bytes_.find('#', at_ + (skipping_ ? 0 : 1));
      const std::size_t held = std::min(end, bytes_.size());
      if (!skipping_ && held - at_ > largest + 1) skipping_ = true;
      if (end == std::string::npos || end + trailer > bytes_.size()) {
        if (skipping_) at_ = held;
        return std::nullopt;
      }
      const std::string payload = skipping_ ? std::string() : bytes_.substr(at_ + 1, end - at_ - 1);
      const auto sum = hex_number(std::string_view(bytes_).substr(end + 1, 2));
      at_ = end + trailer;
      if (std::exchange(skipping_, false) || sum != checksum(payload)) return Item{Kind::damaged};
      return Item{Kind::packet, payload};
    }
    switch (bytes_[at_++]) {
      case 0x03:
        return Item{Kind::interrupt};
      case '+':
        return Item{Kind::acknowledged};
      case '-':
        return Item{Kind::repeat};
      default:
        break;  // between packets it means nothing
    }
  }
  return std::nullopt;
}

std::string gdb_packet(std::string_view payload) {
  std::string text;
  for (const char byte : payload) {
    if (escaped.find(byte) == std::string_view::npos) {
      text += byte;
    } else {
      text += escape;
      text += static_cast<char>(byte ^ flipped);
    }
  }
  return fmt::format("${}#{:02x}", text, checksum(text));
}

std::string gdb_unescaped(std::string_view payload) {
  std::string bytes;
  for (std::size_t at = 0; at < payload.size(); ++at) {
    if (payload[at] == escape && at + 1 < payload.size())
      bytes += static_cast<char>(payload[++at] ^ flipped);
    else
      bytes += payload[at];
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char byte : bytes)
    fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const auto byte = hex_number(digits.substr(at, 2));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::optional<std::uint64_t> hex_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc() || stopped != end || digits.starts_with('-') || digits.size() > 16)
    return std::nullopt;
  return value;
}

}  // namespace asterism
