/* Two threads share one immutable document of jansson: reference counts are the only thing that they write. */
#include <assert.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>

static json_t *document;

static void *use(void *arg)
{
    json_t *list, *item;

    (void)arg;
    list = json_incref(json_object_get(document, "list"));
    item = json_incref(json_array_get(list, 1));
    assert(strcmp(json_string_value(item), "two") == 0);
    json_decref(item);
    json_decref(list);
    return NULL;
}

int main(void)
{
    pthread_t others[2];

    document = json_loads("{\"list\": [1, \"two\"]}", 0, NULL);
    assert(document);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    json_decref(document);
    return 0;
}
