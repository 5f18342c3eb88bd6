// Makes a block.json from another description of RTL: a .core file of FuseSoC (CAPI2), or a component in
// IP-XACT (IEEE 1685-2014 and 2022).
//
// The description and the RTL are elaborated together, so the block.json that is made can be built: its ports
// fit its contract. What the description does not say, and what does not follow from the ports, is an error
// that says how the user can say it. Errors are at the lines of the description.
#pragma once

#include <string>
#include <vector>

#include "platform/rtl_exchange/described_block.h"

namespace asterism {

struct ImportedBlock {
  std::string text;  // block.json
  std::string name, contract;
  std::vector<PortClaim> ports;      // in the order of the module, with the reasons for their roles
  std::vector<std::string> ignored;  // files that are no part of the block
};

// Throws ConfigError, and InputMissing if a file or a tool is missing. Writes nothing.
ImportedBlock import_block(const ImportRequest& request);

}  // namespace asterism
