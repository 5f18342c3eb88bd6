// A record of a run as a trace for Perfetto (ui.perfetto.dev): TrackEvent messages in protobuf.
//
// Each track of the record is one of Perfetto; intervals of a track that overlap are on several tracks of the
// same name, which Perfetto shows as one. Perfetto's times are nanoseconds: those of the record are rounded
// down, and the details `begin_ps` and `end_ps` of an entry have the exact ones where they differ. Flows keep
// their numbers.
//
// Source: protos/perfetto/trace of the Perfetto project: trace_packet.proto, track_event/track_event.proto,
// track_event/track_descriptor.proto; "Writing TrackEvent protos synthetically" in its documentation.
#pragma once

#include <string>

#include "platform/instruments/run_record.h"

namespace asterism {

// Perfetto shows the name of the run above all tracks.
std::string to_perfetto(const RunRecord& record);

}  // namespace asterism
