// The version of the library of nodes, for a program that loads it.
extern "C" const char asterism_node_version[] = ASTERISM_VERSION;
