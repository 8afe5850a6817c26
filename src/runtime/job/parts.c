#include "runtime/core/part.h"

const struct part *const parts[PART_COUNT] = {
#define PART(ID, name) [PART_##ID] = &name##_part,
#include "runtime/parts.def"
#undef PART
};
