// A Vulkan layer that makes one call fail, and counts calls. tests/faults/main.rs builds it and lists the functions.
//
// STARLINGS_FAULT_CALL    the function; if unset, no call fails
// STARLINGS_FAULT_NUMBER  which of its calls fails, from 1; with a + at its end, that call and all later ones
// STARLINGS_FAULT_RESULT  what it returns, a VkResult
// STARLINGS_FAULT_OF      if set, only calls of vkQueueSubmit2 count that submit the command buffer of this name
// STARLINGS_FAULT_REACHED file that is made when it fails
// STARLINGS_FAULT_DONE    after a lost device: how many queries of a pool have arrived; if unset, all
// STARLINGS_FAULT_REPORT  if set, devices have VK_EXT_device_fault, and report one invalid write and one code of the
//                         vendor
// STARLINGS_FAULT_PAUSE   milliseconds that each image takes to be presented, as on a slow display
// STARLINGS_FAULT_COUNTS  file for lines `CALLS FUNCTION`, written when the layer is unloaded
//
// A call that fails does not reach the driver, as if nothing had happened; a presented image does, as the specification
// says. After a lost device, everything that waits or submits fails as well, once the driver is idle: objects may be
// destroyed.
//
// No Vulkan header is needed: arguments are integers and pointers, which the calling conventions of 64-bit Linux pass
// alike, so one type serves all functions. Functions with fewer arguments ignore the rest.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uintptr_t A;
typedef int32_t (*Call)(A, A, A, A, A, A, A, A);
typedef void (*Any)(void);
typedef Any (*Lookup)(void *, const char *);

// Functions that return a result: of an instance, then of a device.
#define OF_INSTANCE(X) \
    X(vkCreateInstance) X(vkEnumeratePhysicalDevices) X(vkEnumerateDeviceExtensionProperties) X(vkCreateDevice) \
    X(vkCreateDebugUtilsMessengerEXT) X(vkCreateXlibSurfaceKHR) X(vkCreateXcbSurfaceKHR) X(vkCreateWaylandSurfaceKHR) \
    X(vkCreateHeadlessSurfaceEXT) X(vkGetPhysicalDeviceSurfaceSupportKHR) X(vkGetPhysicalDeviceSurfaceCapabilitiesKHR) \
    X(vkGetPhysicalDeviceSurfaceFormatsKHR) X(vkGetPhysicalDeviceSurfacePresentModesKHR)
#define OF_DEVICE(X) \
    X(vkCreateSwapchainKHR) X(vkGetSwapchainImagesKHR) X(vkAcquireNextImageKHR) X(vkQueuePresentKHR) X(vkAllocateMemory) \
    X(vkMapMemory) X(vkFlushMappedMemoryRanges) X(vkInvalidateMappedMemoryRanges) X(vkBindBufferMemory) X(vkBindBufferMemory2) \
    X(vkBindImageMemory) X(vkBindImageMemory2) X(vkCreateBuffer) X(vkCreateBufferView) X(vkCreateImage) X(vkCreateImageView) \
    X(vkCreateSampler) X(vkCreateShaderModule) X(vkCreateDescriptorSetLayout) X(vkCreatePipelineLayout) \
    X(vkCreateDescriptorPool) X(vkResetDescriptorPool) X(vkAllocateDescriptorSets) X(vkFreeDescriptorSets) \
    X(vkCreateComputePipelines) X(vkCreateGraphicsPipelines) X(vkCreatePipelineCache) X(vkGetPipelineCacheData) \
    X(vkMergePipelineCaches) X(vkCreateFence) X(vkCreateEvent) X(vkCreateSemaphore) X(vkCreateQueryPool) X(vkCreateCommandPool) \
    X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkResetCommandPool) X(vkResetCommandBuffer) \
    X(vkResetFences) X(vkResetEvent) X(vkGetFenceStatus) X(vkWaitForFences) X(vkWaitSemaphores) X(vkSignalSemaphore) \
    X(vkGetSemaphoreCounterValue) X(vkGetQueryPoolResults) X(vkQueueSubmit) X(vkQueueSubmit2) X(vkQueueWaitIdle) \
    X(vkDeviceWaitIdle) X(vkSetDebugUtilsObjectNameEXT) X(vkGetCalibratedTimestampsKHR) X(vkGetCalibratedTimestampsEXT) \
    X(vkCreateRenderPass) X(vkCreateRenderPass2) X(vkCreateFramebuffer) X(vkCreateSamplerYcbcrConversion) \
    X(vkCreatePrivateDataSlot) X(vkSetPrivateData) X(vkCreateDescriptorUpdateTemplate) X(vkGetMemoryFdKHR)

#define NUMBER(name) N_##name,
enum { OF_INSTANCE(NUMBER) OF_DEVICE(NUMBER) FUNCTIONS };
#define NAME(name) #name,
static const char *const names[FUNCTIONS] = {OF_INSTANCE(NAME) OF_DEVICE(NAME)};

static Call next[FUNCTIONS];
static Lookup next_of_instance, next_of_device;
static atomic_uint calls[FUNCTIONS];
static atomic_int lost;
static void *device;

enum { DEVICE_LOST = -4, SURFACE_LOST = -1000000000, OUT_OF_DATE = -1000001004, SUBOPTIMAL = 1000001003 };

static int fails(int function, int32_t *result) {
    unsigned number = atomic_fetch_add(&calls[function], 1) + 1;
    const char *call = getenv("STARLINGS_FAULT_CALL"), *which = getenv("STARLINGS_FAULT_NUMBER");
    const char *code = getenv("STARLINGS_FAULT_RESULT");
    if (!call || !which || !code || strcmp(call, names[function])) return 0;
    char *end;
    unsigned first = (unsigned)strtoul(which, &end, 10), last = first;
    if (*end == '+') last = ~0u;
    if (*end == '-') last = (unsigned)strtoul(end + 1, NULL, 10);
    if (number < first || number > last) return 0;
    *result = (int32_t)strtol(code, NULL, 10);
    const char *path = getenv("STARLINGS_FAULT_REACHED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) fclose(file);
    return 1;
}

struct Chain { int32_t type; struct Chain *next; };
struct Name { struct Chain head; int32_t type; uint64_t object; const char *name; };
struct Submitted { struct Chain head; A commands; uint32_t mask; };
struct Submission { struct Chain head; uint32_t flags, waits; const void *wait_list; uint32_t count; const struct Submitted *list; };

// The last command buffer that was named as STARLINGS_FAULT_OF says.
static _Atomic(A) named;

static void note_name(const struct Name *info) {
    const char *name = getenv("STARLINGS_FAULT_OF");
    if (name && info->name && !strcmp(name, info->name)) atomic_store(&named, (A)info->object);
}

// Whether a call is among those that are counted. The program submits one at a time.
static int is_meant(int function, const struct Submission *submission) {
    if (!getenv("STARLINGS_FAULT_OF")) return 1;
    if (function != N_vkQueueSubmit2) return 0;
    for (uint32_t at = 0; at < submission->count; at++)
        if (submission->list[at].commands == atomic_load(&named)) return 1;
    return 0;
}

static int waits_or_submits(int function) {
    switch (function) {
    case N_vkQueueSubmit: case N_vkQueueSubmit2: case N_vkQueueWaitIdle: case N_vkDeviceWaitIdle: case N_vkWaitForFences:
    case N_vkGetFenceStatus: case N_vkWaitSemaphores: case N_vkAcquireNextImageKHR: case N_vkQueuePresentKHR: return 1;
    default: return 0;
    }
}

// Functions that use the queue: never at once, also where this layer calls one of its own. The program has a lock of
// its own.
static int uses_queue(int function) {
    switch (function) {
    case N_vkQueueSubmit: case N_vkQueueSubmit2: case N_vkQueueWaitIdle: case N_vkDeviceWaitIdle: case N_vkQueuePresentKHR: return 1;
    default: return 0;
    }
}

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;

static int32_t pass(int function, A a, A b, A c, A d, A e, A f, A g, A h) {
    if (!uses_queue(function)) return next[function](a, b, c, d, e, f, g, h);
    const char *pause = getenv("STARLINGS_FAULT_PAUSE");
    if (pause && function == N_vkQueuePresentKHR) usleep(1000 * (useconds_t)strtoul(pause, NULL, 10));
    pthread_mutex_lock(&queue);
    int32_t real = next[function](a, b, c, d, e, f, g, h);
    pthread_mutex_unlock(&queue);
    return real;
}

// VK_EXT_device_fault, which neither the driver nor the layers below know of: what concerns it does not reach them.
#define DEVICE_FAULT "VK_EXT_device_fault"
enum { FAULT_FEATURES = 1000341000, INCOMPLETE = 5, WRITE_INVALID = 2 };
struct Extension { char name[256]; uint32_t version; };
struct FaultFeatures { struct Chain head; uint32_t reports, reports_binary; };
struct DeviceInfo {
    struct Chain head;
    uint32_t flags, queues;
    const void *queue_infos;
    uint32_t layers;
    const char *const *layer_names;
    uint32_t extensions;
    const char *const *extension_names;
    const void *features;
};
struct FaultCounts { struct Chain head; uint32_t addresses, codes; uint64_t bytes; };
struct FaultAddress { int32_t type; uint64_t address, precision; };
struct FaultCode { char text[256]; uint64_t code, data; };
struct FaultInfo { struct Chain head; char text[256]; struct FaultAddress *addresses; struct FaultCode *codes; void *bytes; };

static Call next_features;

static int can_report(void) { return getenv("STARLINGS_FAULT_REPORT") != NULL; }

static struct Chain **find(struct Chain *head, int32_t type) {
    struct Chain **at = &head->next;
    while (*at && (*at)->type != type) at = &(*at)->next;
    return at;
}

static int32_t enumerate_and_add(A physical, uint32_t *count, struct Extension *list) {
    uint32_t room = *count;
    int32_t real = next[N_vkEnumerateDeviceExtensionProperties](physical, 0, (A)count, (A)list, 0, 0, 0, 0);
    if (real) return real;
    if (list && *count == room) return INCOMPLETE;
    if (list) list[*count] = (struct Extension){DEVICE_FAULT, 2};
    *count += 1;
    return real;
}

static void hook_features(A physical, struct Chain *features) {
    next_features(physical, (A)features, 0, 0, 0, 0, 0, 0);
    struct FaultFeatures *fault = (struct FaultFeatures *)*find(features, FAULT_FEATURES);
    if (fault) fault->reports = 1;
}

static int32_t report(A of, struct FaultCounts *counts, struct FaultInfo *info) {
    (void)of;
    if (info) {
        if (counts->addresses < 1 || counts->codes < 1) return INCOMPLETE;
        strcpy(info->text, "a layer pretends:\nit faulted");
        info->addresses[0] = (struct FaultAddress){WRITE_INVALID, 0x1234, 0x1000};
        info->codes[0] = (struct FaultCode){"MMU", 7, 16};
    }
    counts->addresses = counts->codes = 1;
    counts->bytes = 0;
    return 0;
}

static int32_t call(int function, A a, A b, A c, A d, A e, A f, A g, A h) {
    int32_t fault;
    if (function == N_vkSetDebugUtilsObjectNameEXT) note_name((const struct Name *)b);
    if (is_meant(function, (const struct Submission *)c) && fails(function, &fault)) {
        int presents = function == N_vkQueuePresentKHR && (fault == SURFACE_LOST || fault == OUT_OF_DATE);
        if (presents || fault == SUBOPTIMAL) {
            int32_t real = pass(function, a, b, c, d, e, f, g, h);
            return real < 0 ? real : fault;
        }
        if (fault == DEVICE_LOST && device) {
            pass(N_vkDeviceWaitIdle, (A)device, 0, 0, 0, 0, 0, 0, 0);
            atomic_store(&lost, 1);
        }
        return fault;
    }
    if (atomic_load(&lost) && waits_or_submits(function)) return DEVICE_LOST;
    if (function == N_vkEnumerateDeviceExtensionProperties && can_report() && !b)
        return enumerate_and_add(a, (uint32_t *)c, (struct Extension *)d);
    int32_t real = pass(function, a, b, c, d, e, f, g, h);
    const char *done = getenv("STARLINGS_FAULT_DONE");
    // Arguments: device, pool, first, count, bytes, data, stride, flags: 64 bits each (1), with availability (4).
    if (function == N_vkGetQueryPoolResults && atomic_load(&lost) && done && ((uint32_t)h & 5) == 5)
        for (uint32_t query = 0; query < (uint32_t)d; query++)
            if ((uint32_t)c + query >= strtoul(done, NULL, 10)) ((uint64_t *)(f + g * query))[1] = 0;
    return real;
}

#define HOOK(name) \
    static int32_t hook_##name(A a, A b, A c, A d, A e, A f, A g, A h) { return call(N_##name, a, b, c, d, e, f, g, h); }
OF_INSTANCE(HOOK) OF_DEVICE(HOOK)

// The loader's link to the next layer, in the chain of an instance's or a device's create info.
struct Link { struct Link *next; Lookup of_instance, of_device; };
struct Chained { int32_t type; struct Chained *next; int32_t function; struct Link *link; };
enum { LOADER_INSTANCE = 47, LOADER_DEVICE = 48 };

static struct Chained *chained(A info, int32_t type) {
    struct Chained *chain = ((struct Chained *)info)->next;
    while (chain && !(chain->type == type && chain->function == 0)) chain = chain->next;
    return chain;
}

static int32_t create_instance(A info, A allocator, A instance) {
    int32_t fault;
    if (fails(N_vkCreateInstance, &fault)) return fault;
    struct Chained *chain = chained(info, LOADER_INSTANCE);
    Lookup lookup = chain->link->of_instance;
    chain->link = chain->link->next;
    Call create = (Call)lookup(NULL, "vkCreateInstance");
    int32_t made = create(info, allocator, instance, 0, 0, 0, 0, 0);
    if (made) return made;
    next_of_instance = lookup;
    for (int function = 0; function < FUNCTIONS; function++)
        if (function != N_vkCreateInstance) next[function] = (Call)lookup(*(void **)instance, names[function]);
    next_features = (Call)lookup(*(void **)instance, "vkGetPhysicalDeviceFeatures2");
    return made;
}

static int32_t create_device(A physical, A info, A allocator, A made_device) {
    int32_t fault;
    if (fails(N_vkCreateDevice, &fault)) return fault;
    struct Chained *chain = chained(info, LOADER_DEVICE);
    Lookup of_instance = chain->link->of_instance, of_device = chain->link->of_device;
    chain->link = chain->link->next;
    Call create = (Call)of_instance(NULL, "vkCreateDevice");
    if (!create) create = next[N_vkCreateDevice];
    struct DeviceInfo without = *(struct DeviceInfo *)info;
    const char *kept[64];
    uint32_t extensions = 0;
    for (uint32_t at = 0; at < without.extensions && extensions < 64; at++)
        if (!can_report() || strcmp(without.extension_names[at], DEVICE_FAULT)) kept[extensions++] = without.extension_names[at];
    without.extensions = extensions;
    without.extension_names = kept;
    struct Chain **place = find(&without.head, FAULT_FEATURES), *fault_features = *place;
    if (fault_features) *place = fault_features->next;
    int32_t made = create(physical, (A)&without, allocator, made_device, 0, 0, 0, 0);
    if (fault_features) *place = fault_features;
    if (made) return made;
    next_of_device = of_device;
    device = *(void **)made_device;
    atomic_store(&lost, 0);
    for (int function = N_vkCreateSwapchainKHR; function < FUNCTIONS; function++) {
        Call found = (Call)of_device(device, names[function]);
        if (found) next[function] = found;
    }
    return made;
}

static Any hook(const char *name) {
    if (!strcmp(name, "vkCreateInstance")) return (Any)create_instance;
    if (!strcmp(name, "vkCreateDevice")) return (Any)create_device;
#define FIND(function) if (!strcmp(name, #function)) return (Any)hook_##function;
    OF_INSTANCE(FIND) OF_DEVICE(FIND)
    return NULL;
}

static Any device_function(void *of, const char *name) {
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (Any)device_function;
    if (!strcmp(name, "vkGetDeviceFaultInfoEXT") && can_report()) return (Any)report;
    Any found = next_of_device ? next_of_device(of, name) : NULL;
    Any own = found ? hook(name) : NULL;
    return own ? own : found;
}

static Any instance_function(void *of, const char *name) {
    if (!strcmp(name, "vkGetInstanceProcAddr")) return (Any)instance_function;
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (Any)device_function;
    if (!strcmp(name, "vkCreateInstance")) return (Any)create_instance;
    if (!strcmp(name, "vkGetPhysicalDeviceFeatures2") && can_report()) return (Any)hook_features;
    Any found = of && next_of_instance ? next_of_instance(of, name) : NULL;
    Any own = found ? hook(name) : NULL;
    return own ? own : found;
}

struct Interface { int32_t type; void *next; uint32_t version; Lookup of_instance, of_device, of_physical; };

__attribute__((visibility("default"))) int32_t vkNegotiateLoaderLayerInterfaceVersion(struct Interface *interface) {
    interface->version = 2;
    interface->of_instance = instance_function;
    interface->of_device = device_function;
    interface->of_physical = NULL;
    return 0;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("STARLINGS_FAULT_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int function = 0; function < FUNCTIONS; function++)
        if (calls[function]) fprintf(file, "%u %s\n", calls[function], names[function]);
    fclose(file);
}
