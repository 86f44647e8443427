/** What the name of a field may be made of. */
export const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** In a value: anything but plain text. Whoever could put a line break into one could write a second message. */
export const NOT_PLAIN = /[^\t\x20-\x7e]/
