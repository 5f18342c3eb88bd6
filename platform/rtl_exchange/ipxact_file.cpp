#include "platform/rtl_exchange/ipxact_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "platform/rtl_exchange/constant_expression.h"

namespace asterism {
namespace {

// Single blanks between words, none around them.
std::string with_single_blanks(const char* text) {
  std::string words;
  bool blank = false;
  for (; text && *text != '\0'; ++text) {
    if (std::isspace(static_cast<unsigned char>(*text)) != 0) {
      blank = !words.empty();
      continue;
    }
    if (std::exchange(blank, false)) words += ' ';
    words += *text;
  }
  return words;
}

std::string namespace_of(const XmlElement* root) {
  const std::string_view name = root->Name();
  const std::size_t colon = name.find(':');
  const std::string declaration =
      colon == std::string_view::npos ? "xmlns" : "xmlns:" + std::string(name.substr(0, colon));
  const char* uri = root->Attribute(declaration.c_str());
  return uri ? uri : "";
}

constexpr int deepest_reference = 100;

}  // namespace

IpxactFile::IpxactFile(const std::filesystem::path& file) : file_(file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw InputMissing(Diagnostic::of_file(file.string(), "it cannot be read"));
  if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || !root())
    throw ConfigError(Diagnostic{
        .origin = {file.string(), std::max(document_.ErrorLineNum(), 1), 1},
        .path = "",
        .problem =
            fmt::format("it is not XML ({}), expected an IP-XACT component, or a file FILE.core of FuseSoC",
                        tinyxml2::XMLDocument::ErrorIDToName(document_.ErrorID()))});
  const std::string uri = namespace_of(root());
  if (name_of(root()) != "component")
    refuse(root(), "", fmt::format("expected the element component, got {}", name_of(root())));
  if (!uri.ends_with("/1685-2014") && !uri.ends_with("/1685-2022"))
    refuse(root(), "", "expected a component of IEEE 1685-2014 or 1685-2022", "",
           uri.empty() ? "its namespace is not declared" : "its namespace is " + uri);
  add_parameters(root());
}

Origin IpxactFile::origin_of(const XmlElement* element) const {
  return {file_.string(), element ? element->GetLineNum() : 0, 1};
}

void IpxactFile::refuse(const XmlElement* at, const std::string& path, const std::string& problem,
                        const std::string& nearest, const std::string& detail) const {
  throw ConfigError(Diagnostic{
      .origin = origin_of(at), .path = path, .problem = problem, .detail = detail, .nearest = nearest});
}

std::string_view IpxactFile::name_of(const XmlElement* element) {
  const std::string_view name = element->Name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string IpxactFile::attribute(const XmlElement* element, std::string_view name) {
  for (const tinyxml2::XMLAttribute* each = element->FirstAttribute(); each; each = each->Next()) {
    const std::string_view given = each->Name();
    const std::size_t colon = given.find(':');
    if ((colon == std::string_view::npos ? given : given.substr(colon + 1)) == name)
      return with_single_blanks(each->Value());
  }
  return "";
}

std::vector<const XmlElement*> IpxactFile::children(const XmlElement* parent, std::string_view name) const {
  std::vector<const XmlElement*> found;
  if (!parent) return found;
  for (const XmlElement* each = parent->FirstChildElement(); each; each = each->NextSiblingElement()) {
    if (name_of(each) != name) continue;
    if (name == "isPresent" || value(each, "isPresent", 1) != 0) found.push_back(each);
  }
  return found;
}

const XmlElement* IpxactFile::child(const XmlElement* parent, std::string_view path) const {
  while (parent && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    const auto found = children(parent, name);
    parent = found.empty() ? nullptr : found.front();
  }
  return parent;
}

std::string IpxactFile::text(const XmlElement* parent, std::string_view path) const {
  const XmlElement* element = child(parent, path);
  return element ? with_single_blanks(element->GetText()) : "";
}

bool IpxactFile::is_true(const XmlElement* parent, std::string_view path) const {
  const std::string said = text(parent, path);
  return said == "true" || said == "1";
}

void IpxactFile::add_parameters(const XmlElement* element) {
  const std::string_view name = name_of(element);
  if (name == "parameter" || name == "moduleParameter") {
    if (const std::string identifier = attribute(element, "parameterId"); !identifier.empty())
      parameters_.emplace(identifier, element);
    named_.emplace(text(element, "name"), element);
  }
  for (const XmlElement* each = element->FirstChildElement(); each; each = each->NextSiblingElement())
    add_parameters(each);
}

const XmlElement* IpxactFile::parameter(const std::string& identifier) const {
  for (const auto* parameters : {&parameters_, &named_})
    if (const auto found = parameters->find(identifier); found != parameters->end()) return found->second;
  return nullptr;
}

std::string IpxactFile::parameter_name(const std::string& identifier) const {
  const XmlElement* found = parameter(identifier);
  return found ? text(found, "name") : "";
}

std::int64_t IpxactFile::value_of(const std::string& identifier, int depth) const {
  const XmlElement* found = parameter(identifier);
  if (!found) throw std::invalid_argument("there is no parameter " + identifier);
  const auto [known, is_new] = values_.emplace(found, std::nullopt);
  if (depth > deepest_reference || (!is_new && !known->second))
    throw std::invalid_argument("the value of " + identifier + " depends on itself");
  if (is_new)
    known->second = constant_value(text(found, "value"),
                                   [&](const std::string& other) { return value_of(other, depth + 1); });
  return *known->second;
}

std::int64_t IpxactFile::value(const XmlElement* element) const {
  try {
    return constant_value(text(element), [&](const std::string& name) { return value_of(name, 0); });
  } catch (const std::invalid_argument& error) {
    refuse(element, std::string(name_of(element)), error.what());
  }
}

std::int64_t IpxactFile::value(const XmlElement* parent, std::string_view path,
                               std::int64_t otherwise) const {
  const XmlElement* element = child(parent, path);
  return element ? value(element) : otherwise;
}

}  // namespace asterism
