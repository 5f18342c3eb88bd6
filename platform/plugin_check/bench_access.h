// An access of a caller to a target of the device, with everything that a payload can have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "platform/node/device_list.h"

namespace asterism {

struct BenchAccess {
  std::size_t target = 0;
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  std::vector<unsigned char> data = {};  // its size is the length; of a read: what the buffer has before
  bool has_data = true;                  // false: a null pointer
  std::optional<std::vector<unsigned char>> enables = {};
  unsigned streaming_width = 0;
  Picoseconds delay = {};
  std::optional<unsigned> master = 0;  // nullopt: without the extension of initiators
  bool is_secure = false;
  bool is_managed = false;           // it has a memory manager
  bool has_other_extension = false;  // that the target cannot know

  static BenchAccess read(std::size_t target, std::uint64_t address, unsigned length = 4);
  static BenchAccess write(std::size_t target, std::uint64_t address, std::vector<unsigned char> data);
  static BenchAccess write32(std::size_t target, std::uint64_t address, std::uint32_t value);

  unsigned length() const { return static_cast<unsigned>(data.size()); }
  bool moves_data() const { return command == tlm::TLM_READ_COMMAND || command == tlm::TLM_WRITE_COMMAND; }
  bool is_enabled(unsigned i) const {
    return !enables || (!enables->empty() && (*enables)[i % enables->size()] == TLM_BYTE_ENABLED);
  }
  // Whether all bytes that take part in it are within a target of this size.
  bool is_within(Bytes size) const;
  // Whether TLM-2.0 lets an initiator make it (IEEE 1666-2011 §14); no target may end the simulation for one
  // that it does not.
  bool is_legal() const;

  // "write 4 bytes 01 00 00 00 at 0x8, delay 37 ns"
  std::string text() const;
  // "device.CONTROL", or "device + 0x8" where no register is
  std::string place(const PlacedDevice& device) const;
};

// Any access to a target, legal or not.
BenchAccess random_access(Random& random, const PlacedDevice& device, std::size_t target);

std::string hex_of(const std::vector<unsigned char>& bytes);
std::string text_of(tlm::tlm_response_status status);
std::string text_of(Picoseconds time);

}  // namespace asterism
