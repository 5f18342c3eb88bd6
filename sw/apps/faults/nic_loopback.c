// Sends frames to its own node through the NIC, with all lengths and in both queues, faster than it receives
// them, and checks them on arrival; then makes the errors that the NIC must refuse.
//
//   nic_loopback [frames=200]
//
// Exit status: 0 everything was correct, 1 not, 2 a wrong argument, 3 no NIC or too little memory.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asterism/platform.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"
#include "drivers/nic.h"

typedef unsigned long long Printable;

enum { entries = 8, queues = 2 };

static struct { uint64_t frames; } options = {.frames = 200};

static unsigned failures;

static void expect(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  printf("nic_loopback: wrong: %s\n", what);
}

// Lengths from 1 to the maximum, in no order.
static uint32_t length_of(uint64_t number) { return (uint32_t)(number * 1237 % nic_frame_limit) + 1; }
static uint8_t byte_of(uint64_t number, unsigned queue, uint32_t at) {
  return (uint8_t)(number * 7 + queue * 101 + at * 13 + (at >> 8));
}

static uint64_t given[queues], taken[queues];

static bool give(unsigned queue) {
  if (given[queue] == options.frames || nic_free_entries((NicQueue)queue) == 0) return false;
  const uint32_t bytes = length_of(given[queue]);
  uint8_t* const buffer = nic_buffer((NicQueue)queue);
  for (uint32_t at = 0; at < bytes; ++at) buffer[at] = byte_of(given[queue], queue, at);
  nic_send_buffer((NicQueue)queue, nic_node(), bytes);
  ++given[queue];
  return true;
}

// Only its contents show the queue of a frame: frames of one queue arrive in order.
static bool is_next_of(const NicFrame* frame, unsigned queue) {
  const uint64_t number = taken[queue];
  if (number == given[queue] || frame->bytes != length_of(number)) return false;
  for (uint32_t at = 0; at < frame->bytes; ++at)
    if (frame->data[at] != byte_of(number, queue, at)) return false;
  return true;
}

static void take(const NicFrame* frame) {
  expect(frame->source == nic_node(), "the source of a frame");
  for (unsigned queue = 0; queue < queues; ++queue)
    if (is_next_of(frame, queue)) {
      ++taken[queue];
      return;
    }
  expect(false, "the bytes of a frame");
}

static void exchange(void) {
  while (taken[0] + taken[1] < queues * options.frames && failures == 0) {
    nic_begin_poll();
    bool moved = false;
    while (give(0) || give(1)) moved = true;
    NicFrame frame;
    if (nic_receive(&frame)) {
      take(&frame);
      nic_release();
      moved = true;
    }
    if (!moved) nic_sleep();
  }
  printf("nic_loopback: %llu and %llu frames of %llu arrived\n", (Printable)taken[0], (Printable)taken[1],
         (Printable)options.frames);
}

static NicError error_of(uint32_t node, const void* data, uint32_t bytes) {
  if (!nic_open(entries, entries)) return nic_ok;
  nic_begin_poll();
  nic_send(nic_application, node, data, bytes);
  nic_sleep();
  return nic_error();
}

static void make_mistakes(void) {
  static const uint8_t data[16];
  expect(error_of(nic_node(), data, 0) == nic_bad_descriptor, "no bytes are refused");
  expect(error_of(nic_node(), data, nic_frame_limit + 1) == nic_bad_descriptor, "too many bytes are refused");
  expect(error_of(nic_nodes(), data, sizeof data) == nic_bad_descriptor,
         "a node that is not there is refused");
  expect(error_of(nic_node(), (const void*)8, sizeof data) == nic_no_memory, "what is no memory is refused");
  Device device;
  if (!device_tree_find("asterism,nic", &device)) return;
  mmio_write(device.base + NIC_SEND0_HEAD, entries);
  expect((mmio_read(device.base + NIC_STATUS) & NIC_STATUS_SEND0_STOPPED_MASK) != 0,
         "a stopped ring stays so");
  for (uint32_t offset = 0; offset <= NIC_STATUS; offset += 4) mmio_write(device.base + offset, 0xffffffffu);
  expect(mmio_read(device.base + NIC_ID) == 0x4e494300u, "ID is read only");
  expect(nic_error() == nic_bad_ring, "rings of noise are refused");
}

static void go_on(void) {
  if (!nic_open(entries, entries)) return expect(false, "the rings open again");
  expect(nic_error() == nic_ok, "an error is gone when the rings are opened");
  static const uint8_t data[16] = {42};
  nic_send(nic_checkpoint, nic_node(), data, sizeof data);
  NicFrame frame;
  for (;;) {
    nic_begin_poll();
    if (nic_receive(&frame)) break;
    nic_sleep();
  }
  expect(frame.bytes == sizeof data && frame.data[0] == 42, "a frame after all that");
  expect(nic_sent(nic_checkpoint) == nic_given(nic_checkpoint), "it has been sent");
  nic_release();
}

int main(int argc, char** argv) {
  const Argument table[] = {{"frames", argument_number, &options.frames, 1, 100000, "frames in each queue"}};
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  if (!nic_probe()) {
    printf("nic_loopback: this machine has no NIC\n");
    return exit_unavailable;
  }
  if (!nic_open(entries, entries)) {
    printf("nic_loopback: the rings do not fit into the memory of this machine\n");
    return exit_unavailable;
  }
  expect(!nic_open(3, entries), "rings of three entries are refused");
  printf("nic_loopback: node %u of %u, epoch %u\n", (unsigned)nic_node(), (unsigned)nic_nodes(),
         (unsigned)nic_epoch());
  exchange();
  make_mistakes();
  go_on();
  printf("nic_loopback: %u failures\n", failures);
  return failures == 0 ? exit_passed : exit_failed;
}
