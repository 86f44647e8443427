import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, 'crowd-program.ts')

export interface Crowd {
  readonly urls: readonly string[]
  readonly key: string
  readonly count: number
  readonly body: unknown
  /** Asked for when all but this many requests have ended. */
  readonly release?: { readonly url: string; readonly holders: number }
}

/** How many requests of a crowd that came all at once ended in what: `200`, or status and error code. */
export async function sendCrowd(crowd: Crowd): Promise<Readonly<Record<string, number>>> {
  const child = Bun.spawn([process.execPath, PROGRAM, JSON.stringify(crowd)], {
    env: { PATH: process.env.PATH ?? '', BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (child.exitCode !== 0) throw new Error(`the crowd failed: ${errors}`)
  return JSON.parse(output)
}
