// Packets of GDB's remote serial protocol ("Debugging with GDB", appendix E): $payload#checksum, acknowledged
// by + or -.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asterism {

// Splits a stream of bytes into packets. After damaged data it continues with the next packet.
class GdbPacketReader {
 public:
  static constexpr std::size_t largest =
      0x8000;  // bytes of a payload as sent; a larger packet counts as damaged

  enum class Kind : std::uint8_t {
    packet,        // the payload is still escaped; only X has a binary payload
    interrupt,     // the byte 0x03 between packets
    acknowledged,  // +
    repeat,        // -
    damaged,       // a packet with a wrong checksum, or too large
  };
  struct Item {
    Kind kind;
    std::string payload = {};
    bool operator==(const Item&) const = default;
  };

  void feed(std::string_view bytes);
  // Whether no byte is left for next().
  bool empty() const { return at_ == bytes_.size(); }
  // The bytes that are left.
  std::string rest() const { return bytes_.substr(at_); }
  // nullopt if the bytes do not make a whole item yet.
  std::optional<Item> next();

 private:
  std::string bytes_;
  std::size_t at_ = 0;     // the bytes before it are processed
  bool skipping_ = false;  // to the end of a packet that is too large
};

// Encodes a payload as it is sent, with escapes where they are necessary.
std::string gdb_packet(std::string_view payload);
// Removes the escapes of binary data.
std::string gdb_unescaped(std::string_view payload);

// Two lower-case digits for each byte. The protocol encodes memory, registers and the text of monitor
// commands in this way.
std::string to_hex(std::string_view bytes);
// nullopt if the number of digits is odd or if there is another character.
std::optional<std::string> from_hex(std::string_view digits);
// Reads a number, most significant digit first. nullopt if there is no digit, more than 16, or another
// character.
std::optional<std::uint64_t> hex_number(std::string_view digits);

}  // namespace asterism
