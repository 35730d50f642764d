#pragma once

#include "zerolab/stages/stage.hpp"

namespace zerolab {

std::unique_ptr<Stage> make_stage0(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage1(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage2(const Stage::Setup& setup);
std::unique_ptr<Stage> make_stage3(const Stage::Setup& setup);
std::unique_ptr<Stage> make_overlapped0(const Stage::Setup& setup);
std::unique_ptr<Stage> make_overlapped2(const Stage::Setup& setup);
std::unique_ptr<Stage> make_overlapped3(const Stage::Setup& setup);

}  // namespace zerolab
