// The rules that a node's cores check in their firmware (core/guest_rules.h), from node.checks and from the
// segments and symbols of the firmware's ELF file.
#pragma once

#include <string>
#include <vector>

#include "core/checks_config.h"
#include "core/guest_rules.h"
#include "platform/config/config_document.h"
#include "platform/firmware/elf_image.h"

namespace asterism {

// The stacks that node.checks.stacks or the usual symbols name. Throws ConfigError for a symbol that the file
// lacks and for bounds that are no stack.
std::vector<AddressRange> find_stacks(const ChecksConfig& checks, const ElfImage& firmware,
                                      const std::string& file, const ConfigDocument& document);

GuestRules firmware_rules(const ChecksConfig& checks, const ElfImage& firmware,
                          std::vector<AddressRange> stacks);

}  // namespace asterism
