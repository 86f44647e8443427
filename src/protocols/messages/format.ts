/** The name of this wire format, under which its own blocks, fields and signatures travel. */
export const FORMAT = 'messages'

/** No answer has an event this long; a supplier that never ends one would otherwise fill the memory. */
export const LONGEST_EVENT_BYTES = 64 * 1024 * 1024
