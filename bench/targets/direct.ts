import { join } from 'node:path'
import { awaitPrintedPort, type ProcessGroup } from '../process-group.ts'
import { BUN_ENVIRONMENT, CHAT_PATH, type Target } from './target.ts'

const PROGRAM = join(import.meta.dirname, '../programs/upstream.ts')

/** The supplier itself, with nothing in between: what every added microsecond is added to. */
export async function startDirect(processes: ProcessGroup): Promise<Target> {
  const started = processes.start({
    name: 'direct',
    command: [process.execPath, PROGRAM],
    environment: BUN_ENVIRONMENT,
  })
  return {
    name: 'direct',
    process: started,
    port: await awaitPrintedPort(started),
    path: CHAT_PATH,
    headers: {},
  }
}
