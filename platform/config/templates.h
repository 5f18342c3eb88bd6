// Templates: an element of a list, or an entry of an object, from which several are made.
//
//   "values": [ { "class": "exact", "stated_in": "Table 3.2",
//                 "columns": ["topology", "published"],
//                 "rows": [["mesh", 576], ["fbfly", 16]],
//                 "what": "{topology}, routers", "measured": "local_routers({topology}_table)" } ]
//   "studies": { "{program}_{method}": {
//                  "for": { "program": ["lbm", "mcf"], "method": ["none", "early_late"] },
//                  "value": "dimm_ssd workload={program} method={method}" } }
//
// The first example makes two values, the second one four studies. An element is made for each row, combined
// with each value of each list in "for"; the last list changes fastest. In every text of the element, and in
// the name of an entry, {column} is replaced by the value of that column. A text that consists of one
// {column} takes the value with its type: 576 remains a number. A column of "rows" that no text names becomes
// a key of the element, as "published" above. A null leaves its key out.
//
// A table that several templates need has a name in "tables" of the file. "tables": ["programs", "methods"]
// in a template combines each row of the first one with each row of the second one. In an object whose
// entries are no objects, such as "studies", the key "value" holds the entry.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/scalar_codec.h"
#include "platform/config/config_document.h"
#include "platform/config/diagnostics.h"

namespace asterism {

class Fields;

// A scalar of any type.
template <>
struct ScalarCodec<PlainValue> {
  static PlainValue decode(const PlainValue& plain) { return plain; }
  static PlainValue encode(const PlainValue& value) { return value; }
  static ScalarType type() { return {.noun = "a text, a number, true or false"}; }
};

using TemplateRow = std::vector<std::optional<PlainValue>>;

struct TemplateTable {
  std::vector<std::string> columns;
  std::vector<TemplateRow> rows;
};
void describe(Fields& f, TemplateTable& table);

// The keys that make an element a template.
struct TemplateKeys {
  std::map<std::string, std::vector<PlainValue>> each;
  std::vector<std::string> tables;
  std::vector<std::string> columns;
  std::vector<TemplateRow> rows;
};
void describe(Fields& f, TemplateKeys& keys);

// Replaces all templates under the key `key` of the document by the elements that are made from them. An
// error in a template is added to `problems`, and the template is dropped. The place of an element in the
// file is its row, or the template if it has no row of its own; its path counts the elements that were made.
void expand_templates(ConfigDocument& document, const std::string& key, Diagnostics& problems);

}  // namespace asterism
