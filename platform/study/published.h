// What a paper says, to be compared with what the models do: a file of configs/published.
//
// A number of the paper stands beside an expression over named studies; how far apart they may be depends on
// the class of the value:
//
//   exact           follows from the definition; agrees to the last published digit, or half a per cent
//   predicted       the model was not told: within `tolerance`
//   calibrated      a parameter was fitted to this value (or to ones that imply it): within `tolerance`
//   known_mismatch  the model is known to differ, and `note` says why; shown, not asserted
//
// Expressions (expression.h): "latency_ns(mesh)", "power_w(superstarx) / power_w(mesh)". A claim is a chain
// of them: "latency_ns(fbfly) < latency_ns(superstar) < latency_ns(mesh)".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "platform/config/config_library.h"
#include "platform/config/templates.h"

namespace asterism {

class Fields;

enum class PublishedClass { exact, predicted, calibrated, known_mismatch };
constexpr auto enum_names(PublishedClass) {
  return std::to_array<EnumName<PublishedClass>>(
      {{PublishedClass::exact, "exact", "follows from the definition"},
       {PublishedClass::predicted, "predicted", "the model was not told"},
       {PublishedClass::calibrated, "calibrated", "a parameter was fitted to it"},
       {PublishedClass::known_mismatch, "known_mismatch", "the model is known to differ: not asserted"}});
}

struct PublishedValue {
  std::string what;
  double published = 0;
  std::string unit;
  std::string measured;  // expression
  PublishedClass of_class = PublishedClass::predicted;
  double tolerance = 0;
  std::string source;
  std::string note;
};
void describe(Fields& f, PublishedValue& value);

struct PublishedClaim {
  std::string what;
  std::string holds;  // expression < expression < ...
  PublishedClass of_class = PublishedClass::predicted;
  std::string source;
  std::string note;
};
void describe(Fields& f, PublishedClaim& claim);

struct PublishedSeries {
  std::string label;
  std::string study;
  std::string group;  // of bars: those of one group stand side by side, labels are the legend
};
void describe(Fields& f, PublishedSeries& series);

struct PublishedPanel {
  std::string title;
  std::string x;  // column or key; none: bars, one for each series
  std::string y;
  std::string x_label, y_label;
  std::vector<PublishedSeries> series;
};
void describe(Fields& f, PublishedPanel& panel);

struct PublishedEntry {
  std::string id;  // "fig3.11"
  std::string title;
  std::vector<PublishedValue> values;
  std::vector<PublishedClaim> claims;
  std::vector<PublishedPanel> panels;
  std::string note;
};
void describe(Fields& f, PublishedEntry& entry);

struct PublishedPaper {
  std::string reference;
  std::map<std::string, TemplateTable> tables;
  std::map<std::string, std::string> studies;  // by name: as `asterism study` takes them
  std::vector<PublishedEntry> entries;
};
void describe(Fields& f, PublishedPaper& paper);

// The file of a paper with its templates (templates.h) expanded, for read_config<PublishedPaper>(). Throws
// ConfigError when a template is wrong.
ConfigDocument load_published_document(const ConfigLibrary& library, const std::string& paper);
PublishedPaper load_published(const ConfigLibrary& library, const std::string& paper);

}  // namespace asterism
