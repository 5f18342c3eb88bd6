#include "platform/node/plugin_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>

#include "platform/config/type_file.h"
#include "tlm/plugin_abi.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_AARCH64:
      return "AArch64";
    case EM_386:
      return "i386";
    case EM_RISCV:
      return "RISC-V";
    default:
      return fmt::format("number {} of ELF", machine);
  }
}

class PluginFile {
 public:
  explicit PluginFile(const fs::path& file) : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw TypeFileError(fmt::format("cannot be read: {}", std::strerror(errno)));
    elf_version(EV_CURRENT);
    elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
  }
  ~PluginFile() {
    elf_end(elf_);
    close(descriptor_);
  }
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;

  void check_kind() const {
    GElf_Ehdr header;
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF || !gelf_getehdr(elf_, &header) || header.e_type != ET_DYN)
      throw TypeFileError("is no shared library");
    if (header.e_machine != EM_X86_64)
      throw TypeFileError(fmt::format("is a library for another machine: {}, expected x86-64",
                                      machine_name(header.e_machine)));
  }

  bool has_description() const {
    GElf_Shdr header;
    return section(plugin_section, header) != nullptr;
  }

  // Each source that includes the header has added a description.
  void check_abi() const {
    GElf_Shdr header;
    const Elf_Data* const data = section(plugin_section, header);
    if (!data || data->d_size == 0 || !data->d_buf)
      throw TypeFileError("is no plug-in of Asterism: none of its sources includes asterism/device.h");
    // The descriptions of other interfaces may have another size; they all begin in this way. The linker puts
    // zeros between those of several sources, to align them.
    constexpr std::size_t start = sizeof(PluginAbi::magic) + sizeof(PluginAbi::interface);
    const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
    std::size_t at = bytes.find_first_not_of('\0');
    if (at == bytes.npos) throw TypeFileError("has a damaged description");
    for (; at != bytes.npos; at = bytes.find_first_not_of('\0', at + sizeof(PluginAbi))) {
      PluginAbi abi{};
      const std::size_t left = bytes.size() - at;
      std::memcpy(&abi, bytes.data() + at, std::min(left, sizeof abi));
      if (left < start || abi.magic != plugin_abi.magic) throw TypeFileError("has a damaged description");
      expect("the interface", abi.interface, plugin_abi.interface);
      if (left < sizeof abi) throw TypeFileError("has a damaged description");
      expect("the ABI of C++", abi.compiler, plugin_abi.compiler);
      expect("_GLIBCXX_USE_CXX11_ABI", abi.strings, plugin_abi.strings);
      expect("SystemC", abi.systemc, plugin_abi.systemc);
      expect("SC_CPLUSPLUS", abi.systemc_mode, plugin_abi.systemc_mode);
      for (std::size_t i = 0; i < abi.sizes.size(); ++i)
        expect(fmt::format("the size of {}", plugin_abi_structures.at(i)), abi.sizes.at(i),
               plugin_abi.sizes.at(i));
    }
  }

  // A second copy of the node's code, or of SystemC, would have types and a kernel of its own.
  void check_libraries() const {
    const std::string systemc = loaded_systemc();
    GElf_Shdr header;
    Elf_Data* const data = section(".dynamic", header);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
      if (entry.d_tag != DT_NEEDED) continue;
      const char* const name = elf_strptr(elf_, header.sh_link, entry.d_un.d_val);
      const std::string_view needed = name ? name : "";
      if (needed.starts_with("libasterism_node"))
        throw TypeFileError(fmt::format(
            "links {}: a plug-in links Asterism::device, and takes the rest from the program that "
            "loads it",
            needed));
      if (needed.starts_with("libsystemc") && needed != systemc)
        throw TypeFileError(fmt::format("links another SystemC: {}, expected {}", needed, systemc));
    }
  }

  // A static library of SystemC may be hidden from the dynamic linker.
  void check_symbols() const {
    for (const char* const table : {".dynsym", ".symtab"}) check_symbols_of(table);
  }

 private:
  void check_symbols_of(const char* table) const {
    GElf_Shdr header;
    Elf_Data* const data = section(table, header);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
      const char* const name = elf_strptr(elf_, header.sh_link, symbol.st_name);
      constexpr const char* kernel = "_ZN7sc_core18sc_curr_simcontextE";
      if (name && symbol.st_shndx != SHN_UNDEF && std::strcmp(name, kernel) == 0)
        throw TypeFileError("contains a SystemC kernel of its own: link no static libsystemc");
    }
  }

  static void expect(const std::string& what, std::uint32_t its, std::uint32_t ours) {
    if (its != ours)
      throw TypeFileError(fmt::format(
          "was compiled for another Asterism: {} is {}, expected {}; build it again", what, its, ours));
  }

  // The name of the library of SystemC that this program uses.
  static std::string loaded_systemc() {
    Dl_info unused;
    link_map* map = nullptr;
    const auto* const kernel = static_cast<const void*>(&sc_core::sc_curr_simcontext);
    if (dladdr1(kernel, &unused, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || !map) return "";
    return fs::path(map->l_name).filename().string();
  }

  Elf_Data* section(std::string_view name, GElf_Shdr& header) const {
    std::size_t names = 0;
    if (!elf_ || elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
    for (Elf_Scn* each = elf_nextscn(elf_, nullptr); each; each = elf_nextscn(elf_, each)) {
      if (!gelf_getshdr(each, &header)) continue;
      const char* const found = elf_strptr(elf_, names, header.sh_name);
      if (found && found == name) return elf_getdata(each, nullptr);
    }
    return nullptr;
  }

  int descriptor_;
  Elf* elf_ = nullptr;
};

}  // namespace

bool is_plugin(const fs::path& file) {
  try {
    return PluginFile(file).has_description();
  } catch (const TypeFileError&) {
    return false;
  }
}

void check_plugin_file(const fs::path& file) {
  const PluginFile opened(file);
  opened.check_kind();
  opened.check_abi();
  opened.check_libraries();
  opened.check_symbols();
}

}  // namespace asterism
