// The constant expressions of IP-XACT, which are those of SystemVerilog for integers: 32'h5449_4d31, 'h20,
// Width/8-1, $clog2(Depth), (Mode == 1) ? 4 : 8.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asterism {

// Throws std::invalid_argument that says where the text is not an expression. `value_of` gives the value of a
// name.
std::int64_t constant_value(std::string_view expression,
                            const std::function<std::int64_t(const std::string&)>& value_of);

}  // namespace asterism
