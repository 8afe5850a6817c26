#ifndef TOTAL_H
#define TOTAL_H

/* A sum that threads add to. total_add_racy forgets that there are others. */
void total_add(int n);
void total_add_racy(int n);
int total_get(void);

#endif
