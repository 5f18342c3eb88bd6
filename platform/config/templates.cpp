#include "platform/config/templates.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/fields.h"
#include "platform/config/config_reader.h"
#include "platform/config/nearest_name.h"

namespace asterism {

static_assert(member_count<TemplateTable>() == 2);
void describe(Fields& f, TemplateTable& t) {
  f("columns", t.columns, "The names of the columns. A text names one of them in braces.", required());
  f("rows", t.rows, "The rows. Each has one value for each column; null stands for no value.", required());
}

static_assert(member_count<TemplateKeys>() == 4);
void describe(Fields& f, TemplateKeys& k) {
  f("for", k.each, "Lists of values by name. One element is made for each combination of their values.");
  f("tables", k.tables,
    "The names of tables of the file. One element is made for each combination of their rows.");
  f("columns", k.columns, "The names of the columns of \"rows\".");
  f("rows", k.rows, "The rows of a table of the element's own. One element is made for each of them.");
  f.check([&] { return k.columns.empty() == k.rows.empty(); }, "rows", "comes with \"columns\"");
}

namespace {

constexpr std::array<std::string_view, 4> template_keys = {"for", "tables", "columns", "rows"};
constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool is_template(const ConfigValue& value) {
  return value.object() && (value.find("for") || value.find("tables") || value.find("rows"));
}

struct Cell {
  std::string column;
  const ConfigValue* value;
  // The cell is from the element's own rows: it becomes a key of the element unless a text names its column,
  // and it gives the element's place in the file.
  bool is_of_row;
};
using Cells = std::vector<Cell>;  // the cells from which one element is made

const std::string& text_of(const ConfigValue& text) { return std::get<std::string>(*text.scalar()); }

// A text is split into names of columns and the pieces between them.
struct Piece {
  std::string_view text;
  bool is_column;
};

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
      pieces.push_back({text, false});
      break;
    }
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const bool is_name = !name.empty() && name.find_first_not_of(name_letters) == std::string_view::npos;
    const std::size_t end = is_name ? open : close + 1;
    if (end > 0) pieces.push_back({text.substr(0, end), false});
    if (is_name) pieces.push_back({name, true});
    text.remove_prefix(close + 1);
  }
  return pieces;
}

class Expansion {
 public:
  Expansion(const ConfigValue* tables, Diagnostics& problems) : tables_(tables), problems_(problems) {}

  void expand(ConfigValue& value, const std::string& path) {
    if (ConfigValue::List* list = value.list()) {
      ConfigValue::List expanded;
      for (std::size_t i = 0; i < list->size(); ++i)
        for (ConfigMember& made :
             elements_of({"", {}, std::move((*list)[i])}, join_path(path, std::to_string(i))))
          expanded.push_back(std::move(made.value));
      *list = std::move(expanded);
      for (std::size_t i = 0; i < list->size(); ++i) expand((*list)[i], join_path(path, std::to_string(i)));
    }
    if (ConfigValue::Object* object = value.object()) {
      ConfigValue::Object expanded;
      std::set<std::string> names;
      for (ConfigMember& member : *object)
        for (ConfigMember& made : elements_of(member, join_path(path, member.key))) {
          if (!names.insert(made.key).second)
            refuse(made.key_origin, join_path(path, made.key), "a template gives this key a second time");
          expanded.push_back(std::move(made));
        }
      *object = std::move(expanded);
      for (ConfigMember& member : *object) expand(member.value, join_path(path, member.key));
    }
  }

 private:
  // The element that is being made from a template, and the columns that it has used.
  struct Making {
    const std::string& path;
    const Cells& cells;
    std::set<std::string> used = {};
    bool is_good = true;
  };

  void refuse(const Origin& origin, const std::string& path, const std::string& problem,
              const std::string& nearest = "") {
    problems_.add({.origin = origin, .path = path, .problem = problem, .nearest = nearest});
  }

  // The elements that are made from an element; the element itself if it is no template.
  std::vector<ConfigMember> elements_of(ConfigMember element, const std::string& path) {
    std::vector<ConfigMember> made;
    if (!is_template(element.value)) {
      made.push_back(std::move(element));
      return made;
    }
    for (const Cells& cells : combinations(element.value, path))
      if (std::optional<ConfigMember> one = made_of(element, cells, path))
        made.push_back(std::move(*one));
      else
        break;
    return made;
  }

  // Whether the described struct accepts the value; adds an error if it does not.
  template <class Described>
  bool is_sound(const ConfigValue& value, const std::string& path) {
    Described config{};
    ObjectOf<Described> object(config);
    ConfigDocument document;
    document.root() = value;
    Diagnostics found;
    read_object(object, document, nullptr, found);
    for (Diagnostic problem : found.all()) {
      problem.path = problem.path.empty() ? path : join_path(path, problem.path);
      problems_.add(std::move(problem));
    }
    return found.empty();
  }

  // The cells of every element that is made from a template.
  std::vector<Cells> combinations(const ConfigValue& element, const std::string& path) {
    ConfigValue keys{ConfigValue::Object{}, element.origin, "", element.layer};
    for (const std::string_view key : template_keys)
      if (const ConfigMember* given = element.member(key)) keys.object()->push_back(*given);
    if (!is_sound<TemplateKeys>(keys, path)) return {};
    std::vector<Cells> all = {{}};
    if (const ConfigValue* names = element.find("tables"))
      for (const ConfigValue& name : *names->list()) {
        const ConfigValue* table = table_named(name, path);
        if (!table) return {};
        all = crossed(all, rows_of(*table, "tables." + text_of(name), false), path);
      }
    if (element.find("rows")) all = crossed(all, rows_of(element, path, true), path);
    if (const ConfigValue* each = element.find("for"))
      for (const ConfigMember& list : *each->object()) {
        std::vector<Cells> values;
        for (const ConfigValue& value : *list.value.list()) values.push_back({{list.key, &value, false}});
        all = crossed(all, values, path);
      }
    return all;
  }

  const ConfigValue* table_named(const ConfigValue& name, const std::string& path) {
    const std::string& wanted = text_of(name);
    const ConfigValue* table = tables_ ? tables_->find(wanted) : nullptr;
    if (table) return is_sound<TemplateTable>(*table, "tables." + wanted) ? table : nullptr;
    std::vector<std::string> names;
    if (tables_ && tables_->object())
      for (const ConfigMember& known : *tables_->object()) names.push_back(known.key);
    refuse(name.origin, join_path(path, "tables"), "there is no table \"" + wanted + "\" in \"tables\"",
           nearest_name(wanted, names));
    return nullptr;
  }

  // The rows of a valid table. The number of values in each row is checked here.
  std::vector<Cells> rows_of(const ConfigValue& table, const std::string& path, bool are_own) {
    std::vector<std::string> columns;
    for (const ConfigValue& column : *table.find("columns")->list()) columns.push_back(text_of(column));
    std::vector<Cells> all;
    const ConfigValue::List& rows = *table.find("rows")->list();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ConfigValue::List& row = *rows[i].list();
      if (row.size() != columns.size()) {
        refuse(rows[i].origin, join_path(path, "rows." + std::to_string(i)),
               "expected a value for each of the " + std::to_string(columns.size()) + " columns, got " +
                   std::to_string(row.size()));
        continue;
      }
      Cells& cells = all.emplace_back();
      for (std::size_t c = 0; c < row.size(); ++c) cells.push_back({columns[c], &row[c], are_own});
    }
    return all;
  }

  std::vector<Cells> crossed(const std::vector<Cells>& all, const std::vector<Cells>& others,
                             const std::string& path) {
    std::vector<Cells> more;
    for (const Cells& some : all)
      for (const Cells& other : others) {
        Cells& both = more.emplace_back(some);
        for (const Cell& cell : other) {
          if (std::ranges::count(both, cell.column, &Cell::column) > 0) {
            refuse(cell.value->origin, path, "two columns have the name \"" + cell.column + "\"");
            return {};
          }
          both.push_back(cell);
        }
      }
    return more;
  }

  // Makes one element; nullopt after an error, which every other element would repeat.
  std::optional<ConfigMember> made_of(const ConfigMember& element, const Cells& cells,
                                      const std::string& path) {
    Making making{path, cells};
    ConfigMember made = element;
    for (const std::string_view key : template_keys) made.value.erase(key);
    const auto row = std::ranges::find_if(cells, &Cell::is_of_row);
    if (row != cells.end()) made.value.origin = made.key_origin = row->value->origin;
    made.key = filled_text(made.key, element.key_origin, making).value_or("");
    fill(made.value, making, false);
    for (const Cell& cell : cells) {
      if (!cell.is_of_row || making.used.contains(cell.column) || cell.value->is_null()) continue;
      if (made.value.find(cell.column)) {
        refuse(cell.value->origin, join_path(path, cell.column),
               "a column and the template both give this key");
        return std::nullopt;
      }
      made.value.object()->push_back({cell.column, cell.value->origin, *cell.value});
    }
    if (!making.is_good) return std::nullopt;
    if (made.value.object()->size() == 1 && made.value.object()->front().key == "value")
      made.value = ConfigValue(made.value.object()->front().value);
    return made;
  }

  // Replaces the names of columns in all texts of a value. Inside another template, an unknown name is a
  // column of that template.
  void fill(ConfigValue& value, Making& making, bool is_inside_another) {
    if (ConfigValue::List* list = value.list())
      for (ConfigValue& element : *list) fill(element, making, is_inside_another || is_template(element));
    if (ConfigValue::Object* object = value.object()) {
      ConfigValue::Object kept;
      for (ConfigMember& member : *object) {
        const bool is_inside = is_inside_another || is_template(member.value);
        if (is_inside) member.key = filled_text(member.key, member.key_origin, making, true).value_or("");
        const bool was_null = member.value.is_null();
        fill(member.value, making, is_inside);
        if (was_null || !member.value.is_null()) kept.push_back(std::move(member));
      }
      *object = std::move(kept);
    }
    const auto* word = value.scalar() ? std::get_if<std::string>(value.scalar()) : nullptr;
    if (!word) return;
    const std::string text = *word;  // the pieces are views of it, and `value` is replaced below
    const std::vector<Piece> pieces = pieces_of(text);
    if (std::ranges::none_of(pieces, &Piece::is_column)) return;
    const auto cell_of = [&](const Piece& piece) {
      return piece.is_column ? cell_named(piece.text, making) : nullptr;
    };
    const Cell* only = pieces.size() == 1 ? cell_of(pieces[0]) : nullptr;
    if (only) {
      const Origin origin = only->is_of_row ? only->value->origin : value.origin;
      value = ConfigValue(*only->value);
      value.origin = origin;
      return;
    }
    std::optional<std::string> filled = filled_text(text, value.origin, making, is_inside_another);
    if (!filled) return;
    value.raw = *filled;
    value.content = PlainValue(std::move(*filled));
    for (const Piece& piece : pieces)
      if (const Cell* cell = cell_of(piece); cell && cell->is_of_row) value.origin = cell->value->origin;
  }

  static const Cell* cell_named(std::string_view column, Making& making) {
    const auto found = std::ranges::find(making.cells, column, &Cell::column);
    if (found == making.cells.end()) return nullptr;
    making.used.insert(found->column);
    return &*found;
  }

  std::optional<std::string> filled_text(const std::string& text, const Origin& origin, Making& making,
                                         bool is_inside_another = false) {
    std::string filled;
    for (const Piece& piece : pieces_of(text)) {
      const Cell* found = piece.is_column ? cell_named(piece.text, making) : nullptr;
      const ConfigValue* cell = found ? found->value : nullptr;
      if (cell && cell->scalar()) {
        const auto* word = std::get_if<std::string>(cell->scalar());
        filled += word ? *word : cell->raw;
      } else if (!piece.is_column) {
        filled += piece.text;
      } else if (is_inside_another && !cell) {
        filled += "{" + std::string(piece.text) + "}";
      } else {
        std::vector<std::string> names;
        for (const Cell& known : making.cells) names.push_back(known.column);
        making.is_good = false;
        refuse(cell ? cell->origin : origin, making.path,
               cell ? "the text " + to_text(PlainValue(text)) + " needs a value here, and there is none"
                    : "there is no column \"" + std::string(piece.text) + "\"",
               cell ? "" : nearest_name(std::string(piece.text), names));
        return std::nullopt;
      }
    }
    return filled;
  }

  const ConfigValue* tables_;
  Diagnostics& problems_;
};

}  // namespace

void expand_templates(ConfigDocument& document, const std::string& key, Diagnostics& problems) {
  if (ConfigValue* value = document.root().find(key))
    Expansion(std::as_const(document).root().find("tables"), problems).expand(*value, key);
}

}  // namespace asterism
