// For tests: whether a document keeps the rules of CMSIS-SVD. The structure is that of the published schema, version 1.3
// (Open-CMSIS-Pack, CMSIS-SVD.xsd 1.3.12): which elements stand where, in what order, how often, and the form of their text. Elements
// of the schema that svd.h never writes (cpu, derivedFrom of registers, ...) are not known here, and a mistake. Beyond the schema, what the
// specification says in words: names and addresses are unique, fields lie within their register and values within their field.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace asterism {

struct SvdField {
  std::string name;
  unsigned low = 0, width = 0;
  std::vector<std::pair<std::string, std::uint64_t>> values = {};
};

// One register, not an array of them.
struct SvdRegister {
  std::string peripheral, name;  // of a register in a cluster: CLUSTER.NAME
  std::uint64_t address = 0;
  std::string description, access, modified_write_values, read_action;
  std::uint64_t reset_value = 0, reset_mask = 0;
  std::vector<SvdField> fields;
};

struct SvdDocument {
  std::vector<std::string> problems;  // "device.peripherals.peripheral(GICD): ..."
  std::vector<SvdRegister> registers;
};

// Where the structure is wrong, nothing beyond it is looked at.
SvdDocument read_svd(const std::string& text);

}  // namespace asterism
