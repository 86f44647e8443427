export const FORMAT = 'completions'

/** What the published API generates when a client sets no limit. */
export const DEFAULT_MAX_TOKENS = 16
