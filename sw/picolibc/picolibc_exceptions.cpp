// A C++ program on picolibc: constructors and destructors of statics, exceptions, run-time type information.
// Its output is the same under QEMU and Asterism. It uses only headers of the freestanding library: Debian's
// others are made for glibc.
#include <stdio.h>
#include <stdlib.h>

#include <exception>
#include <new>
#include <typeinfo>

namespace {

int alive = 0;

class Traced {
 public:
  explicit Traced(const char* name) : name_(name) {
    ++alive;
    printf("+%s ", name_);
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
  ~Traced() {
    --alive;
    printf("-%s ", name_);
  }

 private:
  const char* name_;
};

void end_line() { printf("| %d alive\n", alive); }

// Constructed by priority, then in order; destroyed in reverse order after main.
Traced third("third"), fourth("fourth");
__attribute__((init_priority(301))) Traced second("second");
__attribute__((init_priority(201))) Traced first("first");

Traced& once() {
  static Traced local("local");
  return local;
}

struct Base : std::exception {
  const char* what() const noexcept override { return "base"; }
};
struct Other {
  virtual ~Other() = default;
  int value = 9;
};
struct Derived : Other, virtual Base {
  explicit Derived(int n) : number(n) {}
  const char* what() const noexcept override { return "derived"; }
  int number;
};

[[gnu::noinline]] void thrower(int depth) {
  const Traced here(depth % 2 ? "odd" : "even");
  if (depth == 0) throw Derived(77);
  thrower(depth - 1);
  printf("never here ");
}

void through_frames() {
  try {
    thrower(4);
  } catch (const Base& error) {
    const auto* derived = dynamic_cast<const Derived*>(&error);
    printf("caught %s %d %d ", error.what(), derived->number, derived->value);
  }
  end_line();
}

void by_type() {
  for (int kind = 0; kind < 6; ++kind) try {
      switch (kind) {
        case 0:
          throw 1;
        case 1:
          throw 2.5;
        case 2:
          throw "text";
        case 3:
          throw Derived(3);
        case 4:
          throw Base();
        default:
          throw static_cast<const char*>(nullptr);
      }
    } catch (int number) {
      printf("int %d, ", number);
    } catch (double number) {
      printf("double %g, ", number);
    } catch (const char* text) {
      printf("%s, ", text ? text : "null");
    } catch (const Other& other) {
      printf("other %d, ", other.value);
    } catch (...) {
      printf("anything ");
    }
  end_line();
}

void rethrown() {
  try {
    try {
      throw Derived(5);
    } catch (Derived& error) {
      error.number = 6;
      throw;
    }
  } catch (const Derived& error) {
    printf("again %d ", error.number);
  }
  std::exception_ptr kept;
  try {
    thrower(0);
  } catch (...) {
    kept = std::current_exception();
  }
  printf("kept ");
  try {
    std::rethrow_exception(kept);
  } catch (const std::exception& error) {
    printf("%s ", error.what());
  }
  end_line();
}

struct Members {
  Traced one{"one"}, two{"two"};
  Members() { throw 3; }
};

class Unwinding {
 public:
  ~Unwinding() {
    printf("%d under way ", std::uncaught_exceptions());
    try {
      throw 8;
    } catch (int number) {
      printf("%d inside ", number);
    }
  }
};

struct Tried {
  Traced member;
  Tried() try : member("member") { throw 4; } catch (int) {
    printf("in the constructor ");
  }
};

void in_constructors() {
  try {
    const Members members;
  } catch (int number) {
    printf("caught %d ", number);
  }
  try {
    const Unwinding unwinding;
    throw 1.5;
  } catch (double) {
    printf("and the outer one ");
  }
  try {
    const Tried tried;
  } catch (int number) {
    printf("out of it %d ", number);
  }
  try {
    delete[] new Members[3];
  } catch (int) {
    printf("array ");
  }
  end_line();
}

void by_the_library() {
  try {
    void* volatile memory = ::operator new (size_t{1} << 40);
    ::operator delete(memory);
  } catch (const std::bad_alloc& error) {
    printf("%s ", error.what());
  }
  printf("%s ", new (std::nothrow) char[size_t{1} << 40] == nullptr ? "nullptr" : "memory");
  volatile int count = -1;
  try {
    delete[] new int[count];
  } catch (const std::bad_array_new_length& error) {
    printf("%s ", error.what());
  }
  try {
    Other plain;
    Other* volatile any = &plain;
    (void)dynamic_cast<Derived&>(*any);
  } catch (const std::bad_cast& error) {
    printf("%s ", error.what());
  }
  try {
    Other* volatile none = nullptr;
    (void)typeid(*none).name();
  } catch (const std::bad_typeid& error) {
    printf("%s ", error.what());
  }
  const Derived derived(1);
  const Base& base = derived;
  printf("%s %d ", typeid(base).name(), typeid(base) == typeid(Derived));
  end_line();
}

// Throws many exceptions, so that memory that is not freed would run out.
void often() {
  int caught = 0;
  for (int i = 0; i < 200; ++i) try {
      if (i % 2) throw Derived(i);
      throw i;
    } catch (const Derived& error) {
      caught += error.number == i;
    } catch (int number) {
      caught += number == i;
    }
  printf("%d caught ", caught);
  end_line();
}

[[noreturn]] void terminated() {
  printf("terminated: ");
  try {
    std::rethrow_exception(std::current_exception());
  } catch (int number) {
    printf("%d\n", number);
  }
  exit(7);
}

[[gnu::noinline]] void breaks_the_promise() { throw 99; }
void promises_nothing() noexcept { breaks_the_promise(); }

}  // namespace

int main() {
  end_line();
  once();
  once();
  end_line();
  through_frames();
  by_type();
  rethrown();
  in_constructors();
  by_the_library();
  often();
  std::set_terminate(terminated);
  promises_nothing();
  return 1;  // not reached
}
