#ifndef DOWNLOADER_HTTP_H
#define DOWNLOADER_HTTP_H

/* As much of HTTP/1.1 as a download in pieces needs. */

/* Where the file is. */
struct http_place {
    char host[256], port[8], path[1024];
    struct addrinfo *addresses; /* found by http_find */
};

/* Reads an address of the form http://HOST[:PORT]/PATH. 0, or -1 if it is none. */
int http_parse(const char *url, struct http_place *place);

/* Looks the host up. 0, or -1 after one line on stderr. */
int http_find(struct http_place *place);
void http_forget(struct http_place *place);

/* How many bytes the file has, if the server can send parts of it; -1, after one line on stderr, if not. */
long long http_size(const struct http_place *place);

/* Fetches `size` bytes from `first` on into the same place of the open file. 0, or -1 after one line on stderr. */
int http_fetch(const struct http_place *place, long long first, long long size, int fd);

#endif
