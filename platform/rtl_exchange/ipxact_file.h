// An IP-XACT file: elements by their names without the prefix of the namespace, texts, and values of
// expressions with the parameters of the component.
#pragma once

#include <tinyxml2.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/diagnostics.h"

namespace asterism {

using XmlElement = tinyxml2::XMLElement;

class IpxactFile {
 public:
  // Throws ConfigError unless it is a component of IEEE 1685-2014 or 1685-2022, InputMissing if it cannot be
  // read.
  explicit IpxactFile(const std::filesystem::path& file);

  const XmlElement* root() const { return document_.RootElement(); }
  Origin origin_of(const XmlElement* element) const;
  [[noreturn]] void refuse(const XmlElement* at, const std::string& path, const std::string& problem,
                           const std::string& nearest = "", const std::string& detail = "") const;

  static std::string_view name_of(const XmlElement* element);
  // An attribute by its name without the prefix; "" if there is none.
  static std::string attribute(const XmlElement* element, std::string_view name);
  // Elements of a name, without those whose `isPresent` is 0. The parent may be nullptr.
  std::vector<const XmlElement*> children(const XmlElement* parent, std::string_view name) const;
  // The first element along a path of names, "model/ports"; nullptr if there is none.
  const XmlElement* child(const XmlElement* parent, std::string_view path) const;
  // The text of an element along a path, with single blanks; "" if there is none.
  std::string text(const XmlElement* parent, std::string_view path = "") const;
  bool is_true(const XmlElement* parent, std::string_view path) const;

  // The value of an element's expression. Throws ConfigError.
  std::int64_t value(const XmlElement* element) const;
  std::int64_t value(const XmlElement* parent, std::string_view path, std::int64_t otherwise) const;
  // The name of the parameter with this identifier; "" if there is none.
  std::string parameter_name(const std::string& identifier) const;

 private:
  void add_parameters(const XmlElement* element);
  const XmlElement* parameter(const std::string& identifier) const;  // nullptr if there is none
  std::int64_t value_of(const std::string& identifier, int depth) const;

  std::filesystem::path file_;
  tinyxml2::XMLDocument document_;
  // By identifier, to which expressions refer, and by name, to which some tools let them refer.
  std::map<std::string, const XmlElement*> parameters_, named_;
  // Values that were computed; nullopt while one is, which may not refer to itself.
  mutable std::map<const XmlElement*, std::optional<std::int64_t>> values_;
};

}  // namespace asterism
