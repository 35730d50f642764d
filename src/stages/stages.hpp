#pragma once

#include "zerolab/stages/stage.hpp"

namespace zerolab {

std::unique_ptr<Stage> make_stage0(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage1(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage2(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage3(const Stage::Setup& setup);

}  // namespace zerolab
