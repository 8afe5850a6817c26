#include "cli/size.h"

#include <math.h>
#include <stdio.h>

/* The guess may be wrong by what it is of the runs that were made, to that power, and by this much at least. What bench/estimate.sh measures says so. */
#define SURPRISE     0.9
#define SURPRISE_MIN 2.0

/* From that factor on, the guess is only the least that there is. */
#define WIDE 1000

/* No guess is larger: reports cannot write down what is infinite. */
#define GUESS_MAX 1e300

/* Years after which nobody waits for it. */
#define YEARS_MAX 10.0

#define MINUTE 60.0
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define YEAR   (365 * DAY)

/* If the search went on to grow with each step that it comes up as it has so far. The guess knows only of branches that were found, and in a large search most are not. */
static double size_most(const struct explorer_stats *stats)
{
    return pow((double)stats->explored, 1 / fmax(stats->reach, 0.01));
}

bool size_guess(const struct settings *settings, const struct explorer_stats *stats, double seconds,
                struct result_estimate *estimate)
{
    double done = (double)stats->explored, most = size_most(stats);

    *estimate = (struct result_estimate){0};
    if (settings->search.bound_grows || search_samples(settings->search.search) || settings->jobs ||
        done == 0 || stats->estimated <= done)
        return false;
    estimate->executions = fmin(stats->estimated, GUESS_MAX);
    estimate->factor = fmax(pow(estimate->executions / done, SURPRISE), SURPRISE_MIN);
    estimate->factor = fmin(fmax(estimate->factor, most / estimate->executions), GUESS_MAX);
    estimate->seconds_left = fmin(seconds * (estimate->executions - done) / done, GUESS_MAX);
    return true;
}

static const char *duration_text(double seconds, char *text, size_t size)
{
    static const struct {
        double seconds;
        const char *one, *many;
    } units[] = {{YEAR, "year", "years"},
                 {DAY, "day", "days"},
                 {HOUR, "hour", "hours"},
                 {MINUTE, "minute", "minutes"},
                 {1, "second", "seconds"}};
    size_t i = 0;
    double count;

    while (seconds < units[i].seconds && units[i].seconds > 1)
        i++;
    count = fmax(round(seconds / units[i].seconds), 1);
    snprintf(text, size, "%.0f %s", count, count == 1 ? units[i].one : units[i].many);
    return text;
}

/* With as many digits as the guess is worth. */
static const char *number_text(double number, char *text, size_t size)
{
    double power = floor(log10(number)), unit = pow(10, fmax(power - 1, 0));

    if (number < 1e6)
        snprintf(text, size, "%.0f", round(number / unit) * unit);
    else if (number < 1e9)
        snprintf(text, size, "%.2g million", number / 1e6);
    else
        snprintf(text, size, "10^%.0f", round(log10(number)));
    return text;
}

static bool is_wide(const struct result_estimate *estimate)
{
    return estimate->factor >= WIDE;
}

/* "about 4.1 million executions" and how sure that is. */
static void count_text(const struct result_estimate *estimate, char *text, size_t size)
{
    char number[40];

    number_text(estimate->executions, number, sizeof number);
    if (is_wide(estimate))
        snprintf(text, size, "at least about %s executions, perhaps 10^%.0f times as many", number,
                 ceil(log10(estimate->factor)));
    else
        snprintf(text, size, "about %s executions, give or take a factor of %.2g", number,
                 estimate->factor);
}

static const char *left_text(const struct result_estimate *estimate, char *text, size_t size)
{
    char duration[40];

    if (estimate->seconds_left > YEARS_MAX * YEAR)
        snprintf(text, size, "more than can be explored");
    else
        snprintf(text, size, "%s%s more at this rate", is_wide(estimate) ? "at least " : "",
                 duration_text(estimate->seconds_left, duration, sizeof duration));
    return text;
}

const char *size_text(const struct result_estimate *estimate, char *text, size_t size)
{
    char count[100], left[80];

    count_text(estimate, count, sizeof count);
    snprintf(text, size, "%s: %s", count, left_text(estimate, left, sizeof left));
    return text;
}

const char *size_brief(const struct result_estimate *estimate, char *text, size_t size)
{
    char number[40], duration[40];

    number_text(estimate->executions, number, sizeof number);
    if (is_wide(estimate))
        snprintf(text, size, "of %s or more", number);
    else
        snprintf(text, size, "of about %s, %s left", number,
                 duration_text(estimate->seconds_left, duration, sizeof duration));
    return text;
}
