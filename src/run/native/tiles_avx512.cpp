// Compiled with the flags of that processor, see CMakeLists.txt.
#define HONE_TILES avx512_tiles
#include "run/native/tile_code.h"
