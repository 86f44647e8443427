import type { Sandbox } from '../../src/sandbox/server.ts'

/** A way for the sandbox to misbehave, as its fault rules take it. */
export type Fault = Parameters<Sandbox['faults']['set']>[0]['fault']
