// docs/registers.md: the devices of a node with their registers, fields and named values as a page of
// Markdown. It is generated from the address map and the register lists; `asterism list devices --markdown
// FILE` writes it.
#pragma once

#include <string>

#include "platform/node/address_map.h"

namespace asterism {

std::string register_page(const AddressMap& map);

}  // namespace asterism
