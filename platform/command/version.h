// What `asterism --version` prints: what this program is made of, from the headers with which it was
// compiled.
#pragma once

#include <string>

namespace asterism {

std::string version_text();

}  // namespace asterism
