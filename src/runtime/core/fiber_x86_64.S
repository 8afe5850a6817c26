/* Switching stacks on x86-64, System V ABI. What is pushed here is struct fiber_frame of fiber.c.
 *
 * The ABI makes a function preserve rbx, rbp, r12-r15, rsp, the control bits of mxcsr and the x87
 * control word; all else is dead across a call, vector registers included. mxcsr and the control
 * word are part of what a thread may change (fesetround), so each fiber has its own. That costs:
 * 5.6 ns a switch instead of 1.9 (Zen 3; most of it is stmxcsr). Loading only what differs was
 * slower (6.9 ns), as the comparison waits for the store. -DFIBER_IGNORES_FPU leaves both out, for
 * whoever knows that no thread changes them. */

        .text
        .globl  fiber_switch
        .hidden fiber_switch
        .type   fiber_switch, @function
        .p2align 4
fiber_switch:                           /* rdi: from, rsi: to */
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
#ifndef FIBER_IGNORES_FPU
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
#endif
        movq    %rsp, (%rdi)
        /* From here on the unwinder reads the other fiber's frame, which has the same shape. */
        movq    (%rsi), %rsp
#ifndef FIBER_IGNORES_FPU
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
#endif
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        /* Not `ret`: the processor predicts that it returns to our caller, which is wrong each
         * time. */
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rcx
        jmp     *%rcx
        .cfi_endproc
        .size   fiber_switch, . - fiber_switch

/* A call on the stack of another fiber. Below its sp nothing is in use: it stopped in a call of fiber_switch. */
        .globl  fiber_borrow
        .hidden fiber_borrow
        .type   fiber_borrow, @function
        .p2align 4
fiber_borrow:                           /* rdi: whose stack, rsi: what to call */
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    (%rdi), %rsp
        andq    $-16, %rsp
        callq   *%rsi
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        retq
        .cfi_endproc
        .size   fiber_borrow, . - fiber_borrow

/* Where a prepared fiber begins: r12 is its entry, r13 the argument. The bottom of the stack, for
 * the unwinder too. */
        .globl  fiber_start
        .hidden fiber_start
        .type   fiber_start, @function
        .p2align 4
fiber_start:
        .cfi_startproc
        .cfi_undefined %rip
        xorl    %ebp, %ebp
        movq    %r13, %rdi
        callq   *%r12
        .hidden fiber_returned
        callq   fiber_returned
        ud2
        .cfi_endproc
        .size   fiber_start, . - fiber_start

        .section .note.GNU-stack, "", @progbits
