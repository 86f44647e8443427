import { join } from 'node:path'
import { awaitPrintedPort } from '../process-group.ts'
import { BUN_ENVIRONMENT, CHAT_PATH, type Target, type TargetContext } from './target.ts'

const PROGRAM = join(import.meta.dirname, '../programs/bare-proxy.ts')

export async function startBare({ processes, upstreamPort }: TargetContext, name = 'bare'): Promise<Target> {
  const started = processes.start({
    name,
    command: [process.execPath, PROGRAM],
    environment: { ...BUN_ENVIRONMENT, UPSTREAM: `http://127.0.0.1:${upstreamPort}` },
  })
  return {
    name,
    process: started,
    port: await awaitPrintedPort(started),
    path: CHAT_PATH,
    headers: {},
  }
}
