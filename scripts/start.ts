import { join } from 'node:path'
import { beginAnew } from '../src/cli/begin-anew.ts'
import { buildOrExit } from './build-console.ts'

/** Starts the gateway from its sources, with the console of the same sources. */
await buildOrExit()
// With the options of the runtime, such as --watch.
beginAnew([...process.execArgv, join(import.meta.dirname, '../src/main.ts')])
await import('../src/main.ts')
