// The registers of the memory controller: ECC of ranges, the error log, the patrol scrubber. Addresses are
// physical.
#pragma once

#include "memory/ecc_ranges.h"
#include "memory/error_log.h"
#include "tlm/register.h"

namespace asterism {

struct MemoryRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x4d454d43, "\"MEMC\" in ASCII: the device is a memory controller"};
  struct Config : Register {
    using Register::Register;
    FieldOf<EccMode> mode{*this, {"mode", 0, 2, "The ECC of pages that no range covers", {
        {"none", 0, "no ECC: a fault reaches the guest"},
        {"normal", 1, "RS(36,32)"},
        {"strong", 2, "RS(19,16), its third parity symbols in another rank"}}}};
    FieldOf<EccProfile> profile{*this, {"profile", 2, 2, "What the decoder corrects", {
        {"thesis", 0, "syndromes of one wrong symbol are corrected, whatever its location"},
        {"strict", 1, "a location outside the shortened code is uncorrectable"},
        {"chip", 2, "as strict, and normal mode also corrects both symbols of one chip"}}}};
    FieldOf<std::uint32_t> ranges{*this, {"ranges", 8, 8, "The number of entries of the range table"}};
    FieldOf<std::uint32_t> ranks{*this, {"ranks", 16, 8, "The number of ranks per channel; strong ECC needs two"}};
  } config{*this, 0x04, "CONFIG", Access::read_only, varies, "The configuration of this controller (node.memory)"};
  Register rank_size_low{*this, 0x08, "RANK_SIZE_LOW", Access::read_only, varies, "Bytes of a rank where each is one range of addresses, else 0; bits 31:0"};
  Register rank_size_high{*this, 0x0c, "RANK_SIZE_HIGH", Access::read_only, varies, "Bytes of a rank where each is one range of addresses, else 0; bits 63:32"};
  Register range_select{*this, 0x10, "RANGE_SELECT", Access::read_write, 0, "The entry of the range table, from 0 to CONFIG.ranges - 1, that the RANGE registers show and set"};
  Register range_first_low{*this, 0x14, "RANGE_FIRST_LOW", Access::read_write, 0, "First address of the selected range, bits 31:0"};
  Register range_first_high{*this, 0x18, "RANGE_FIRST_HIGH", Access::read_write, 0, "First address of the selected range, bits 63:32"};
  Register range_size_low{*this, 0x1c, "RANGE_SIZE_LOW", Access::read_write, 0, "Bytes of the selected range, whole pages of 4 KiB; bits 31:0"};
  Register range_size_high{*this, 0x20, "RANGE_SIZE_HIGH", Access::read_write, 0, "Bytes of the selected range, bits 63:32"};
  // Mode 0, which is EccMode::none, empties the entry.
  struct RangeControl : Register {
    using Register::Register;
    FieldOf<EccMode> mode{*this, {"mode", 0, 2, "The ECC of the range", {
        {"off", 0, "the entry is empty: its pages have the mode of CONFIG"}, {"normal", 1, "RS(36,32)"}, {"strong", 2, "RS(19,16)"}}}};
  } range_control{*this, 0x24, "RANGE_CONTROL", Access::read_write, 0, "A write sets the selected entry and converts the contents of the pages"};
  struct RangeStatus : Register {
    using Register::Register;
    FieldOf<RangeProblem> problem{*this, {"problem", 0, 3, "Why the entry was not set", {
        {"none", 0, "the entry was set"},
        {"unaligned", 1, "not whole pages of 4 KiB"},
        {"outside", 2, "reaches beyond the memory, or there is no such entry"},
        {"overlap", 3, "another entry covers a part of it"},
        {"one_rank", 4, "strong ECC keeps parity in another rank, and there is only one"},
        {"no_code", 5, "this memory has no ECC, or the range asks for none"},
        {"no_room", 6, "the memory uses rows that the parity of strong ECC needs"},
        {"reserved_mode", 7, "RANGE_CONTROL.mode is 3, which is reserved, or 2 in a memory whose code has no strong mode"}}}};
  } range_status{*this, 0x28, "RANGE_STATUS", Access::read_only, 0, "The result of the last write of RANGE_CONTROL"};
  Register corrected{*this, 0x2c, "CORRECTED", Access::read_only, 0, "The number of errors that were corrected, by demand and scrub"};
  Register uncorrectable{*this, 0x30, "UNCORRECTABLE", Access::read_only, 0, "The number of errors that could not be corrected, by demand and scrub"};
  struct LogStatus : Register {
    using Register::Register;
    FieldOf<bool> valid{*this, {"valid", 0, 1, "There is an entry"}};
    FieldOf<bool> uncorrectable{*this, {"uncorrectable", 1, 1, "The error could not be corrected"}};
    FieldOf<ErrorSource> source{*this, {"source", 2, 2, "The access that found it", {
        {"demand", 0, "an access of a core or a device"}, {"scrub", 1, "the patrol scrubber"},
        {"conversion", 2, "the conversion of a range to another mode"}}}};
    FieldOf<bool> strong{*this, {"strong", 4, 1, "The block was in strong mode"}};
    FieldOf<std::uint32_t> codeword{*this, {"codeword", 8, 2, "The first bad codeword of the block; LOG_SYNDROME has its syndrome"}};
    FieldOf<std::uint32_t> lost{*this, {"lost", 16, 16, "The number of errors that found the log full, at most 65535"}};
  } log_status{*this, 0x34, "LOG_STATUS", Access::read_only, 0, "The oldest entry of the error log, which the other LOG registers describe, too"};
  Register log_pop{*this, 0x38, "LOG_POP", Access::write_only, 0, "Any write drops the oldest entry, and the LOG registers describe the next one", {
      {"pop", 0, 1, "Any value has this effect"}}};
  Register log_address_low{*this, 0x3c, "LOG_ADDRESS_LOW", Access::read_only, 0, "Physical address of the block of the oldest entry, bits 31:0"};
  Register log_address_high{*this, 0x40, "LOG_ADDRESS_HIGH", Access::read_only, 0, "Physical address of the block of the oldest entry, bits 63:32"};
  struct LogPlace : Register {
    using Register::Register;
    static constexpr std::uint32_t unknown_chip = 31;
    FieldOf<std::uint32_t> chip{*this, {"chip", 0, 5, "The lowest chip that was corrected; 31: unknown"}};
    FieldOf<std::uint32_t> bank{*this, {"bank", 8, 8, "The bank of the rank"}};
    FieldOf<std::uint32_t> rank{*this, {"rank", 16, 8, "The rank of the channel"}};
    FieldOf<std::uint32_t> channel{*this, {"channel", 24, 8, "The channel of the controller"}};
  } log_place{*this, 0x44, "LOG_PLACE", Access::read_only, 0, "Where the block of the oldest entry lies"};
  Register log_syndrome{*this, 0x48, "LOG_SYNDROME", Access::read_only, 0, "Syndrome of LOG_STATUS.codeword: symbol 0 in bits 7:0"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> corrected{*this, {"corrected", 0, 1, "An error was corrected"}};
    FieldOf<bool> uncorrectable{*this, {"uncorrectable", 1, 1, "An error could not be corrected"}};
  } interrupt_status{*this, 0x4c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "The events since a bit was cleared"};
  Register interrupt_enable{*this, 0x50, "INTERRUPT_ENABLE", Access::read_write, 0, "The enabled interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS", {
      {"corrected", 0, 1, "A corrected error"}, {"uncorrectable", 1, 1, "An uncorrectable error"}}};
  Register scrub_interval{*this, 0x54, "SCRUB_INTERVAL", Access::read_write, varies,
      "The nanoseconds between two blocks of the patrol scrubber; 0: it is off. A reset sets it to node.memory.patrol_interval"};
  Register scrubbed{*this, 0x58, "SCRUBBED", Access::read_only, 0, "The number of complete passes of the patrol scrubber over the memory"};
  struct EcsSelect : Register {
    using Register::Register;
    FieldOf<std::uint32_t> chip{*this, {"chip", 0, 5, "The chip of the rank"}};
    FieldOf<std::uint32_t> rank{*this, {"rank", 16, 8, "The rank of the channel"}};
    FieldOf<std::uint32_t> channel{*this, {"channel", 24, 8, "The channel of the controller"}};
  } ecs_select{*this, 0x5c, "ECS_SELECT", Access::read_write, 0, "The chip whose results of error check and scrub (node.memory.on_die_scrub) the ECS registers show; 0 where there is no such chip"};
  Register ecs_passes{*this, 0x60, "ECS_PASSES", Access::read_only, 0, "The number of complete passes of the chips over all of their words since power-up"};
  Register ecs_errors{*this, 0x64, "ECS_ERRORS", Access::read_only, 0, "The words with errors that the chip has found in the last complete pass, as MR20 of JESD79-5 has them in steps of a threshold; a word with several wrong bits counts in each pass, although a chip finds no error in what it has corrected wrongly"};
  Register ecs_row_errors{*this, 0x68, "ECS_ROW_ERRORS", Access::read_only, 0, "Those of the row with the most of them, as MR19"};
  struct EcsRow : Register {
    using Register::Register;
    FieldOf<std::uint32_t> row{*this, {"row", 0, 24, "The row of the bank"}};
    FieldOf<std::uint32_t> bank{*this, {"bank", 24, 8, "The bank of the rank"}};
  } ecs_row{*this, 0x6c, "ECS_ROW", Access::read_only, 0, "The row of ECS_ROW_ERRORS, the first one of several, as MR16 to MR18"};
  // clang-format on

  MemoryRegisters()
      : RegisterBank("MEMORY_CONTROLLER", Bytes(0x1000),
                     "Memory controller: ECC of ranges of memory, the error log, the patrol scrubber "
                     "(docs/memory.md). Addresses are "
                     "physical; log, counts and range table survive a warm reset.") {}
};

}  // namespace asterism
