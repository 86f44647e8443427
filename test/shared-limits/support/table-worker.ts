import { LimitsHub } from '../../../src/edges/windows/hub.ts'
import { RecordTable } from '../../../src/edges/windows/table/records.ts'
import { MappedFile } from '../../../src/edges/windows/table/table-file.ts'
import { TableLimits } from '../../../src/edges/windows/table/table-limits.ts'
import { SYSTEM_CLOCK } from '../../../src/vocabulary/clock.ts'
import { GENERATION } from './redis-limits.ts'

/** What several processes find when each tries to take all of it. */
export const BALANCE_NANO = 6_000n
export const WINDOW_LIMIT = 3_000
const INHERITED = 3

export interface Counted {
  byBalance: number
  byWindow: number
}

/** Waits for the generation, takes until nothing is left, and opens records of its own all the time, so that the table grows. */
async function spend(nodeNumber: number): Promise<Counted> {
  const nothing = { beginGeneration: () => {}, announceConfiguration: () => {}, releaseNode: async () => 0 }
  const link = new LimitsHub(SYSTEM_CLOCK, nothing).member('child')
  const file = new MappedFile(INHERITED)
  const limits = new TableLimits({ file, link, nodeNumber, clock: SYSTEM_CLOCK })
  const counted = { byBalance: 0, byWindow: 0 }
  const window = {
    id: 'account:account-1:requests',
    metric: 'requests' as const,
    limit: WINDOW_LIMIT,
    amount: 1,
  }
  for (let turn = 0; ; turn += 1) {
    const answer = await limits.admit({
      requestId: `${nodeNumber}-${turn}`,
      accountId: 'account-1',
      keyId: 'key',
      generation: GENERATION,
      configurationVersion: 1,
      windows: [],
      hold: { amountNano: 1n, creditLineNano: 0n, usageLimit: null },
      conversation: null,
    })
    if (answer.type === 'unknown') {
      if (turn === 0) process.send?.('ready')
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    if (answer.type === 'admitted') counted.byBalance += 1
    const capacity = await limits.takeCapacity('account-1', [[window]])
    if (capacity.type === 'taken') counted.byWindow += 1
    if (turn % 4 === 0) {
      const own = { ...window, id: `account:${nodeNumber}-${turn}:requests` }
      await limits.takeCapacity(`${nodeNumber}-${turn}`, [[own]])
    }
    if (answer.type === 'refused' && capacity.type === 'refused') return counted
  }
}

/** Dies as `kill -9` does, while it has the lock. */
async function die(nodeNumber: number): Promise<never> {
  await new RecordTable(new MappedFile(INHERITED), nodeNumber, () => true).lock()
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

if (import.meta.main) {
  const [task, nodeNumber] = process.argv.slice(2)
  if (task === 'die') await die(Number(nodeNumber))
  else process.send?.(await spend(Number(nodeNumber)), undefined, undefined, () => process.exit(0))
}
