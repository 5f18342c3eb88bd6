#include "platform/study/published.h"

#include "base/fields.h"
#include "platform/config/config.h"
#include "platform/host/config_kinds.h"

namespace asterism {

namespace {

using enum PublishedClass;

// The keys that values and claims share.
template <class Published>
void describe_class(Fields& f, Published& p) {
  f.when("class", p.of_class, {calibrated, predicted}, [&] {
    f("fit", p.fit,
      "The name of the fit that the value belongs to; of a predicted one, that it was held out of.");
  });
  f.when("class", p.of_class, known_mismatch,
         [&] { f("cause", p.cause, "Whose the mismatch is.", required()); });
  f.when("class", p.of_class, {second_opinion, known_mismatch}, [&] {
    f("band_low", p.band_low,
      "The least difference that is expected, as a share of the published value: -0.4 for 40% too little.",
      required());
    f("band_high", p.band_high, "The largest one. Beyond either the value is off.", required());
    f.check([&] { return p.band_low <= p.band_high; }, "band_high", "is at least band_low");
  });
  f("stated_in", p.source, "Where the paper states it: section, table, figure.", required());
  f("note", p.note, "What a reader of the report should know.");
  f.check([&] { return p.of_class != known_mismatch || !p.note.empty(); }, "note",
          "says why the model differs");
  f.check([&] { return p.of_class != calibrated || !p.fit.empty(); }, "fit", "names what was fitted");
}

}  // namespace

static_assert(member_count<PublishedValue>() == 13);
void describe(Fields& f, PublishedValue& v) {
  f("what", v.what, "The name of the number in the report.", required());
  f("published", v.published, "The published number.", required());
  f("unit", v.unit, "The unit of the number; none for a ratio or a count.");
  f("measured", v.measured, "The expression over the studies that measures it.", required());
  f("class", v.of_class, "What an agreement proves.", required());
  f.when("class", v.of_class, {predicted, calibrated, arithmetic, input, convention}, [&] {
    f("tolerance", v.tolerance,
      "The share of the published value by which the measured one may differ; 0: to the last digit.",
      within(0.0, 0.2));
    f("tolerance_from", v.tolerance_from, "What the tolerance follows from.");
  });
  describe_class(f, v);
  f.check([&] { return v.tolerance_from != ToleranceSource::wider || !v.note.empty(); }, "note",
          "says why the tolerance is wider than the publication's digits");
}

static_assert(member_count<PublishedClaim>() == 9);
void describe(Fields& f, PublishedClaim& c) {
  f("what", c.what, "The claim of the paper, in the words of the report.", required());
  f("holds", c.holds, "Two or more expressions with < between them.", required());
  f("class", c.of_class, "What it proves if the ordering holds.");
  describe_class(f, c);
}

static_assert(member_count<PublishedSeries>() == 3);
void describe(Fields& f, PublishedSeries& s) {
  f("label", s.label, "The name of the series in the figure.", required());
  f("study", s.study, "The name of one of the studies.", required());
  f("group", s.group,
    "The group of bars. The bars of one group are side by side, and their labels are the legend.");
}

static_assert(member_count<PublishedPanel>() == 6);
void describe(Fields& f, PublishedPanel& p) {
  f("title", p.title, "The title of the panel.", required());
  f("x", p.x,
    "The column or key of the studies on the x axis. Without it, there is a bar for each point of each "
    "study.");
  f("y", p.y, "The column of the studies on the y axis.", required());
  f("x_label", p.x_label, "The label of the axis, with its unit.");
  f("y_label", p.y_label, "The label of the axis, with its unit.", required());
  f("series", p.series, "The series. Each is one curve or one bar.");
}

static_assert(member_count<PublishedEntry>() == 6);
void describe(Fields& f, PublishedEntry& e) {
  f("id", e.id, "The part of the entry's name after that of the paper and a point: fig3.11, table3.2.",
    required());
  f("title", e.title, "The caption of the table or figure.", required());
  f("values", e.values, "The published numbers.");
  f("claims", e.claims, "The published orderings and bounds.");
  f("panels", e.panels, "The panels of the figure, as far as the studies have them.");
  f("note", e.note, "A note on the whole entry.");
}

static_assert(member_count<PublishedPaper>() == 5);
void describe(Fields& f, PublishedPaper& p) {
  f("reference", p.reference, "Author, title, place, year and chapter of the paper.", required());
  f("tables", p.tables, "Tables that several templates need, by name.");
  f("studies", p.studies,
    "The studies by name: each is a study and its overrides, as after `asterism study`.", required());
  f("fits", p.fits, "The parameters that were fitted to published values, by the name of the fit.");
  f("entries", p.entries, "The tables and figures, in the order of the paper.", required());
}

namespace {

void expand_published(ConfigDocument& document) {
  Diagnostics problems;
  for (const char* key : {"studies", "entries"}) expand_templates(document, key, problems);
  problems.throw_if_any();
}

// `asterism paper` makes the remaining checks: those of the studies and columns that the entries refer to.
std::string expand_paper(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  expand_published(document);
  return expanded(read_config<PublishedPaper>(document, installed.configs));
}
const RegisteredConfigKind published_files{
    described_kind<PublishedPaper>("published", "published", "Asterism published values", {"entries"},
                                   {.check = expand_paper, .check_keys = expand_paper})};

}  // namespace

ConfigDocument load_published_document(const ConfigLibrary& library, const std::string& paper) {
  ConfigDocument document = ConfigDocument::load(library.locate("published", paper));
  expand_published(document);
  return document;
}

PublishedPaper load_published(const ConfigLibrary& library, const std::string& paper) {
  ConfigDocument document = load_published_document(library, paper);
  return read_config<PublishedPaper>(document, library);
}

}  // namespace asterism
