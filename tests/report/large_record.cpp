// Writes the record of a run with a million intervals and a hundred thousand instants and flows, for the test
// of pages that show one.
//   asterism_large_record FILE
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "platform/instruments/run_record.h"

int main(int /*argc*/, char** argv) {
  using namespace asterism;
  constexpr std::array names = {"running", "waiting", "blocked"};
  constexpr unsigned cores = 8, intervals = 1'000'000;
  RunRecordWriter writer(argv[1], "large");
  const auto node = writer.add_track("node", TrackKind::activity);
  std::vector<RunRecordWriter::Track> tracks;
  tracks.reserve(cores);
  for (unsigned i = 0; i < cores; ++i)
    tracks.push_back(writer.add_track("core" + std::to_string(i), TrackKind::activity, node));
  Random random(1);
  std::array<Picoseconds, cores> at{};
  for (unsigned i = 0; i < intervals; ++i) {
    Picoseconds& begin = at[i % cores];
    const Picoseconds end = begin + Picoseconds(1000 + random.below(1'000'000));
    // Of each ten intervals of a core, a flow of an instant and the first two.
    const std::array<std::uint64_t, 1> flow = {i / (10 * cores) * cores + i % cores + 1};
    const unsigned place = i % (10 * cores) / cores;
    if (place == 0) writer.instant(tracks[i % cores], begin, "store", {}, flow);
    writer.interval(tracks[i % cores], begin, end, names[random.below(names.size())], {},
                    std::span(flow).first(place < 2 ? 1 : 0));
    begin = end + Picoseconds(random.below(100'000));
  }
  writer.finish();
}
