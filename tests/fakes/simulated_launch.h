/* FAKE. A kernel of the check, run on a processor as a packet to an AMD GPU says. */
#pragma once

/* `arguments` as AMD's ABI lays them out: each at a multiple of its size. 0 where
 * there is no kernel of that name. Obeys the orders about the product (orders.h). */
int simulated_launch(const char *kernel, const char *arguments, unsigned groups_x,
                     unsigned groups_y);
