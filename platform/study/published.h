// The published values of a paper, which are compared with the models: a file of configs/published.
//
// Each number of the paper has an expression over named studies. How far apart the two may be depends on the
// class of the value:
//
//   exact           follows from the definition; agrees to the last published digit, or half a per cent
//   predicted       the value was not used for the model: within `tolerance`
//   calibrated      a parameter was fitted to this value (or to ones that imply it): within `tolerance`
//   known_mismatch  the model is known to differ, and `note` says why: within `band`, if there is one
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
      {{PublishedClass::exact, "exact", "the value follows from the definition"},
       {PublishedClass::predicted, "predicted", "the value was not used for the model"},
       {PublishedClass::calibrated, "calibrated", "a parameter was fitted to the value"},
       {PublishedClass::known_mismatch, "known_mismatch",
        "the model is known to differ: asserted only with a band"}});
}

// Limits of the difference as a share of the published value, or of the measured value itself if that is 0.
struct DifferenceBand {
  double low = 0, high = 0;
};
void describe(Fields& f, DifferenceBand& band);

struct PublishedValue {
  std::string what;
  double published = 0;
  std::string unit;
  std::string measured;  // expression
  PublishedClass of_class = PublishedClass::predicted;
  double tolerance = 0;
  std::optional<DifferenceBand> band = {};
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
  std::string group;  // in bars: those of one group are side by side, and their labels are the legend
};
void describe(Fields& f, PublishedSeries& series);

struct PublishedPanel {
  std::string title;
  std::string x;  // a column or a key; none: bars, one for each series
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
  std::map<std::string, std::string> studies;  // by name: the arguments of `asterism study`
  std::vector<PublishedEntry> entries;
};
void describe(Fields& f, PublishedPaper& paper);

// The file of a paper with its templates (templates.h) expanded, for read_config<PublishedPaper>(). Throws
// ConfigError when a template is wrong.
ConfigDocument load_published_document(const ConfigLibrary& library, const std::string& paper);
PublishedPaper load_published(const ConfigLibrary& library, const std::string& paper);

}  // namespace asterism
