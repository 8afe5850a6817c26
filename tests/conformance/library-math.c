// Functions of math.h that store through a pointer, and a few that do not.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <fenv.h>
#include <math.h>

static int exponent, quotient, sign_of;
static double whole, sine, cosine;
static float whole_f, sine_f, cosine_f;
static long double whole_l;

static void program(void)
{
    volatile double x = 10.5, y = 3;

    NUM((long)(frexp(x, &exponent) * 1000));
    NUM(exponent);
    NUM((long)(frexpf((float)x, &exponent) * 1000));
    NUM((long)(frexpl((long double)x, &exponent) * 1000));
    NUM((long)(modf(x, &whole) * 1000));
    NUM((long)whole);
    NUM((long)(modff((float)x, &whole_f) * 1000));
    NUM((long)(modfl((long double)x, &whole_l) * 1000));
    NUM((long)whole_l);
    NUM((long)(remquo(x, y, &quotient) * 1000));
    NUM(quotient);
    sincos(x, &sine, &cosine);
    NUM((long)(sine * 1e6));
    NUM((long)(cosine * 1e6));
    sincosf((float)x, &sine_f, &cosine_f);
    NUM((long)(sine_f * 1000));
    NUM((long)(lgamma_r(x, &sign_of) * 1e6));
    NUM(sign_of);
    NUM(isnan(nan("1")) != 0);
    NUM((long)(sqrt(x) * 1e6 + sin(x) * 1e6 + pow(x, y) + exp(y) * 1e3 + log(x) * 1e6 + floor(x) + ceil(x)));
    NUM((long)(fmod(x, y) * 1e6 + atan2(x, y) * 1e6 + hypot(x, y) * 1e6 + cbrt(x) * 1e6 + tanh(y) * 1e6));
    NUM(lround(x) + lrint(y) + llround(-x));
    errno = 0;
    y = -1;
    NUM(isnan(sqrt(y)) != 0);
    NUM(errno == EDOM);
}
