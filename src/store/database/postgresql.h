#pragma once

#include <string>

namespace hone {

/// Why no store on a PostgreSQL server can be opened here, in a sentence that names what to install; empty where one
/// can.
std::string postgresql_obstacle();

}  // namespace hone
