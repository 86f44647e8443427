/** What one request costs each part, in microseconds of one processor; measured by `bun bench/nodes.ts` and others. */
export interface Costs {
  /** The node: everything, Redis included. */
  readonly nodeUs: number
  /** The Redis server, over all calls of a request. */
  readonly redisUs: number
  /** PostgreSQL: storing one settlement in a batch. */
  readonly databaseUs: number
}

/** How much of a processor is planned to be used: the rest is for peaks and for what else happens. */
export const PLANNED_SHARE = 0.6

/** Processors of a database server that take part in storing settlements. */
export const DATABASE_CORES = 8
