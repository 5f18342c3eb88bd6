// An RTL block in a shared library, and instances of it. rtl_abi.h defines the library's interface.
//
//   auto library = RtlLibrary::open("build/release/rtl/lrg_arbiter-3f2a.../block.so");
//   RtlInstance arbiter(library, "node.fabric.arbiter.XB.4");
//   RtlPort request = arbiter.port("request"), grant = arbiter.port("grant");
//   arbiter.reset();
//   request.set(0b1010);
//   arbiter.settle();
//   std::uint64_t winner = grant.get();
//   arbiter.edge();
//
// RtlError says what is wrong with a library, or why a model ended itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cosim/rtl_abi.h"

namespace asterism {

struct RtlError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RtlLibrary {
 public:
  // Throws RtlError for a file that is not a library, lacks the symbol, or has another interface version. A
  // library that is open already is shared; it stays loaded until the process ends.
  static std::shared_ptr<const RtlLibrary> open(const std::filesystem::path& file);

  const AsterismRtlBlock& block() const { return *block_; }
  std::string_view name() const { return block_->block; }
  std::string_view contract() const { return block_->contract; }
  const std::filesystem::path& file() const { return file_; }
  std::span<const AsterismRtlPort> ports() const { return {block_->ports, block_->port_count}; }

  std::optional<std::uint32_t> find(std::string_view role) const;
  // Throws RtlError, which names the role, if there is no such port of this direction.
  std::uint32_t index_of(std::string_view role, std::uint32_t direction) const;
  std::uint32_t width(std::string_view role) const;  // 0 if there is no such port
  std::optional<std::uint64_t> parameter(std::string_view name) const;

 private:
  RtlLibrary(std::filesystem::path file, const AsterismRtlBlock* block)
      : file_(std::move(file)), block_(block) {}

  std::filesystem::path file_;
  const AsterismRtlBlock* block_;
};

// The value of a port of an instance.
class RtlPort {
 public:
  RtlPort() = default;  // a port that the block does not have: it reads as zero and ignores writes
  RtlPort(void* value, std::uint32_t width);

  std::uint32_t width() const { return width_; }
  std::uint32_t words() const { return (width_ + 63) / 64; }  // of 64 bits
  std::uint64_t get(std::uint32_t word = 0) const {
    switch (bytes_in(word)) {  // each size separately: a copy of a known size is one instruction
      case 8:
        return load<std::uint64_t>(word);
      case 4:
        return load<std::uint32_t>(word);
      case 2:
        return load<std::uint16_t>(word);
      case 1:
        return load<std::uint8_t>(word);
      default:
        return 0;
    }
  }
  // Bits above the width are dropped.
  void set(std::uint64_t value, std::uint32_t word = 0) {
    value &= word + 1 == words() ? last_mask_ : ~std::uint64_t{0};
    switch (bytes_in(word)) {
      case 8:
        return store<std::uint64_t>(value, word);
      case 4:
        return store<std::uint32_t>(value, word);
      case 2:
        return store<std::uint16_t>(value, word);
      case 1:
        return store<std::uint8_t>(value, word);
    }
  }
  bool is_set() const { return get() != 0; }

 private:
  std::uint32_t bytes_in(std::uint32_t word) const {
    return word * 8 >= storage_ ? 0 : storage_ - word * 8 < 8 ? storage_ - word * 8 : 8;
  }
  template <class T>
  T load(std::uint32_t word) const {
    T value;
    std::memcpy(&value, value_ + std::size_t{word} * 8, sizeof value);
    return value;
  }
  template <class T>
  void store(std::uint64_t wide, std::uint32_t word) {
    const T value = static_cast<T>(wide);
    std::memcpy(value_ + std::size_t{word} * 8, &value, sizeof value);
  }

  unsigned char* value_ = nullptr;
  std::uint32_t width_ = 0;
  std::uint32_t storage_ = 0;  // bytes
  std::uint64_t last_mask_ = 0;
};

class RtlInstance {
 public:
  // Throws RtlError if the model cannot be created.
  RtlInstance(std::shared_ptr<const RtlLibrary> library, std::string name);
  ~RtlInstance();
  RtlInstance(RtlInstance&& other) noexcept;
  RtlInstance& operator=(RtlInstance&&) = delete;

  const std::string& name() const { return name_; }
  const RtlLibrary& library() const { return *library_; }
  std::shared_ptr<const RtlLibrary> shared_library() const { return library_; }

  // Finds a port by role. If it is missing, returns a port that the block does not have.
  RtlPort port(std::string_view role) const;
  RtlPort port_at(std::uint32_t index) const;

  // Asserts the reset input for the block's reset cycles, with all other inputs zero, and releases it. A
  // block without a reset input is restored to its initial state. Not traced.
  void reset();
  // These throw RtlError if the model ends itself. The caller counts the cycles.
  void settle() { check(block_->settle(instance_)); }
  void edge() { check(block_->edge(instance_)); }
  void run(std::uint64_t cycles) { check(block_->run(instance_, cycles)); }

  using Snapshot = std::vector<unsigned char>;
  void save(Snapshot& snapshot) const;
  void restore(const Snapshot& snapshot);

  // Throws RtlError if the file cannot be written.
  void trace_open(const std::filesystem::path& file);
  void trace_close();
  bool traced() const { return traced_; }
  void trace(std::uint64_t picoseconds) {
    if (traced_) block_->trace(instance_, picoseconds);
  }

 private:
  void check(int result) {
    if (result != 0) fail();
  }
  [[noreturn]] void fail() const;

  std::shared_ptr<const RtlLibrary> library_;
  std::string name_;
  const AsterismRtlBlock* block_;
  void* instance_;
  bool traced_ = false;
  Snapshot unreset_;  // of a block without a reset input: its initial state
};

}  // namespace asterism
