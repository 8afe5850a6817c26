// The names of SV-COMP. A number that is not all it could be makes the verdict incomplete; a bool is.
// EXPECT: safe executions=1 blocked=1
// EXPECT(sc -DERROR): assertion
// EXPECT(sc -DOLD_ERROR): assertion
// EXPECT(sc -DINT): incomplete says=__VERIFIER_nondet_int
// EXPECT(sc -DINT -DERROR): assertion
extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void) __attribute__((noreturn));
extern void reach_error(void);

int main(void)
{
    _Bool b = __VERIFIER_nondet_bool();

    __VERIFIER_assume(b);
#ifdef INT
    if (__VERIFIER_nondet_int() == 0)
        return 0;
#endif
#ifdef ERROR
    reach_error();
#endif
#ifdef OLD_ERROR
    __VERIFIER_error();
#endif
    return 0;
}
