#include "platform/study/published.h"

#include "base/fields.h"
#include "platform/config/config.h"

namespace asterism {

static_assert(member_count<PublishedValue>() == 8);
void describe(Fields& f, PublishedValue& v) {
  f("what", v.what, "What the number is, as it stands in the report", required());
  f("published", v.published, "The number", required());
  f("unit", v.unit, "Its unit; none for a ratio or a count");
  f("measured", v.measured, "An expression over the studies", required());
  f("class", v.of_class, "How the model came to it", required());
  f.when("class", v.of_class, {PublishedClass::predicted, PublishedClass::calibrated}, [&] {
    f("tolerance", v.tolerance, "Share of the published value that the measured one may be away",
      within(0.0, 1.0), required());
  });
  f("stated_in", v.source, "Where the paper says so: section, table, figure", required());
  f("note", v.note, "What a reader of the report should know");
  f.check([&] { return v.of_class != PublishedClass::known_mismatch || !v.note.empty(); }, "note",
          "says why the model differs");
}

static_assert(member_count<PublishedClaim>() == 5);
void describe(Fields& f, PublishedClaim& c) {
  f("what", c.what, "What the paper claims, as it stands in the report", required());
  f("holds", c.holds, "Two or more expressions with < between them", required());
  f("class", c.of_class, "How the model came to it");
  f("stated_in", c.source, "Where the paper says so: section, table, figure", required());
  f("note", c.note, "What a reader of the report should know");
  f.check([&] { return c.of_class != PublishedClass::known_mismatch || !c.note.empty(); }, "note",
          "says why the model differs");
}

static_assert(member_count<PublishedSeries>() == 3);
void describe(Fields& f, PublishedSeries& s) {
  f("label", s.label, "Its name in the figure", required());
  f("study", s.study, "One of the studies", required());
  f("group", s.group, "Of bars: those of one group stand side by side, and their labels are the legend");
}

static_assert(member_count<PublishedPanel>() == 6);
void describe(Fields& f, PublishedPanel& p) {
  f("title", p.title, "What stands over it", required());
  f("x", p.x, "Column or key of the studies; without it a bar for each point of each study");
  f("y", p.y, "Column of the studies", required());
  f("x_label", p.x_label, "With its unit");
  f("y_label", p.y_label, "With its unit", required());
  f("series", p.series, "A curve, or a bar, for each");
}

static_assert(member_count<PublishedEntry>() == 6);
void describe(Fields& f, PublishedEntry& e) {
  f("id", e.id, "Behind the paper's name and a point: fig3.11, table3.2", required());
  f("title", e.title, "The caption", required());
  f("values", e.values, "Published numbers");
  f("claims", e.claims, "Published orderings and bounds");
  f("panels", e.panels, "The figure, as far as the studies go");
  f("note", e.note, "What holds for all of it");
}

static_assert(member_count<PublishedPaper>() == 4);
void describe(Fields& f, PublishedPaper& p) {
  f("reference", p.reference, "Author, title, place, year, chapter", required());
  f("tables", p.tables, "Tables that several templates need, by name.");
  f("studies", p.studies, "By name: a study and its overrides, as behind `asterism study`", required());
  f("entries", p.entries, "Tables and figures, in the order of the paper", required());
}

ConfigDocument load_published_document(const ConfigLibrary& library, const std::string& paper) {
  ConfigDocument document = ConfigDocument::load(library.locate("published", paper));
  Diagnostics problems;
  for (const char* key : {"studies", "entries"}) expand_templates(document, key, problems);
  problems.throw_if_any();
  return document;
}

PublishedPaper load_published(const ConfigLibrary& library, const std::string& paper) {
  ConfigDocument document = load_published_document(library, paper);
  return read_config<PublishedPaper>(document, library);
}

}  // namespace asterism
