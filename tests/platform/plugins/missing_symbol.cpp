// Makes a plug-in need a function that nobody has.
namespace acme {
int missing(int);
int needed = missing(1);
}  // namespace acme
