/* FAKE. No glibc symbol above 2.17 (strtol, stat and getrandom have newer ones). */
#include "orders.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* By this symbol a program can tell that the library is no vendor's. */
FAKE_EXPORT const char gantry_fake_gpu_library[] = "a test double of Gantry's tests";

/* Read once: several threads, one for each GPU, may ask. */
static const char *orders_of_file(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char text[1024];
    static int known;
    pthread_mutex_lock(&lock);
    const int fd = known ? -1 : open("/etc/gantry-fake-gpu", O_RDONLY | O_CLOEXEC);
    known = 1;
    if (fd >= 0) {
        ssize_t size = read(fd, text, sizeof text - 1);
        close(fd);
        text[size > 0 ? size : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
    }
    pthread_mutex_unlock(&lock);
    return text;
}

static const char *orders(void) {
    const char *variable = getenv("GANTRY_FAKE_GPU");
    return variable ? variable : orders_of_file();
}

static long number(const char *text) {
    long sign = 1, value = 0, base = 10;
    if (*text == '-') {
        sign = -1;
        ++text;
    }
    if (text[0] == '0' && text[1] == 'x') {
        base = 16;
        text += 2;
    }
    for (;; ++text) {
        long digit;
        if (*text >= '0' && *text <= '9') digit = *text - '0';
        else if (base == 16 && *text >= 'a' && *text <= 'f') digit = *text - 'a' + 10;
        else return sign * value;
        value = value * base + digit;
    }
}

/* The value of the order NAME=, NULL where it is not given. */
static const char *value_of(const char *name) {
    size_t length = strlen(name);
    for (const char *order = orders(); *order;) {
        if (strncmp(order, name, length) == 0 && order[length] == '=') return order + length + 1;
        order += strcspn(order, ",");
        if (*order == ',') ++order;
    }
    return NULL;
}

static int is_word(const char *text, const char *word) {
    size_t length = strcspn(text, ",");
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

long fake_enter(const char *call) {
    const char *value = value_of("hang");
    if (value && is_word(value, call))
        for (;;) pause();
    value = value_of("crash");
    /* Not raise(): the check is the first process of its pid namespace, where
     * the kernel drops every signal but those of a fault. */
    if (value && is_word(value, call)) {
        volatile int *volatile nowhere = NULL;
        *nowhere = 0;
    }
    value = value_of(call);
    return value ? number(value) : 0;
}

unsigned fake_count(const char *folder, const char *prefix) {
    const char *ordered = value_of("count");
    if (ordered) return (unsigned)number(ordered);
    DIR *entries = opendir(folder);
    if (!entries) return 0;
    unsigned count = 0;
    size_t length = strlen(prefix);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strncmp(entry->d_name, prefix, length) == 0 && entry->d_name[length] >= '0' &&
            entry->d_name[length] <= '9')
            ++count;
    closedir(entries);
    return count;
}

long fake_number(const char *name, long otherwise) {
    const char *value = value_of(name);
    return value ? number(value) : otherwise;
}

int fake_told(const char *name, const char *word) {
    const char *value = value_of(name);
    return value && is_word(value, word);
}

int fake_skips_product(void) {
    const long slow = fake_number("slow", 0);
    const struct timespec pause = {slow / 1000, slow % 1000 * 1000000};
    if (slow > 0) nanosleep(&pause, NULL);
    static int products;
    if (fake_told("product", "stale"))
        return __atomic_fetch_add(&products, 1, __ATOMIC_RELAXED) > 0;
    return fake_told("product", "skipped");
}

void fake_spoil_product(float *product, unsigned size) {
    static const unsigned kNoNumber = 0x7fc0dead;
    float *element = product + (size_t)(size / 3) * size + size / 5;
    unsigned bits;
    memcpy(&bits, element, sizeof bits);
    bits ^= 1U << 13;
    if (fake_told("product", "bit")) memcpy(element, &bits, sizeof bits);
    if (fake_told("product", "more")) *element += 1;
    if (fake_told("product", "nan")) memcpy(element, &kNoNumber, sizeof kNoNumber);
    if (fake_told("product", "row"))
        for (unsigned i = 0; i < size; ++i)
            memcpy(product + (size_t)(size / 3) * size + i, &kNoNumber, sizeof kNoNumber);
}

const char *fake_text(const char *name, unsigned long *length) {
    const char *value = value_of(name);
    if (value) *length = strcspn(value, ",");
    return value;
}
