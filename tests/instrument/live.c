/* What is live at each access; live.expected has it, the same at all levels. */
int x, y;
int *leak;

static int inner(int depth, int factor)
{
    int product = depth * factor;

    x = product; /* depth and factor are used later, product is the value */
    if (depth > 0)
        product += inner(depth - 1, factor + 1);
    y = product;
    return product;
}

static void loop(int n)
{
    int sum = 0, array[3];

    __builtin_memset(array, 0, sizeof array); /* not live before: nothing was written yet */
    leak = array;
    for (int i = 0; i < n; i++) {
        array[i] = i;
        sum += i;
        y = sum;
    }
    x = sum;
}

int main(void)
{
    int result = inner(1, 3);

    loop(2);
    x = result;
    return 0;
}
