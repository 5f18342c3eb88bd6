// What a checkpoint of 16 pages has to copy, and a write that must wait for it.
#include <asterism/matt/matt.h>

#include <iostream>

int main() {
  using namespace asterism;
  Matt table(MattConfig{}, 16);
  for (std::uint32_t page = 0; page < 16; ++page) table.track(page, true);
  table.write(3, 0b1);     // line 0 of page 3
  table.write(7, 0b1010);  // lines 1 and 3 of page 7
  table.begin_phase();     // the checkpoint: both pages are to be copied
  const bool waits = table.write(7, 0b1) == Matt::Answer::not_ready;  // which gives page 7 priority
  std::cout << "a write to page 7 " << (waits ? "waits" : "proceeds") << '\n';
  while (const auto choice = table.next(false)) {
    std::cout << "page " << choice->page << ": lines " << std::hex << choice->lines << std::dec << '\n';
    table.copied(choice->page);
  }
}
