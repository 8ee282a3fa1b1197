/*
 * FAKE. What the runtime can do without: refused, or agreed to without effect.
 * Called through their real declarations; here only their names count, since all
 * return a status and take their arguments in registers.
 */
#include "../orders.h"

enum { SUCCESS = 0, NOT_SUPPORTED = 11 }; /* HSAKMT_STATUS */

#define RETURNS(name, status)            \
    FAKE_EXPORT int name(void);          \
    FAKE_EXPORT int name(void) { return status; }

RETURNS(hsaKmtRuntimeEnable, NOT_SUPPORTED)
RETURNS(hsaKmtRuntimeDisable, SUCCESS)
RETURNS(hsaKmtSetTrapHandler, SUCCESS)
RETURNS(hsaKmtSetXNACKMode, SUCCESS)
RETURNS(hsaKmtShareMemory, NOT_SUPPORTED)
RETURNS(hsaKmtRegisterSharedHandle, NOT_SUPPORTED)
RETURNS(hsaKmtRegisterSharedHandleToNodes, NOT_SUPPORTED)
RETURNS(hsaKmtRegisterGraphicsHandleToNodes, NOT_SUPPORTED)
RETURNS(hsaKmtSVMGetAttr, NOT_SUPPORTED)
RETURNS(hsaKmtSVMSetAttr, NOT_SUPPORTED)
RETURNS(hsaKmtAllocQueueGWS, NOT_SUPPORTED)
/* from 5.3 to 6.1 */
RETURNS(hsaKmtDbgEnable, NOT_SUPPORTED)
RETURNS(hsaKmtDbgDisable, NOT_SUPPORTED)
RETURNS(hsaKmtDbgGetDeviceData, NOT_SUPPORTED)
RETURNS(hsaKmtDbgGetQueueData, NOT_SUPPORTED)
RETURNS(hsaKmtExportDMABufHandle, NOT_SUPPORTED)
RETURNS(hsaKmtOpenSMI, NOT_SUPPORTED)
RETURNS(hsaKmtReplaceAsanHeaderPage, NOT_SUPPORTED)
RETURNS(hsaKmtReturnAsanHeaderPage, NOT_SUPPORTED)
RETURNS(hsaKmtSPMAcquire, NOT_SUPPORTED)
RETURNS(hsaKmtSPMRelease, NOT_SUPPORTED)
RETURNS(hsaKmtSPMSetDestBuffer, NOT_SUPPORTED)

FAKE_EXPORT int hsaKmtGetXNACKMode(int *enabled);
FAKE_EXPORT int hsaKmtGetXNACKMode(int *enabled) {
    *enabled = 0;
    return SUCCESS;
}
