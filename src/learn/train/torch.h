#pragma once

// The only door to libtorch: its headers warn and take long, so that they are precompiled.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#include <torch/torch.h>
#pragma GCC diagnostic pop
