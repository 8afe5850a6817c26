// HOOKS: rmw4=7 rmw8=1 cas4=3 fence=5 unseen=1 acquire=1 release=1 plain=1 seq_cst=14
/* Fences and locked instructions in inline assembly. */
#include <stdio.h>

static int word = 5;
static long longer = 6;
static int old_value, result;

__attribute__((always_inline)) static inline int cas(int *p, int expected, int desired)
{
    int was;

    __asm__ volatile("lock; cmpxchgl %2,%1"
                     : "=a"(was), "+m"(*p)
                     : "r"(desired), "0"(expected)
                     : "memory");
    return was;
}

__attribute__((disable_sanitizer_instrumentation)) static void report(int a, int b, int c, int d)
{
    printf("%d %d %d %d %d %ld\n", a, b, c, d, word, longer);
}

int main(void)
{
    int a = 3, b = 10, c = 8, private_word = 4;
    long l = 9;
    char set;
    _Bool flag;

    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("lfence" ::: "memory");
    __asm__ volatile("sfence" ::: "memory");
    __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __asm__ volatile("lock\n\torq $0, (%%rsp)" ::: "memory", "cc");
    __asm__ volatile("pause");
    __asm__ volatile("rep; nop" ::: "memory");
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("lock; xaddl %0,%1" : "+r"(a), "+m"(word)::"memory");
    __asm__ volatile("xchgl %0,%1" : "=r"(b), "+m"(word) : "0"(b) : "memory");
    __asm__ volatile("lock xaddq %0,%1" : "+r"(l), "+m"(longer)::"memory");
    __asm__ volatile("lock; incl %0" : "+m"(word));
    __asm__ volatile("lock; addl %1,%0" : "+m"(word) : "ir"(20));
    __asm__ volatile("lock; orl $64,%0" : "+m"(word));
    __asm__ volatile("lock; decl %0" : "+m"(word));
    __asm__ volatile("lock; incl %0" : "+m"(private_word));
    c = cas(&word, 94, 1000);
    __asm__ volatile("lock; cmpxchgl %3,%1; sete %0"
                     : "=q"(set), "+m"(word), "+a"(c)
                     : "r"(2000)
                     : "memory");
    c = 1000;
    __asm__ volatile("lock; cmpxchgl %3,%1"
                     : "=@ccz"(flag), "+m"(word), "+a"(c)
                     : "r"(3000)
                     : "memory");
    __asm__("bsrl %1,%0" : "=r"(b) : "r"(b)); /* no memory */
    __asm__ volatile("movl %1, %%eax; movl %%eax, %0" : "=m"(word) : "r"(4321) : "eax");
    report(a, b, set + flag * 2 + private_word * 10, (int)l);
    return 0;
}
