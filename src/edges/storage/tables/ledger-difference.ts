/** Two places in the books that should say the same and do not. The message names both. */
export class LedgerDifference extends Error {}
