#ifndef RADDLE_RUNTIME_CORE_PLACE_H
#define RADDLE_RUNTIME_CORE_PLACE_H

/* Private memory of the process, brought back to how it was at some moment, without another process. The tracker tells which pages were written: those are copied
 * when a moment is kept, unless they are still as in the last copy, and copied back if they have changed since. Moments share copies.
 *
 * Memory that was there when this began has been copied once; what came later was zeros before. So what any page held at a moment is known. Only mappings must
 * be the same ones: when they change, all moments are lost.
 *
 * Not brought back: the stack of whoever calls, but for the arguments of the program; memory that is shared; what place_stays gives. Whoever calls writes to
 * nothing else while these functions run, so they must not be interrupted by handlers that do. What the kernel keeps for the process is state_place.h's business. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_SLOTS 64

/* Once, before anything else here. `arguments` is the first address on the stack that is the program's. False: this
 * kernel cannot do it. */
bool place_open(const void *arguments);

/* Memory, zeros at first, that is never brought back. For the process; not to be given back. */
void *place_stays(size_t size);

/* Whether all memory is known: mappings are the same ones as when it was made so. Something can be kept only then. */
bool place_is_known(void);

/* Makes all memory known. What was kept is lost. False: that cannot be, and *why says why. */
bool place_begin(const char **why);

/* Keeps the present moment, as number `slot`. False: there is not enough memory for that. */
bool place_keep(uint32_t slot);

/* Whether that moment can still be gone back to. */
bool place_is_there(uint32_t slot);

/* Brings memory back to it. It must be there. False: the kernel would not tell what was written. */
bool place_go(uint32_t slot);

/* It is not needed any more. */
void place_drop(uint32_t slot);

#endif
