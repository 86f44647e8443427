/** The file is no PNG, is broken, or is of a kind this reader does not take; the message says which. */
export class PngError extends Error {}
