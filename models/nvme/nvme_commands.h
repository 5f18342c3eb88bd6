// What the NVM Express base specification, revision 1.4, defines for commands in memory: opcodes, status
// codes, and the fields of queue entries. Section numbers are those of that revision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism::nvme {

constexpr Bytes memory_page{4096};  // CC.MPS = 0
constexpr std::uint32_t only_namespace = 1, all_namespaces = 0xFFFF'FFFF;
constexpr Bytes submission_size{64}, completion_size{16};
constexpr unsigned max_transfer_shift = 5;         // MDTS: the largest transfer is 2^5 memory pages
constexpr std::uint32_t max_entries = 1024;        // of an I/O queue
constexpr std::uint32_t max_admin_entries = 4096;  // of an admin queue (AQA)

enum class AdminOpcode : std::uint8_t {
  delete_submission_queue = 0x00,
  create_submission_queue = 0x01,
  get_log_page = 0x02,
  delete_completion_queue = 0x04,
  create_completion_queue = 0x05,
  identify = 0x06,
  abort = 0x08,
  set_features = 0x09,
  get_features = 0x0A,
  asynchronous_event_request = 0x0C,
};
constexpr auto enum_names(AdminOpcode) {
  return std::to_array<EnumName<AdminOpcode>>(
      {{AdminOpcode::delete_submission_queue, "Delete I/O Submission Queue"},
       {AdminOpcode::create_submission_queue, "Create I/O Submission Queue"},
       {AdminOpcode::get_log_page, "Get Log Page"},
       {AdminOpcode::delete_completion_queue, "Delete I/O Completion Queue"},
       {AdminOpcode::create_completion_queue, "Create I/O Completion Queue"},
       {AdminOpcode::identify, "Identify"},
       {AdminOpcode::abort, "Abort"},
       {AdminOpcode::set_features, "Set Features"},
       {AdminOpcode::get_features, "Get Features"},
       {AdminOpcode::asynchronous_event_request, "Asynchronous Event Request"}});
}

enum class Opcode : std::uint8_t {
  flush = 0x00,
  write = 0x01,
  read = 0x02,
  write_zeroes = 0x08,
  dataset_management = 0x09,
};
constexpr auto enum_names(Opcode) {
  return std::to_array<EnumName<Opcode>>({{Opcode::flush, "Flush"},
                                          {Opcode::write, "Write"},
                                          {Opcode::read, "Read"},
                                          {Opcode::write_zeroes, "Write Zeroes"},
                                          {Opcode::dataset_management, "Dataset Management"}});
}

// Section 4.6.1: the status code type in the upper byte, the status code in the lower one.
enum class Status : std::uint16_t {
  success = 0x000,
  invalid_opcode = 0x001,
  invalid_field = 0x002,
  identifier_conflict = 0x003,
  data_transfer_error = 0x004,
  invalid_namespace = 0x00B,
  prp_offset_invalid = 0x013,
  lba_out_of_range = 0x080,
  completion_queue_invalid = 0x100,
  invalid_queue_identifier = 0x101,
  invalid_queue_size = 0x102,
  event_limit_exceeded = 0x105,
  invalid_interrupt_vector = 0x108,
  invalid_log_page = 0x109,
  invalid_queue_deletion = 0x10C,
  feature_not_saveable = 0x10D,
  write_fault = 0x280,
  unrecovered_read_error = 0x281,
};
constexpr auto enum_names(Status) {
  return std::to_array<EnumName<Status>>(
      {{Status::success, "success"},
       {Status::invalid_opcode, "invalid opcode"},
       {Status::invalid_field, "invalid field"},
       {Status::identifier_conflict, "command identifier conflict"},
       {Status::data_transfer_error, "data transfer error"},
       {Status::invalid_namespace, "invalid namespace"},
       {Status::prp_offset_invalid, "invalid offset of a PRP entry"},
       {Status::lba_out_of_range, "LBA out of range"},
       {Status::completion_queue_invalid, "completion queue invalid"},
       {Status::invalid_queue_identifier, "invalid queue identifier"},
       {Status::invalid_queue_size, "invalid queue size"},
       {Status::event_limit_exceeded, "asynchronous event request limit exceeded"},
       {Status::invalid_interrupt_vector, "invalid interrupt vector"},
       {Status::invalid_log_page, "invalid log page"},
       {Status::invalid_queue_deletion, "invalid queue deletion"},
       {Status::feature_not_saveable, "feature identifier not saveable"},
       {Status::write_fault, "write fault"},
       {Status::unrecovered_read_error, "unrecovered read error"}});
}

template <class T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Section 4.2.
struct SubmissionEntry {
  std::array<std::byte, submission_size.count()> bytes{};

  std::uint32_t word(unsigned number) const { return get<std::uint32_t>(bytes, std::size_t{4} * number); }
  std::uint8_t opcode() const { return static_cast<std::uint8_t>(word(0)); }
  bool is_plain() const { return (word(0) >> 8 & 0xFF) == 0; }  // neither fused nor with an SGL
  std::uint16_t identifier() const { return static_cast<std::uint16_t>(word(0) >> 16); }
  std::uint32_t name_space() const { return word(1); }
  Address prp1() const { return Address(get<std::uint64_t>(bytes, 24)); }
  Address prp2() const { return Address(get<std::uint64_t>(bytes, 32)); }
  std::uint64_t first_block() const { return get<std::uint64_t>(bytes, 40); }
  std::uint32_t blocks() const { return (word(12) & 0xFFFF) + 1; }
  bool force_unit_access() const { return word(12) >> 30 & 1; }
};

// Section 4.6.
inline std::array<std::byte, completion_size.count()> completion_entry(std::uint32_t result,
                                                                       std::uint16_t head,
                                                                       std::uint16_t queue,
                                                                       std::uint16_t identifier, bool phase,
                                                                       Status status) {
  std::array<std::byte, completion_size.count()> bytes{};
  put<std::uint32_t>(bytes, 0, result);
  put<std::uint16_t>(bytes, 8, head);
  put<std::uint16_t>(bytes, 10, queue);
  put<std::uint16_t>(bytes, 12, identifier);
  // All errors but those of flash would come again if the command was repeated (DNR).
  const auto code = static_cast<std::uint16_t>(status);
  const bool again =
      code == 0 || code == static_cast<std::uint16_t>(Status::data_transfer_error) || code >= 0x200;
  put<std::uint16_t>(bytes, 14,
                     static_cast<std::uint16_t>(code << 1 | (again ? 0 : 0x8000) | (phase ? 1 : 0)));
  return bytes;
}

}  // namespace asterism::nvme
