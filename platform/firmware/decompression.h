// Decompresses what kernels and their initial file systems are compressed with.
//
// Errors: std::runtime_error with what is wrong: the data end too early ("is cut short"), are damaged, or are
// larger than allowed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/units.h"

namespace asterism {

// Whether `bytes` begin as gzip or zstd do, the formats that are understood here.
bool is_compressed(std::span<const std::byte> bytes);

// The contents of the first member (gzip) or frame (zstd) of `bytes`, at most `limit`.
std::vector<std::byte> decompress(std::span<const std::byte> bytes, Bytes limit);

// The compressed length of the first member or frame, which is decompressed to check it.
std::size_t compressed_length(std::span<const std::byte> bytes);

}  // namespace asterism
