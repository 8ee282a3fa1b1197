/* FAKE. */
#pragma once

/* A moment; a memory fault that has come meanwhile is put into its event. */
void fake_wait(void **events, unsigned count);
