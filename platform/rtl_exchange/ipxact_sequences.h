// The sequences of elements that IEEE 1685-2014 and 1685-2022 prescribe, for the tests of components.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "platform/rtl_exchange/ipxact_file.h"

namespace asterism {

// ! is required, * repeated.
using IpxactSequences = std::map<std::string, std::string>;

// For the elements that occur in the tests.
inline IpxactSequences sequences_of_2022() {
  return {
      {"component",
       "vendor! library! name! version! displayName shortDescription description typeDefinitions "
       "powerDomains "
       "busInterfaces indirectInterfaces channels modes addressSpaces memoryMaps model componentGenerators "
       "choices "
       "fileSets clearboxElements cpus otherClockDrivers resetTypes parameters assertions vendorExtensions"},
      {"busInterfaces", "busInterface!*"},
      {"parameters", "parameter!*"},
      {"parameter", "name! displayName shortDescription description vectors arrays value! vendorExtensions"},
      {"drivers", "driver!*"},
      {"driver", "range viewRef* defaultValue"},
      {"partSelect", "range!"},
      {"range", "left right"},
      {"define", "name! displayName shortDescription description value"},
      {"busInterface",
       "name! displayName shortDescription description busType! abstractionTypes initiator target "
       "connectionRequired bitsInLau bitSteering endianness parameters vendorExtensions"},
      {"abstractionTypes", "abstractionType!*"},
      {"abstractionType", "viewRef* abstractionRef! portMaps"},
      {"portMaps", "portMap!*"},
      {"portMap", "logicalPort! physicalPort!"},
      {"logicalPort", "name! range"},
      {"physicalPort", "name! partSelect subPort*"},
      {"target", "memoryMapRef transparentBridge* fileSetRefGroup*"},
      {"initiator", "addressSpaceRef"},
      {"memoryMaps", "memoryMap!*"},
      {"memoryMap",
       "name! displayName shortDescription description addressBlock!* addressUnitBits shared "
       "vendorExtensions"},
      {"addressBlock",
       "name! displayName shortDescription description accessHandles array baseAddress! range! width! usage "
       "volatile accessPolicies parameters register* vendorExtensions"},
      {"register",
       "name! displayName shortDescription description accessHandles array addressOffset! size! volatile "
       "accessPolicies field!* alternateRegisters parameters vendorExtensions"},
      {"accessPolicies", "accessPolicy!*"},
      {"accessPolicy", "modeRef* access vendorExtensions"},
      {"field",
       "name! displayName shortDescription description accessHandles array bitOffset! bitWidth! volatile "
       "resets "
       "fieldAccessPolicies enumeratedValues parameters vendorExtensions"},
      {"resets", "reset!*"},
      {"reset", "value! mask"},
      {"fieldAccessPolicies", "fieldAccessPolicy!*"},
      {"fieldAccessPolicy",
       "modeRef* access modifiedWriteValue writeValueConstraint readAction readResponse"},
      {"enumeratedValues", "enumeratedValue!*"},
      {"enumeratedValue", "name! displayName shortDescription description value! vendorExtensions"},
      {"model", "views instantiations ports"},
      {"views", "view!*"},
      {"view", "name! displayName shortDescription description envIdentifier* componentInstantiationRef"},
      {"instantiations", "componentInstantiation!*"},
      {"componentInstantiation",
       "name! displayName shortDescription description isVirtual language libraryName packageName "
       "moduleName architectureName configurationName moduleParameters defaultFileBuilder* "
       "fileSetRef* constraintSetRef* clearboxElementRefs parameters vendorExtensions"},
      {"moduleParameters", "moduleParameter!*"},
      {"moduleParameter",
       "name! displayName shortDescription description vectors arrays value! vendorExtensions"},
      {"fileSetRef", "localName! vendorExtensions"},
      {"ports", "port!*"},
      {"port",
       "name! displayName shortDescription description wire! fieldMaps arrays access parameters "
       "vendorExtensions"},
      {"wire",
       "direction! qualifier vectors wireTypeDefs domainTypeDefs signalTypeDefs drivers constraintSets "
       "powerConstraints"},
      {"qualifier", "isAddress isData isClock isReset isValid isInterrupt"},
      {"vectors", "vector!*"},
      {"vector", "left! right!"},
      {"fileSets", "fileSet!*"},
      {"fileSet",
       "name! displayName shortDescription description group* file* defaultFileBuilder* dependency* "
       "function* "
       "vendorExtensions"},
      {"file",
       "name! fileType!* isStructural isIncludeFile logicalName exportedName* buildCommand dependency* "
       "define* "
       "imageType* description vendorExtensions"}};
}

// What differs in 2014.
inline IpxactSequences sequences_of_2014() {
  IpxactSequences sequences{
      {"component",
       "vendor! library! name! version! busInterfaces indirectInterfaces channels remapStates addressSpaces "
       "memoryMaps model componentGenerators choices fileSets whiteboxElements cpus otherClockDrivers "
       "resetTypes "
       "description parameters assertions vendorExtensions"},
      {"busInterface",
       "name! displayName description isPresent busType! abstractionTypes master slave system mirroredSlave "
       "mirroredMaster mirroredSystem monitor connectionRequired bitsInLau bitSteering endianness parameters "
       "vendorExtensions"},
      {"portMap", "isPresent logicalPort! physicalPort"},
      {"slave", "memoryMapRef bridge* fileSetRefGroup*"},
      {"master", "addressSpaceRef"},
      {"memoryMap",
       "name! displayName description isPresent addressBlock!* memoryRemap* addressUnitBits shared "
       "vendorExtensions"},
      {"addressBlock",
       "name! displayName description accessHandles isPresent baseAddress! typeIdentifier range! width! "
       "usage "
       "volatile access parameters registerFile* register* vendorExtensions"},
      {"register",
       "name! displayName description accessHandles isPresent dim* addressOffset! typeIdentifier size! "
       "volatile "
       "access field!* alternateRegisters parameters vendorExtensions"},
      {"field",
       "name! displayName description accessHandles isPresent bitOffset! resets typeIdentifier bitWidth! "
       "volatile "
       "access enumeratedValues modifiedWriteValue writeValueConstraint readAction testable reserved "
       "parameters "
       "vendorExtensions"},
      {"enumeratedValue", "name! displayName description value! vendorExtensions"},
      {"view", "name! displayName description isPresent envIdentifier* componentInstantiationRef"},
      {"componentInstantiation",
       "name! displayName description isVirtual language libraryName packageName moduleName architectureName "
       "configurationName moduleParameters defaultFileBuilder* fileSetRef* constraintSetRef* "
       "whiteboxElementRefs "
       "parameters vendorExtensions"},
      {"fileSetRef", "localName! isPresent vendorExtensions"},
      {"port", "name! displayName description isPresent wire! access vendorExtensions"},
      {"wire", "direction! vectors wireTypeDefs drivers constraintSets"}};
  sequences.merge(sequences_of_2022());
  for (const char* gone : {"target", "initiator", "accessPolicies", "accessPolicy", "fieldAccessPolicies",
                           "fieldAccessPolicy", "qualifier"})
    sequences.erase(gone);
  return sequences;
}

inline void check_sequences(const XmlElement* element, const IpxactSequences& sequences) {
  const std::string name(IpxactFile::name_of(element));
  if (name == "vendorExtensions") return;  // of the vendor
  const auto sequence = sequences.find(name);
  if (sequence == sequences.end()) {
    EXPECT_FALSE(element->FirstChildElement()) << name << " in line " << element->GetLineNum();
    return;
  }
  const XmlElement* at = element->FirstChildElement();
  std::istringstream words(sequence->second);
  for (std::string word; words >> word;) {
    const bool repeats = word.ends_with('*'), required = word.find('!') != std::string::npos;
    word.resize(std::min(word.find_first_of("!*"), word.size()));
    int count = 0;
    for (; at && IpxactFile::name_of(at) == word && (repeats || count == 0); at = at->NextSiblingElement())
      ++count;
    EXPECT_TRUE(count > 0 || !required) << name << " in line " << element->GetLineNum() << " needs " << word;
  }
  EXPECT_FALSE(at) << (at ? IpxactFile::name_of(at) : "") << " in line " << (at ? at->GetLineNum() : 0)
                   << " is not in its place";
  for (at = element->FirstChildElement(); at; at = at->NextSiblingElement()) check_sequences(at, sequences);
}

// Those of the version that the namespace names.
inline void check_sequences(const IpxactFile& file) {
  const std::string uri = file.root()->Attribute("xmlns:ipxact");
  check_sequences(file.root(), uri.ends_with("1685-2014") ? sequences_of_2014() : sequences_of_2022());
}

}  // namespace asterism
