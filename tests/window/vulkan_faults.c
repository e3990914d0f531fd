// A Vulkan layer that lets calls fail as a driver would, so that the program is tested against real losses of device,
// surface and memory and needs no door of its own for that. tests/window/faults.rs compiles it and turns it on by the
// loader's own variables.
//
// The file named by VULKAN_FAULTS says what fails, a line each:  FUNCTION RESULT COUNT [LEAST_BYTES]
// COUNT is how often it still does (-1: for ever) and is counted down in the file. LEAST_BYTES is for vkAllocateMemory.
// Written against the Vulkan specification and the loader's layer interface, without their headers.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t Result;
typedef void (*Function)(void);
typedef Function (*GetProcAddr)(void *handle, const char *name);

typedef struct Link {
    struct Link *next;
    GetProcAddr instance_proc;
    GetProcAddr device_proc; // Of a device; of an instance it is one for physical devices.
} Link;

// VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo.
typedef struct Chain {
    int32_t type;
    struct Chain *next;
    int32_t function; // 0: link info
    Link *link;
} Chain;

// The head of any create info.
typedef struct {
    int32_t type;
    Chain *next;
} Head;

typedef struct {
    int32_t type;
    void *next;
    uint32_t version;
    GetProcAddr instance_proc, device_proc, physical_device_proc;
} Negotiation;

enum { LOADER_INSTANCE = 47, LOADER_DEVICE = 48, MOST = 256 };

static struct {
    void *key;
    GetProcAddr next;
} instances[MOST], devices[MOST];
static int instance_count, device_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// All handles of one instance, or of one device, share this.
static void *key_of(void *handle) { return *(void **)handle; }

static GetProcAddr next_of_instance(void *handle) {
    for (int i = instance_count - 1; i >= 0; i--)
        if (instances[i].key == key_of(handle)) return instances[i].next;
    return NULL;
}

static GetProcAddr next_of_device(void *handle) {
    for (int i = device_count - 1; i >= 0; i--)
        if (devices[i].key == key_of(handle)) return devices[i].next;
    return NULL;
}

// The result that a call of `name` is to fail with, or 0.
static Result fault(const char *name, uint64_t bytes) {
    const char *path = getenv("VULKAN_FAULTS");
    if (!path) return 0;
    pthread_mutex_lock(&lock);
    Result found = 0;
    char rest[4096] = "", line[256];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char function[64];
        int result = 0, count = 0;
        unsigned long long least = 0;
        int fields = sscanf(line, "%63s %d %d %llu", function, &result, &count, &least);
        if (fields < 3 || count == 0) continue;
        if (!found && !strcmp(function, name) && bytes >= least) {
            found = result;
            if (count > 0) count--;
        }
        size_t used = strlen(rest);
        if (count) snprintf(rest + used, sizeof rest - used, "%s %d %d %llu\n", function, result, count, least);
    }
    if (file) fclose(file);
    if (found && (file = fopen(path, "w"))) {
        fputs(rest, file);
        fclose(file);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

#define PASS(NAME, PARAMETERS, ARGUMENTS, BYTES)                                      \
    static Result NAME PARAMETERS {                                                   \
        Result failed = fault(#NAME, BYTES);                                          \
        if (failed) return failed;                                                    \
        return ((Result(*) PARAMETERS)next_of_device(handle)(device_of(handle), #NAME)) ARGUMENTS; \
    }

// Next layers look functions up by device only; each is asked for the first handle that was seen of it.
static void *handles[MOST];
static void *device_of(void *handle) {
    for (int i = device_count - 1; i >= 0; i--)
        if (devices[i].key == key_of(handle)) return handles[i];
    return NULL;
}

PASS(vkQueueSubmit, (void *handle, uint32_t count, const void *submits, uint64_t fence), (handle, count, submits, fence), 0)
PASS(vkQueuePresentKHR, (void *handle, const void *info), (handle, info), 0)
PASS(vkAcquireNextImageKHR,
     (void *handle, uint64_t swapchain, uint64_t timeout, uint64_t semaphore, uint64_t fence, uint32_t *index),
     (handle, swapchain, timeout, semaphore, fence, index), 0)
PASS(vkCreateSwapchainKHR, (void *handle, const void *info, const void *allocator, uint64_t *out), (handle, info, allocator, out), 0)
PASS(vkWaitSemaphores, (void *handle, const void *info, uint64_t timeout), (handle, info, timeout), 0)
PASS(vkWaitSemaphoresKHR, (void *handle, const void *info, uint64_t timeout), (handle, info, timeout), 0)
PASS(vkWaitForFences, (void *handle, uint32_t count, const uint64_t *fences, uint32_t all, uint64_t timeout),
     (handle, count, fences, all, timeout), 0)
// VkMemoryAllocateInfo: the size stands after type and chain.
PASS(vkAllocateMemory, (void *handle, const void *info, const void *allocator, uint64_t *out), (handle, info, allocator, out),
     ((const uint64_t *)info)[2])

static Chain *link_info(const Head *info, int32_t type) {
    Chain *chain = info->next;
    while (chain && !(chain->type == type && chain->function == 0)) chain = chain->next;
    return chain;
}

static Result vkCreateInstance(const Head *info, const void *allocator, void **out) {
    Chain *chain = link_info(info, LOADER_INSTANCE);
    if (!chain || instance_count == MOST) return -3;
    GetProcAddr next = chain->link->instance_proc;
    chain->link = chain->link->next;
    Result result = ((Result(*)(const Head *, const void *, void **))next(NULL, "vkCreateInstance"))(info, allocator, out);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        instances[instance_count].key = key_of(*out);
        instances[instance_count++].next = next;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static Result vkCreateDevice(void *physical, const Head *info, const void *allocator, void **out) {
    Chain *chain = link_info(info, LOADER_DEVICE);
    if (!chain || device_count == MOST) return -3;
    Result result = fault("vkCreateDevice", 0);
    if (result) return result;
    GetProcAddr instance_proc = chain->link->instance_proc, device_proc = chain->link->device_proc;
    chain->link = chain->link->next;
    Function create = instance_proc(NULL, "vkCreateDevice");
    result = ((Result(*)(void *, const Head *, const void *, void **))create)(physical, info, allocator, out);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        handles[device_count] = *out;
        devices[device_count].key = key_of(*out);
        devices[device_count++].next = device_proc;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static Function faults_instance_proc(void *instance, const char *name);
static Function faults_device_proc(void *device, const char *name);

static Function own(const char *name) {
    struct {
        const char *name;
        Function function;
    } all[] = {
        {"vkGetInstanceProcAddr", (Function)faults_instance_proc},
        {"vkGetDeviceProcAddr", (Function)faults_device_proc},
        {"vkCreateInstance", (Function)vkCreateInstance},
        {"vkCreateDevice", (Function)vkCreateDevice},
        {"vkQueueSubmit", (Function)vkQueueSubmit},
        {"vkQueuePresentKHR", (Function)vkQueuePresentKHR},
        {"vkAcquireNextImageKHR", (Function)vkAcquireNextImageKHR},
        {"vkCreateSwapchainKHR", (Function)vkCreateSwapchainKHR},
        {"vkWaitSemaphores", (Function)vkWaitSemaphores},
        {"vkWaitSemaphoresKHR", (Function)vkWaitSemaphoresKHR},
        {"vkWaitForFences", (Function)vkWaitForFences},
        {"vkAllocateMemory", (Function)vkAllocateMemory},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) return all[i].function;
    return NULL;
}

static Function faults_instance_proc(void *instance, const char *name) {
    Function found = own(name);
    if (found) return found;
    GetProcAddr next = instance ? next_of_instance(instance) : NULL;
    return next ? next(instance, name) : NULL;
}

static Function faults_device_proc(void *device, const char *name) {
    GetProcAddr next = next_of_device(device);
    // What the device does not have is not there.
    if (!next || !next(device, name)) return NULL;
    Function found = own(name);
    return found ? found : next(device, name);
}

Result vkNegotiateLoaderLayerInterfaceVersion(Negotiation *with) {
    if (with->version > 2) with->version = 2;
    with->instance_proc = faults_instance_proc;
    with->device_proc = faults_device_proc;
    with->physical_device_proc = NULL;
    return 0;
}
