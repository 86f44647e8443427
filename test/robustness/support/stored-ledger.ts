import { join } from 'node:path'
import { readJournal } from '../../../src/edges/journal/read-journal.ts'
import { openStorage } from '../../../src/edges/storage/index.ts'
import type { Storage } from '../../../src/manage/ports/storage.ts'
import { createSecretKeeper } from '../../../src/rules/access/server-secret.ts'
import type { Settlement } from '../../../src/vocabulary/settlement.ts'
import { findDifference } from '../../support/find-difference.ts'
import { SERVER_SECRET } from './gateway-process.ts'

/** What a stopped gateway left in its database. */
export interface StoredLedger {
  readonly settlements: readonly Settlement[]
  /** What `ledger verify` finds; null when everything agrees. */
  readonly ledgerDifference: string | null
  /** The sum of all balances. */
  readonly balanceNano: bigint
}

export async function readStoredLedger(
  dataFolder: string,
  databaseUrl: string | null = null,
): Promise<StoredLedger> {
  const storage = await openStorage({ databaseUrl, dataFolder, secrets: createSecretKeeper(SERVER_SECRET) })
  try {
    const balances = await storage.loadBalances()
    return {
      settlements: await readSettlements(storage),
      ledgerDifference: await findDifference(storage, readJournal(join(dataFolder, 'journal'))),
      balanceNano: [...balances.values()].reduce((sum, balance) => sum + balance, 0n),
    }
  } finally {
    await storage.close()
  }
}

async function readSettlements(storage: Storage): Promise<Settlement[]> {
  const settlements: Settlement[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Storage['listSettlements']>> = await storage.listSettlements(
      {},
      { limit: 500, cursor },
    )
    settlements.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return settlements
}
