#include "platform/report/run_page.h"

#include <algorithm>

#include "platform/instruments/page_map_file.h"
#include "platform/report/page.h"
#include "platform/report/run_story.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

Json data_of(const RunOnPage& run) {
  const RunFolder& folder = run.folder;
  Json events = Json::array();
  for (const RecordedEvent& event : folder.events) {
    Json line{{"time_ps", event.at.count()}, {"source", event.source}, {"kind", event.kind}};
    line.update(event.details);
    events.push_back(std::move(line));
  }
  Json data{{"name", run.name},
            {"story", run_story(folder, run.record_end)},
            {"end", std::max(folder.last_known_time(), run.record_end.value_or(0_ps)).count()},
            {"scenario", folder.scenario},
            {"changed", run.changed},
            {"stats", folder.stats},
            {"events", std::move(events)},
            {"logs", Json::object()},
            {"profile", folder.text_of("profile.folded")},
            {"graph", run.graph}};
  for (const std::string& name : folder.files_below(""))
    if (name.ends_with(".log") && name.find('/') == std::string::npos)
      if (std::string text = folder.text_of(name); !text.empty())
        data["logs"][name.substr(0, name.size() - 4)] = std::move(text);
  data["record_problem"] = run.record_problem;
  if (const std::string record = folder.text_of("traces/record.bin");
      !record.empty() && run.record_problem.empty())
    data["record_base64"] = base64(record);
  if (const std::string pages = folder.text_of(page_map_name); !pages.empty())
    data["pages_base64"] = base64(pages);
  return data;
}

}  // namespace

std::string run_page(std::vector<RunOnPage> runs) {
  if (runs.size() == 2 && runs[0].name == runs[1].name)
    for (RunOnPage& run : runs) run.name = run.folder.path.string();
  if (runs.size() == 2 && runs[0].name == runs[1].name) runs[1].name += " again";
  Json data{{"title", runs.size() == 1 ? runs[0].name : runs[0].name + " and " + runs[1].name},
            {"runs", Json::array()}};
  for (const RunOnPage& run : runs) data["runs"].push_back(data_of(run));
  return page_with(data["title"], data);
}

}  // namespace asterism
