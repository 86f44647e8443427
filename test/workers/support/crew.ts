import { existsSync, readFileSync } from 'node:fs'
import {
  type Environment,
  environmentOf,
  type GatewayProcess,
  startProcess,
  stopProcess,
} from '../../robustness/support/gateway-process.ts'
import { eventually } from '../../support/eventually.ts'

/** A gateway of several processes. */
export interface Crew extends GatewayProcess {
  /** The process ids of the workers that live. */
  workers(): number[]
  /** The slots whose workers have written a log line with this text. */
  slotsThatLogged(text: string): number[]
}

export async function startCrew(
  folder: string,
  workers: number,
  environment: Environment = {},
): Promise<Crew> {
  const gateway = await startProcess(
    environmentOf(folder, { TURNPIKE_WORKERS: String(workers), TURNPIKE_SUPPLY: 'off', ...environment }),
  )
  return {
    ...gateway,
    workers: () => childrenOf(gateway.pid),
    slotsThatLogged: (text) => slotsIn(gateway.errors(), text),
  }
}

/** Ends everything at once; workers whose parent is killed end by themselves. */
export async function stopCrew(crew: Crew | null): Promise<void> {
  const workers = crew?.workers() ?? []
  await stopProcess(crew)
  for (const worker of workers) {
    if (isAlive(worker)) process.kill(worker, 'SIGKILL')
    await eventually(`the end of worker ${worker}`, () => !isAlive(worker))
  }
}

export function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return false
  try {
    // One that has ended and whose parent has not asked for its code yet is a zombie.
    return !/\) Z /.test(readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}

function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number).filter(isAlive)
}

function slotsIn(log: string, text: string): number[] {
  const slots = new Set<number>()
  for (const line of log.split('\n')) {
    const slot = /^\{"level":\d+,"time":"[^"]+","worker":(\d+),/.exec(line)?.[1]
    if (slot !== undefined && line.includes(text)) slots.add(Number(slot))
  }
  return [...slots].sort((one, other) => one - other)
}
