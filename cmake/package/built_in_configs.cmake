# Writes INTO, a source with the files of the KINDS of CONFIGS that the library of nodes contains, so that it
# needs none beside it (platform/config/built_in_files.h).
#   cmake -DCONFIGS=folder -DKINDS=a,b -DINTO=file.cpp -P built_in_configs.cmake
cmake_minimum_required(VERSION 3.25)
set(files "")
string(REPLACE "," ";" kinds "${KINDS}")
foreach(kind IN LISTS kinds)
  file(GLOB names RELATIVE ${CONFIGS}/${kind} ${CONFIGS}/${kind}/*.json)
  foreach(name IN LISTS names)
    file(READ ${CONFIGS}/${kind}/${name} text)
    cmake_path(REMOVE_EXTENSION name)
    string(APPEND files "    {\"${kind}\", \"${name}\", R\"json(${text})json\"},\n")
  endforeach()
endforeach()
file(WRITE ${INTO} "#include \"platform/config/built_in_files.h\"

namespace asterism {
namespace {

constexpr BuiltInFile files[] = {
${files}};
const RegisteredBuiltInFiles registered{files};

}  // namespace
}  // namespace asterism
")
