#ifndef RADDLE_MODEL_ORDER_H
#define RADDLE_MODEL_ORDER_H

/* Names of enum memory_order for people, as C has them: "relaxed", "acquire", … */
extern const char *const memory_order_words[5];

#endif
