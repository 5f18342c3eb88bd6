// What a plug-in has that was linked to a static library of SystemC.
namespace sc_core {
void* sc_curr_simcontext = nullptr;
}
