#include "run/native/register_code.h"

// In builds that cannot make machine code.

namespace hone::native {

std::optional<RegisterCode> RegisterCode::of(const CodeRequest&) { return std::nullopt; }

}  // namespace hone::native
