// Packets of GDB's remote serial protocol ("Debugging with GDB", appendix E): $payload#checksum, acknowledged by + or -.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asterism {

// Takes a stream of bytes apart. Whatever comes, it goes on with the next packet.
class GdbPacketReader {
 public:
  static constexpr std::size_t largest = 0x8000;  // bytes of a payload as sent; a larger one is damaged

  enum class Kind : std::uint8_t {
    packet,        // payload: still escaped, as only the binary one of X is
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
  // Nothing is left that next() would look at.
  bool empty() const { return at_ == bytes_.size(); }
  // nullopt: what has come is no whole item yet.
  std::optional<Item> next();

 private:
  std::string bytes_;
  std::size_t at_ = 0;     // what stands before it is done with
  bool skipping_ = false;  // to the end of one that is too large
};

// As it goes on the wire; escapes what must not stand in it.
std::string gdb_packet(std::string_view payload);
// Without the escapes of binary data.
std::string gdb_unescaped(std::string_view payload);

// Two lower-case digits a byte, as the protocol has memory, registers and the text of monitor commands.
std::string to_hex(std::string_view bytes);
// nullopt: an odd number of digits, or something else.
std::optional<std::string> from_hex(std::string_view digits);
// Most significant digit first; nullopt: no digit, more than 16, or something else.
std::optional<std::uint64_t> hex_number(std::string_view digits);

}  // namespace asterism
