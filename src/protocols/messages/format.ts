/** The name of this wire format. It marks blocks, extras and signatures that only this format understands. */
export const FORMAT = 'messages'

/** Bounds memory when a supplier never ends an event; no real event is this long. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024
