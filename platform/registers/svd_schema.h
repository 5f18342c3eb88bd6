// For tests: checks whether a document follows the rules of CMSIS-SVD. The structure is that of the published
// schema, version 1.3 (Open-CMSIS-Pack, CMSIS-SVD.xsd 1.3.12): the valid elements, their order and number,
// and the form of their text. Elements of the schema that svd.h never writes (cpu, derivedFrom of registers,
// ...) are not known here and count as errors. Beyond the schema it checks what the specification says in
// prose: names and addresses are unique, fields lie within their register and values within their field.
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

// A single register, not an array.
struct SvdRegister {
  std::string peripheral, name;  // a register in a cluster is named CLUSTER.NAME
  std::uint64_t address = 0;
  std::string description, access, modified_write_values, read_action;
  std::uint64_t reset_value = 0, reset_mask = 0;
  std::vector<SvdField> fields;
};

struct SvdDocument {
  std::vector<std::string> problems;  // "device.peripherals.peripheral(GICD): ..."
  std::vector<SvdRegister> registers;
};

// If the structure is wrong, the further rules are not checked.
SvdDocument read_svd(const std::string& text);

}  // namespace asterism
