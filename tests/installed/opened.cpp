// A SystemC program that loads the library of nodes when it runs, ends that, and loads it again.
#include <dlfcn.h>

#include <iostream>
#include <systemc>

int sc_main(int, char** arguments) {
  for (int times = 0; times < 2; ++times) {
    void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library || !dlsym(library, "asterism_node_version") || dlclose(library) != 0) {
      std::cerr << dlerror() << '\n';
      return 1;
    }
  }
  return 0;
}
