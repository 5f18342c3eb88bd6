#pragma once

#include <unicorn/unicorn.h>

#include <stdexcept>
#include <string>

namespace asterism::a64::oracle {

// Throws std::runtime_error if a call of Unicorn failed.
inline void require(uc_err error, const char* what) {
  if (error != UC_ERR_OK)
    throw std::runtime_error(std::string("unicorn: ") + what + ": " + uc_strerror(error));
}

}  // namespace asterism::a64::oracle
