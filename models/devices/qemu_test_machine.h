// QEMU's virt machine as a reference for device tests. Its processors are stopped, and the qtest protocol
// drives its registers and interrupt inputs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace asterism {

class QemuTestMachine {
 public:
  QemuTestMachine();
  ~QemuTestMachine();
  QemuTestMachine(const QemuTestMachine&) = delete;
  QemuTestMachine& operator=(const QemuTestMachine&) = delete;

  bool is_there() const { return process_ > 0; }  // false if QEMU is not installed
  std::uint32_t read(std::uint64_t address);
  void write(std::uint64_t address, std::uint32_t value);
  // An SPI is given by its number, a PPI of core 0 by its id.
  void set_spi(unsigned spi, bool high) { set_gic_input(spi, high); }
  void set_ppi(unsigned id, bool high) { set_gic_input(256 + id, high); }

 private:
  std::string ask(const std::string& command);
  void set_gic_input(unsigned input, bool high);

  int process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace asterism
