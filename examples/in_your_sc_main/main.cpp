// A testbench with an sc_main of its own: two nodes of Asterism, and beside each a memory-mapped accelerator
// that knows nothing of them. The firmware of a node hands the address of a table over, the accelerator adds
// the table up by DMA, and raises an interrupt of the node.
//
//   in_your_sc_main FIRMWARE.elf
#include <asterism/node.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <systemc>
#include <tlm>

namespace {

// Registers of 32 bits: the address of a table, its number of words (a write starts), their sum, and whether
// it is complete (a write clears that, and lowers the line).
struct Adder : sc_core::sc_module {
  tlm_utils::simple_target_socket<Adder> registers{"registers"};
  tlm_utils::simple_initiator_socket<Adder> bus{"bus"};
  sc_core::sc_out<bool> done{"done"};

  SC_HAS_PROCESS(Adder);
  explicit Adder(const sc_core::sc_module_name& name) : sc_module(name) {
    registers.register_b_transport(this, &Adder::access);
    SC_THREAD(add);
  }

 private:
  enum Word { address, count, sum, complete };

  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto word = payload.get_address() / 4;
    if (word > complete || payload.get_data_length() != 4) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), &words_[word], 4);
      return;
    }
    if (word == complete) {
      words_[complete] = 0;
      done.write(false);
      return;
    }
    std::memcpy(&words_[word], payload.get_data_ptr(), 4);
    if (word == count) start_.notify(delay);
  }

  void add() {
    for (;;) {
      wait(start_);
      words_[sum] = 0;
      for (std::uint32_t i = 0; i < words_[count]; ++i) words_[sum] += read(words_[address] + 4 * i);
      words_[complete] = 1;
      done.write(true);
    }
  }

  std::uint32_t read(std::uint64_t from) {
    std::uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(from);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    bus->b_transport(payload, delay);
    wait(delay);
    return value;
  }

  std::array<std::uint32_t, 4> words_{};
  sc_core::sc_event start_;
};

// A node with a place for the adder.
constexpr const char* description = R"({
  "use": "checkpoint_node",
  "devices": {
    "adder": { "type": "external", "base": "0x0b20_0000", "size": "4KiB", "interrupt": 25,
               "masters": 1, "lines": 1, "compatible": ["acme,adder"] } } })";

struct Machine {
  Adder adder;
  asterism::Node node;

  Machine(const std::string& name, const asterism::NodeDescription& description,
          const asterism::NodeContext& context)
      : adder((name + "_adder").c_str()), node(name.c_str(), description, context) {
    node.target("adder").bind(adder.registers);
    adder.bus.bind(node.master("adder"));
    adder.done.bind(node.line("adder"));
    node.on_console = [name](std::string_view text) { std::cout << name << ": " << text; };
  }
};

}  // namespace

int sc_main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: in_your_sc_main FIRMWARE.elf\n";
    return 64;
  }
  const asterism::NodeDescription node(description);
  const auto firmware = asterism::NodeFirmware::of_file(argv[1]);
  Machine left("left", node, {.firmware = firmware, .arguments = "words=1000"});
  Machine right("right", node, {.firmware = firmware, .arguments = "words=2000"});
  left.node.power_on();
  right.node.power_on();
  sc_core::sc_start(10, sc_core::SC_MS);
  for (const Machine* machine : {&left, &right})
    if (!machine->node.end() || machine->node.end()->status != 0) return 1;
  std::cout << "both nodes have ended by " << sc_core::sc_time_stamp() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 65;
}
