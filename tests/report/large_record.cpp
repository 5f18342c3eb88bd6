// Writes the record of a run with a million intervals, for the test of pages that show one.
//   asterism_large_record FILE
#include <array>
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
    writer.interval(tracks[i % cores], begin, end, names[random.below(names.size())]);
    begin = end + Picoseconds(random.below(100'000));
  }
  writer.finish();
}
