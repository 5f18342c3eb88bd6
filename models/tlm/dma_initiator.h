// The port through which a device accesses the node's memory by itself (DMA).
//
// A channel makes its accesses one after the other, in a thread of its own, so that a target may delay them:
// by an annotated delay, in the queues of a memory controller, or until a page may be written
// (tlm/memory_writes.h). The accesses of different channels take place side by side. A transaction does not
// cross a page of 4 KiB. An access outside of the memory, or one that any transaction of fails or returns
// poisoned data, ends with AccessEnd::ok false; what comes after that transaction does not take place.
//
// The engine of the device runs in its own process (tlm/alarm.h): OnAccessEnd only notes the end, and
// `after_access` re-arms the alarm.
//
// The master id is given by whoever connects the socket: identify().
//
// reset: every kind drops the accesses that wait, and the one under way ends without a call. What it has not
// written is not written.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/activity_log.h"
#include "base/memory_port.h"
#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class DmaInitiator : public tlm_utils::simple_initiator_socket<DmaInitiator> {
 public:
  // `memory` is the range of the memory in the address map; the socket's addresses are offsets from its first
  // one. For elaboration.
  DmaInitiator(const char* name, AddressRange memory, unsigned channels = 1);
  ~DmaInitiator() override;

  // The master id of all accesses (InitiatorExtension::master).
  void identify(unsigned master);
  // The device lies on the dies of the memory (InitiatorExtension::on_die).
  void set_on_die();

  // The run is recorded: the accesses of a channel are intervals `read` and `write` of this part of the
  // device, such as "dma".
  void record_in(ActivityLog& activity, unsigned channel, std::string_view part);

  MemoryPort& channel(unsigned index = 0);
  // An access to several places, none of which crosses a page. The data are packed.
  void read(unsigned channel, std::vector<AddressRange> places, OnAccessEnd ended);
  void write(unsigned channel, std::vector<AddressRange> places, std::span<const std::byte> data,
             OnAccessEnd ended);
  // Called after each OnAccessEnd.
  std::function<void()> after_access = [] {};

  // Reads without time or side effects. False: there is no such memory.
  bool peek(Address first, std::span<std::byte> data);

  void reset(Reset kind);

 private:
  class Channel;
  const AddressRange memory_;
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace asterism
