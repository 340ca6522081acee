#include "test_machine.h"

namespace hone {

std::string_view test_machine_text() {
  return R"(name = "test-pair"
summary = "two devices of unlike speed"

[[device]]
kind = "fast"
model = "fast device"
count = 1
memory_bytes = 17_179_869_184
bytes_per_second = 900e9
launch_seconds = 0

[device.flops]
float = 10e12

[[device]]
kind = "slow"
model = "slow device"
count = 1
memory_bytes = 17_179_869_184
bytes_per_second = 90e9
launch_seconds = 0

[device.flops]
float = 1e12

[[link]]
from = "*"
to = "*"
free = true
)";
}

}  // namespace hone
