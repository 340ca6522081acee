#include "plan/machine/identical_processors.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

TEST(IdenticalProcessors, AreAMachineTheUserCanName) {
  const Machine machine = load_machine("processors:8");
  EXPECT_EQ(machine.device_count(), 8U);
  EXPECT_EQ(machine.kinds.size(), 1U);
  EXPECT_EQ(machine.kinds[0].name, "processor");
  EXPECT_EQ(machine.link(machine.route(DeviceId(1), DeviceId(7))).seconds(1e12), 0);
  EXPECT_EQ(load_machine("processors:1").device_count(), 1U);
}

TEST(IdenticalProcessors, RefusesANumberThatIsNone) {
  for (const char* spec : {"processors:", "processors:0", "processors:65", "processors:-1", "processors:2x"})
    EXPECT_THROW(load_machine(spec), InputError) << spec;
}

TEST(IdenticalProcessors, LeavesOtherNamesAlone) { EXPECT_EQ(describe_identical_processors("p100-4"), std::nullopt); }

}  // namespace
}  // namespace hone
