// Has the fault that its first argument names, between two sums over ranks, or none ("clean");
// found.sh and tests/program/valgrind.sh look at whether it is found.
#include <cstdio>
#include <map>
#include <string>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/buffer.hpp"

namespace {

using namespace zerolab;

MemoryLedger memory;
volatile std::size_t nine = 9;  // not known to the compiler
volatile int largest = 2147483647;
void* volatile lost = nullptr;

Buffer buffer(std::size_t elements) {
  return Buffer(memory, Category::buffers, NumberType::fp32, elements);
}

float* floats(Buffer& numbers) {
  return reinterpret_cast<float*>(numbers.numbers().data);
}

const std::map<std::string, void (*)(Communicator&)> faults{
    {"clean", [](Communicator&) {}},
    {"leak_buffer",
     [](Communicator& comm) {
       auto* numbers = new Buffer(buffer(20));
       numbers->fill_zero();
       comm.all_reduce(*numbers);
       lost = numbers;
       lost = nullptr;
     }},
    {"leak_array",
     [](Communicator&) {
       lost = new int[77];
       lost = nullptr;
     }},
    {"heap_overflow",
     [](Communicator&) {
       Buffer sixteen = buffer(16);
       sixteen.fill_zero();
       floats(sixteen)[nine + 7] = 1;  // the 17th of 16
     }},
    {"stack_overflow",
     [](Communicator&) {
       std::array<volatile int, 9> numbers{};
       volatile int* first = numbers.data();
       first[nine] = 1;
     }},
    {"use_after_free",
     [](Communicator&) {
       int* numbers = new int[9]{};
       lost = numbers;
       delete[] numbers;
       std::printf("%d\n", static_cast<volatile int*>(lost)[3]);
     }},
    {"signed_overflow", [](Communicator&) { std::printf("%d\n", largest + 1); }},
    {"uninitialised",
     [](Communicator&) {
       Buffer numbers = buffer(16);
       std::puts(floats(numbers)[nine] > 1 ? "large" : "small");
     }},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Communicator comm(MPI_COMM_WORLD);
    comm.maximum(1);
    faults.at(argv[1])(comm);
    comm.maximum(1);
  }
  MPI_Finalize();
}
