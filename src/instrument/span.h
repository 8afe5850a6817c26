#ifndef RADDLE_INSTRUMENT_SPAN_H
#define RADDLE_INSTRUMENT_SPAN_H

#include "instrument/instrument.h"

/* A loop of span.c, for span_make.c. */
struct span_loop {
    struct work *work;
    struct graph *graph;
    bool *in;                       /* which blocks, by their numbers */
    LLVMBasicBlockRef entry, head;  /* where it is entered from, for sure, and where it begins */
    LLVMBasicBlockRef latch;        /* from where it goes back to the head */
    LLVMBasicBlockRef leaves, exit; /* from where to where it leaves: the head or the latch */
    LLVMValueRef compare;           /* decides that */
    LLVMIntPredicate predicate;     /* it goes on while that is so between a counter and a bound, */
    bool swaps;                     /* which are the other way round there */
    VEC(LLVMValueRef) accesses;     /* to be told */
    VEC(LLVMValueRef) rest;         /* others, which keep their checks */
    bool blind;                     /* it may write anywhere: what it loads itself is not known */
    VEC(LLVMValueRef) wider;        /* values that were widened on the way to the one looked at */
};

/* What a phi of its head is in the first round; and what it becomes in the next. */
LLVMValueRef span_phi_start(const struct span_loop *loop, LLVMValueRef phi);
LLVMValueRef span_phi_next(const struct span_loop *loop, LLVMValueRef phi);

LLVMValueRef span_counter(const struct span_loop *loop);
LLVMValueRef span_bound(const struct span_loop *loop);
bool span_is_inside(const struct span_loop *loop, LLVMValueRef value);
/* Whether it is done once more than the test is passed. */
bool span_is_once_more(const struct span_loop *loop, LLVMValueRef access);

/* Finds again what is widened on the way to the value, into `wider`. */
void span_find_wider(struct span_loop *loop, LLVMValueRef value);

bool span_is_access(struct work *work, LLVMValueRef instruction);

/* Gives it a copy without hooks, and a look in front of both whether to take that one. */
void span_copy(struct span_loop *loop);

/* ---- quick.c */
#define SAME_DEPTH 8 /* operands of operands that are compared */
LLVMValueRef access_pointer(LLVMValueRef access);
int access_class(const struct work *work, LLVMValueRef access);
bool is_quick(const struct work *work, const struct point *point);
/* Whether both are the same, whenever both have been computed in one round of a loop. */
bool same_value(LLVMValueRef a, LLVMValueRef b, unsigned depth);

#endif
