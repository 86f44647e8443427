import type { Sandbox } from '../../src/sandbox/server.ts'

/** How many calls a sandbox gets while the work is done. */
export async function countCalls({ calls }: Sandbox, work: () => Promise<unknown>): Promise<number> {
  const before = calls.at(-1)?.number ?? Number.NEGATIVE_INFINITY
  await work()
  return calls.filter(({ number }) => number > before).length
}
