#include "instrument/instrument.h"
void residual_find(struct work *work) { (void)work; }
