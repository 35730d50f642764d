// Lab 10: the time of a step, before it is measured. What to write is in README.md, what goes in
// and comes out in lab.hpp.
//
// Grade it:   ./run_labs.sh grade 10
#include "lab.hpp"
#include "student.hpp"

namespace student {

// Task 1
double step_time(const Step& /*step*/) {
  lab::not_written("step_time()");
}

// Task 2
Sent sent(int /*stage*/, const std::vector<std::uint64_t>& /*units*/, std::uint64_t /*ranks*/) {
  lab::not_written("sent()");
}

// Task 3
double efficiency(double /*compute*/, double /*communication*/, bool /*overlap*/) {
  lab::not_written("efficiency()");
}

// Task 4
std::optional<double> bandwidth_for(double /*efficiency*/, double /*compute*/, double /*bytes*/,
                                    bool /*overlap*/) {
  lab::not_written("bandwidth_for()");
}

// Task 5
std::uint64_t sweet_spot(double /*flops*/, const std::vector<std::uint64_t>& /*units*/,
                         const Cluster& /*cluster*/, std::uint64_t /*most*/) {
  lab::not_written("sweet_spot()");
}

// Task 6
Times predict(const Job& /*job*/) {
  lab::not_written("predict()");
}

}  // namespace student
