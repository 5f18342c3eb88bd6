// A trace of TLM transactions: what each initiator asked for, from when to when, and what came of it. The file's form is in
// docs/seeing.md; what is here writes and reads it.
//
// Errors: TransactionTraceError says at which byte of the file something is wrong and what was expected there (cut short, a
// checksum, another version).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct TracedTransaction {
  enum class Command : std::uint8_t { read, write, ignore };
  // As TLM-2.0 has them.
  enum class Response : std::uint8_t {
    incomplete,
    ok,
    generic_error,
    address_error,
    command_error,
    burst_error,
    byte_enable_error
  };
  // What the master's own time was; a core may be up to a quantum ahead of the simulation.
  Picoseconds start = {}, end = {};
  Address address = {};
  std::uint32_t length = 0;  // bytes
  std::uint16_t master = 0;  // index in the names of the trace
  Command command = Command::read;
  Response response = Response::ok;
  bool is_shown =
      false;  // the data went directly, the time through the interconnect (tlm/initiator_extension.h)
  bool is_poisoned = false;  // the data are known to be wrong
  bool operator==(const TracedTransaction&) const = default;
};

const char* name_of(TracedTransaction::Command command);
const char* name_of(TracedTransaction::Response response);

class TransactionTraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class TransactionTraceWriter {
 public:
  // Throws TransactionTraceError when the file cannot be made.
  TransactionTraceWriter(const std::filesystem::path& file, const std::vector<std::string>& masters);
  void add(const TracedTransaction& transaction);
  // Writes what is left and the end, without which the file counts as cut short. Throws TransactionTraceError when the file
  // could not be written.
  void finish();

 private:
  void write_block();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string block_;
  std::uint64_t total_ = 0;
};

struct TransactionTrace {
  std::vector<std::string> masters;
  std::vector<TracedTransaction> transactions;  // in the order in which they ended

  static TransactionTrace read(std::istream& in);
  // A line each: "start_ps end_ps master command address length response", with what the columns are above.
  std::string to_text() const;
};

}  // namespace asterism
