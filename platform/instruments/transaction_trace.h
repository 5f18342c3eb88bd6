// A trace of TLM transactions: each request of an initiator with its start, its end and its response. The
// format of the file is described in docs/seeing.md; these classes write and read it.
//
// Errors: TransactionTraceError names the byte of the file at which something is wrong and what was expected
// there (the file is truncated, a checksum differs, the version is another one).
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
  // The response statuses of TLM-2.0.
  enum class Response : std::uint8_t {
    incomplete,
    ok,
    generic_error,
    address_error,
    command_error,
    burst_error,
    byte_enable_error
  };
  // The local time of the master; a core may be up to a quantum ahead of the simulation.
  Picoseconds start = {}, end = {};
  Address address = {};
  std::uint32_t length = 0;  // bytes
  std::uint16_t master = 0;  // index into the names of the trace
  Command command = Command::read;
  Response response = Response::ok;
  // The data were accessed directly; only the timing went through the interconnect
  // (tlm/initiator_extension.h).
  bool is_monitored = false;
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
  // Throws TransactionTraceError if the file cannot be created.
  TransactionTraceWriter(const std::filesystem::path& file, const std::vector<std::string>& masters);
  void add(const TracedTransaction& transaction);
  // Writes the remaining transactions and an end mark, without which the file counts as truncated. Throws
  // TransactionTraceError if the file could not be written.
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
  // One line for each transaction, below a line with the names of the columns: "start_ps end_ps master
  // command address length response".
  std::string to_text() const;
};

}  // namespace asterism
