// The registers of the memory controller: ECC of ranges, the error log, the patrol scrubber. Addresses are physical.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct MemoryRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x4d454d43, "\"MEMC\""};
  Register config{*this, 0x04, "CONFIG", Access::read_only, 0, "What this controller is", {
      {"mode", 0, 2, "ECC of pages that no range names", {{"none", 0}, {"normal", 1}, {"strong", 2}}},
      {"profile", 2, 2, "How far the decoder goes", {{"thesis", 0}, {"strict", 1}, {"chip", 2}}},
      {"ranges", 8, 8, "Entries of the range table"},
      {"ranks", 16, 8, "Of a channel; strong ECC needs two"}}};
  Register rank_size_low{*this, 0x08, "RANK_SIZE_LOW", Access::read_only, 0, "Bytes of a rank where each is one range of addresses, else 0; bits 31:0"};
  Register rank_size_high{*this, 0x0c, "RANK_SIZE_HIGH", Access::read_only, 0, "Bits 63:32"};
  Register range_select{*this, 0x10, "RANGE_SELECT", Access::read_write, 0, "The entry that the RANGE registers show and set"};
  Register range_first_low{*this, 0x14, "RANGE_FIRST_LOW", Access::read_write, 0, "First address, bits 31:0"};
  Register range_first_high{*this, 0x18, "RANGE_FIRST_HIGH", Access::read_write, 0, "Bits 63:32"};
  Register range_size_low{*this, 0x1c, "RANGE_SIZE_LOW", Access::read_write, 0, "Bytes, whole pages of 4 KiB; bits 31:0"};
  Register range_size_high{*this, 0x20, "RANGE_SIZE_HIGH", Access::read_write, 0, "Bits 63:32"};
  Register range_control{*this, 0x24, "RANGE_CONTROL", Access::read_write, 0, "A write sets the entry and converts what the pages hold", {
      {"mode", 0, 2, "", {{"off", 0}, {"normal", 1}, {"strong", 2}}}}};
  Register range_status{*this, 0x28, "RANGE_STATUS", Access::read_only, 0, "How the last write of RANGE_CONTROL ended", {
      {"problem", 0, 3, "", {{"none", 0}, {"unaligned", 1}, {"outside", 2}, {"overlap", 3}, {"one_rank", 4}, {"no_code", 5}, {"no_room", 6}}}}};
  Register corrected{*this, 0x2c, "CORRECTED", Access::read_only, 0, "Errors corrected, by demand and scrub"};
  Register uncorrectable{*this, 0x30, "UNCORRECTABLE", Access::read_only, 0, "Errors that were not"};
  Register log_status{*this, 0x34, "LOG_STATUS", Access::read_only, 0, "The oldest entry of the error log", {
      {"valid", 0, 1, "There is one"},
      {"uncorrectable", 1, 1, "It could not be corrected"},
      {"source", 2, 2, "Who found it", {{"demand", 0}, {"scrub", 1}, {"conversion", 2}}},
      {"strong", 4, 1, "The block was in strong mode"},
      {"codeword", 8, 2, "The first bad codeword, whose syndrome SYNDROME has"},
      {"lost", 16, 16, "Errors that found the log full"}}};
  Register log_pop{*this, 0x38, "LOG_POP", Access::write_only, 0, "Drops the oldest entry", {
      {"pop", 0, 1, ""}}};
  Register log_address_low{*this, 0x3c, "LOG_ADDRESS_LOW", Access::read_only, 0, "Of the block, bits 31:0"};
  Register log_address_high{*this, 0x40, "LOG_ADDRESS_HIGH", Access::read_only, 0, "Bits 63:32"};
  Register log_place{*this, 0x44, "LOG_PLACE", Access::read_only, 0, "Where the block lies", {
      {"chip", 0, 5, "The lowest chip that was corrected; 31: not known"},
      {"bank", 8, 8, ""}, {"rank", 16, 8, ""}, {"channel", 24, 8, ""}}};
  Register log_syndrome{*this, 0x48, "LOG_SYNDROME", Access::read_only, 0, "Symbol 0 in bits 7:0"};
  Register interrupt_status{*this, 0x4c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened", {
      {"corrected", 0, 1, "An error was corrected"}, {"uncorrectable", 1, 1, "One was not"}}};
  Register interrupt_enable{*this, 0x50, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts", {
      {"corrected", 0, 1, ""}, {"uncorrectable", 1, 1, ""}}};
  Register scrub_interval{*this, 0x54, "SCRUB_INTERVAL", Access::read_write, 0, "Nanoseconds between two blocks of the patrol scrubber; 0: it is off"};
  Register scrubbed{*this, 0x58, "SCRUBBED", Access::read_only, 0, "Whole passes of the patrol scrubber"};
  // clang-format on

  MemoryRegisters() : RegisterBank("MEMORY_CONTROLLER", Bytes(0x1000)) {}
};

}  // namespace asterism
