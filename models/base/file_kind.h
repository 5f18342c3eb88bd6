// The kinds of files that describe one part, such as DRAM parts or workloads: all that there is to check of
// such a file are the keys of one described struct. A kind registers itself below the description:
//
//   // memory/dram_part.cpp
//   void describe(Fields& f, DramPart& part) { ... }
//   const RegisteredFileKind<DramPart> dram{"dram", "dram", "Asterism DRAM part", {"currents", "timing"}};
//
// A program thereby knows the kinds that it can read. Kinds with further checks register themselves in
// platform/config/config_kinds.h.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace asterism {

struct FileKind {
  std::string_view name;    // "technology": the word of `asterism schema`
  std::string_view folder;  // "technologies": in configs/, and the word of `asterism list`; "" for none
  std::string_view title;   // of the JSON Schema
  // A file that is in none of these folders is of the kind of which it has the most of these keys.
  std::vector<std::string_view> keys;
  std::unique_ptr<ObjectValue> (*object)();  // one with the defaults of all keys
};

// In no particular order.
std::span<const FileKind> file_kinds();

void register_file_kind(FileKind kind);

template <DescribedStruct T>
class RegisteredFileKind {
 public:
  RegisteredFileKind(std::string_view name, std::string_view folder, std::string_view title,
                     std::vector<std::string_view> keys) {
    register_file_kind({name, folder, title, std::move(keys), make});
  }

 private:
  class Object final : public ObjectValue {
   public:
    void walk(Fields& fields) override { described_.walk(fields); }

   private:
    T value_{};
    ObjectOf<T> described_{value_};
  };
  static std::unique_ptr<ObjectValue> make() { return std::make_unique<Object>(); }
};

}  // namespace asterism
