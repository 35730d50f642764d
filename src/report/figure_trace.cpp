#include "figure_script.hpp"
namespace zerolab {
bool draw_trace(Results&, Figure&, Script&) {
  return false;
}
bool draw_overlap(Results&, Figure&, Script&) {
  return false;
}
}  // namespace zerolab
