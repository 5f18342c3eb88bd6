#include "cxl/cxl_part.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<CxlPart>() == 6);
void describe(Fields& f, CxlPart& p) {
  f.sourced();
  f("lanes", p.lanes, "The lanes of the link. More of them shorten and widen every transfer.",
    one_of({1, 2, 4, 8, 16}), required());
  f("lane", p.lane,
    "The bandwidth of a lane in each direction, headers of flits included: 4 GB/s at 32 GT/s.",
    within(Bandwidth(100'000'000), 64_GBps), required());
  f("flit", p.flit, "The unit of the link. Of the larger one, more is overhead, and it is waited for longer.",
    one_of<CxlFlit>(), required());
  f("port_latency", p.port_latency,
    "The time from the host's coherence agent through both ports to the device's controller, and as much "
    "back. It adds twice to every load.",
    within(0_ns, 10_us), required());
  f("controller_latency", p.controller_latency,
    "The time that the device's controller takes for a request, and again for its response. It adds twice to "
    "every load, and holds a place of the queue.",
    within(0_ns, 10_us), required());
  f("queue", p.queue,
    "The number of requests that the device holds. Further ones wait at the host for a credit, which bounds "
    "the bandwidth.",
    within(1, 4096), required());
}
const RegisteredFileKind<CxlPart> cxl_files{
    "cxl", "cxl", "Asterism CXL device", {"lanes", "controller_latency"}};

}  // namespace asterism
