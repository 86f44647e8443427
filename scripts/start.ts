import { join } from 'node:path'
import { beginAnew } from '../src/cli/begin-anew.ts'
import { bundleWhenStale } from './bundle-gateway.ts'

/** Starts the gateway and the console of these sources; while they are watched, from the sources themselves. */
const isWatched = process.execArgv.some((option) => option === '--watch' || option === '--hot')

async function findProgram(): Promise<string> {
  if (!isWatched) return bundleWhenStale()
  const { buildConsoleWhenStale } = await import('./build-console.ts')
  await buildConsoleWhenStale()
  return join(import.meta.dirname, '../src/main.ts')
}

const program = await findProgram().catch((error: unknown) => {
  console.error(`The gateway could not be built:\n${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
})
beginAnew([...process.execArgv, program])
await import(program)
