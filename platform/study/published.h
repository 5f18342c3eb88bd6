// The published values of a paper, which are compared with the models: a file of configs/published.
//
// Each number and each ordering has an expression over named studies, and a class, which says what an
// agreement proves about the models:
//
//   exact           a model computes it, and nothing was fitted: to the last published digit
//   predicted       a model computes it, which was not given it: within `tolerance`
//   calibrated      the parameters named by `fit` were fitted to it and to the others of that fit: within
//                   `tolerance`. A predicted value may name a fit, from which it was held out
//   arithmetic      follows from constants of the paper itself, without a model: to the last published digit
//   input           was given to the model, and is read back: to the last published digit
//   convention      follows from a way of counting that was chosen because the table then comes out: within
//                   `tolerance`, if there is one, otherwise to the last published digit
//   second_opinion  of another model than the paper's: the difference is between `band_low` and `band_high`
//   known_mismatch  the model is known to differ, `cause` says whose that is, and `note` why: the difference
//                   is between `band_low` and `band_high`
//
// A tolerance is written down before the comparison. `tolerance_from` says what it follows from.
//
// Expressions (expression.h): "latency_ns(mesh)", "power_w(superstarx) / power_w(mesh)". A claim is a chain
// of them: "latency_ns(fbfly) < latency_ns(superstar) < latency_ns(mesh)".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "platform/config/config_library.h"
#include "platform/config/templates.h"

namespace asterism {

class Fields;

enum class PublishedClass {
  exact,
  predicted,
  calibrated,
  arithmetic,
  input,
  convention,
  second_opinion,
  known_mismatch
};
constexpr auto enum_names(PublishedClass) {
  using enum PublishedClass;
  return std::to_array<EnumName<PublishedClass>>(
      {{exact, "exact", "a model computes the value, and nothing was fitted"},
       {predicted, "predicted", "a model computes the value, which was not used for it"},
       {calibrated, "calibrated", "parameters were fitted to the value and others"},
       {arithmetic, "arithmetic", "the value follows from the paper's own constants, without a model"},
       {input, "input", "the model was given the value, which is read back"},
       {convention, "convention", "a way of counting was chosen because the table then comes out"},
       {second_opinion, "second_opinion", "the value of another model than the paper's"},
       {known_mismatch, "known_mismatch", "the model is known to differ"}});
}

// Whose a known mismatch is.
enum class MismatchCause { paper, ours, workload };
constexpr auto enum_names(MismatchCause) {
  using enum MismatchCause;
  return std::to_array<EnumName<MismatchCause>>(
      {{paper, "paper", "the paper contradicts itself, or says too little"},
       {ours, "ours", "the model leaves out or simplifies what decides"},
       {workload, "workload", "the programs or rates that decide are not stated, and were assumed"}});
}

// What a tolerance follows from.
enum class ToleranceSource { digits, figure, spread, wider };
constexpr auto enum_names(ToleranceSource) {
  using enum ToleranceSource;
  return std::to_array<EnumName<ToleranceSource>>(
      {{digits, "digits", "the digits that are printed"},
       {figure, "figure", "the value was read in a figure, or is stated as about"},
       {spread, "spread", "the spread of what the value is an average or an instance of"},
       {wider, "wider", "the model is coarser than the publication; the note says why"}});
}

// A band has the limits of the difference as a share of the published value, or of the measured value itself
// if that is 0. Of an ordering: of the largest step by which a part exceeds the next one, as a share of that.
constexpr bool has_band(PublishedClass of_class) {
  return of_class == PublishedClass::second_opinion || of_class == PublishedClass::known_mismatch;
}

struct PublishedValue {
  std::string what;
  double published = 0;
  std::string unit;
  std::string measured;  // expression
  PublishedClass of_class = PublishedClass::predicted;
  double tolerance = 0;
  ToleranceSource tolerance_from = ToleranceSource::digits;
  std::string fit;  // one of PublishedPaper::fits
  MismatchCause cause = MismatchCause::ours;
  double band_low = 0, band_high = 0;
  std::string source;
  std::string note;
};
void describe(Fields& f, PublishedValue& value);

struct PublishedClaim {
  std::string what;
  std::string holds;  // expression < expression < ...
  PublishedClass of_class = PublishedClass::predicted;
  std::string fit;
  MismatchCause cause = MismatchCause::ours;
  double band_low = 0, band_high = 0;
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
  std::map<std::string, std::string> fits;     // by name: the parameters that were fitted
  std::vector<PublishedEntry> entries;
};
void describe(Fields& f, PublishedPaper& paper);

// The file of a paper with its templates (templates.h) expanded, for read_config<PublishedPaper>(). Throws
// ConfigError when a template is wrong.
ConfigDocument load_published_document(const ConfigLibrary& library, const std::string& paper);
PublishedPaper load_published(const ConfigLibrary& library, const std::string& paper);

}  // namespace asterism
