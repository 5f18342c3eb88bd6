#include "cluster/message.h"

#include <algorithm>

namespace asterism {

namespace {

class Writer {
 public:
  explicit Writer(std::byte* at) : at_(at) {}
  template <class T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) *at_++ = static_cast<std::byte>(value >> (8 * i));
  }

 private:
  std::byte* at_;
};

class Reader {
 public:
  explicit Reader(const std::byte* at) : at_(at) {}
  template <class T>
  void get(T& value) {
    value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
      value |= static_cast<T>(T{std::to_integer<std::uint8_t>(*at_++)} << (8 * i));
  }

 private:
  const std::byte* at_;
};

}  // namespace

std::vector<std::byte> Message::encode(std::span<const std::byte> other_data) const {
  std::vector<std::byte> payload(header_size + other_data.size());
  Writer out(payload.data());
  out.put(static_cast<std::uint32_t>(kind));
  out.put(epoch);
  out.put(to);
  out.put(from);
  out.put(number);
  out.put(offset);
  out.put(total);
  out.put(owner);
  out.put(std::uint32_t{0});
  std::ranges::copy(other_data, payload.begin() + header_size);
  return payload;
}

std::optional<Message> Message::decode_header(std::span<const std::byte> payload) {
  if (payload.size() < header_size) return std::nullopt;
  Message message;
  std::uint32_t kind = 0;
  Reader in(payload.data());
  in.get(kind);
  if (kind < static_cast<std::uint32_t>(MessageKind::halo) ||
      kind > static_cast<std::uint32_t>(last_message_kind))
    return std::nullopt;
  message.kind = static_cast<MessageKind>(kind);
  in.get(message.epoch);
  in.get(message.to);
  in.get(message.from);
  in.get(message.number);
  in.get(message.offset);
  in.get(message.total);
  in.get(message.owner);
  return message;
}

std::optional<Message> Message::decode(std::span<const std::byte> payload) {
  std::optional<Message> message = decode_header(payload);
  if (message) message->data.assign(payload.begin() + header_size, payload.end());
  return message;
}

}  // namespace asterism
