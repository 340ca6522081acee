#include "learn/policy/training_request.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace hone {
namespace {

TrainingRequest some_request() {
  TrainingRequest request;
  request.data = {"zoo:vgg19", "models"};
  request.encoder = "messages";
  request.head = "autoregressive";
  request.out = "out";
  return request;
}

TEST(TrainingRequest, RefusesNumbersThatNothingCanBeLearnedWith) {
  EXPECT_NO_THROW(check(some_request()));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {kNaN, -1.0, std::numeric_limits<double>::infinity()}) {
    TrainingRequest request = some_request();
    request.rate = bad;
    EXPECT_THROW(check(request), InputError) << bad;
    request = some_request();
    request.entropy = bad;
    EXPECT_THROW(check(request), InputError) << bad;
  }
  TrainingRequest request = some_request();
  request.seconds = 0;
  EXPECT_THROW(check(request), InputError);
  request = some_request();
  request.encoder = "crystal-ball";
  EXPECT_THROW(check(request), InputError);
  request = some_request();
  request.head = "two";
  EXPECT_THROW(check(request), InputError);
}

TEST(TrainingRequest, CommandNamesAllThatDecidesWhatIsLearned) {
  EXPECT_EQ(command_of(some_request(), FirstNetwork::of_start),
            "hone train guided --data zoo:vgg19 --data models --algorithm reinforce --width 32 --rounds 2 --encoder "
            "messages --head autoregressive --objective memory --machine regal-2 --seed 0 --graphs 8 --samples 16 "
            "--evals 1000 --rate 0.003 --entropy 0.01 --steps 1000 --output FOLDER");
  TrainingRequest less = some_request();
  less.without = "attention";
  EXPECT_NE(command_of(less, FirstNetwork::of_start).find(" --without attention "), std::string::npos);
  TrainingRequest timed = some_request();
  timed.steps = TrainingRequest::kNoLimit;
  timed.seconds = 60;
  EXPECT_TRUE(command_of(timed, FirstNetwork::of_start).ends_with("--entropy 0.01 --time 60 --output FOLDER"));
}

TEST(TrainingRequest, WhatThePolicyToStartFromSaysIsNotRepeated) {
  TrainingRequest request = some_request();
  request.start = "guided-memory";
  const std::string command = command_of(request, FirstNetwork::of_start);
  EXPECT_NE(command.find("--start guided-memory"), std::string::npos);
  for (const char* option : {"--width", "--encoder", "--head"})
    EXPECT_EQ(command.find(option), std::string::npos) << option;
  EXPECT_NE(command_of(request, FirstNetwork::drawn).find("--width"), std::string::npos);
}

}  // namespace
}  // namespace hone
