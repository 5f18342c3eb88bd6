// Fuzzes the trace reader. A conversion to either form and back must not change any trace that it accepts.
// The corpus is in tests/fuzz/trace.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "fabric/traffic/trace.h"

using namespace asterism;

namespace {

std::vector<TraceRecord> records(const std::string& text) {
  std::istringstream in(text);
  TraceReader reader(in, "fuzz");
  std::vector<TraceRecord> records;
  while (const auto record = reader.next()) records.push_back(*record);
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<TraceRecord> read = records(std::string(data, data + size));
    for (const TraceForm form : {TraceForm::text, TraceForm::binary}) {
      std::ostringstream out;
      TraceWriter writer(out, form);
      for (const TraceRecord& record : read) writer.write(record);
      if (records(out.str()) != read) std::abort();
    }
  } catch (const TraceError&) {
  }
  return 0;
}
