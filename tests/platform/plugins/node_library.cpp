// Stands for libasterism_node.so, which a plug-in must not link.
int asterism_node_library() { return 1; }
