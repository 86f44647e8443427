import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { settlementOf } from '../edges/windows/testing/shared-world.ts'
import type { StoredBalance } from '../serve/ports/shared-books.ts'
import type { Settlement } from '../vocabulary/settlement.ts'
import { SettlementFeed } from './settlement-feed.ts'

interface News {
  readonly settlements: readonly Settlement[]
  readonly balances: readonly StoredBalance[]
}

function settlement(requestId: string, keyId: string, amountNano: bigint): Settlement {
  return settlementOf({ requestId, accountId: `account of ${keyId}`, keyId }, amountNano, 0)
}

function balance(accountId: string, version: bigint): StoredBalance {
  return { accountId, balanceNano: -version, version }
}

function collect(relay: SettlementFeed): News[] {
  const heard: News[] = []
  relay.listen(async (settlements, balances) => void heard.push({ settlements, balances }))
  return heard
}

describe('what was stored', () => {
  test('before anybody listened is told once, one settlement for each key and the newest balances', () => {
    const relay = new SettlementFeed()
    relay.note([settlement('r1', 'a', 5n), settlement('r2', 'b', 0n)], [balance('account of a', 2n)])
    relay.note([settlement('r3', 'a', 0n), settlement('r4', 'b', 7n)], [balance('account of a', 1n)])
    const heard = collect(relay)
    expect(heard).toHaveLength(1)
    expect(heard[0]?.settlements.map(({ requestId }) => requestId)).toEqual(['r1', 'r4'])
    expect(heard[0]?.balances).toEqual([balance('account of a', 2n)])
  })

  test('later is told as it comes', () => {
    const relay = new SettlementFeed()
    const heard = collect(relay)
    relay.note([settlement('r1', 'a', 1n), settlement('r2', 'a', 1n)], [])
    expect(heard.map(({ settlements }) => settlements.length)).toEqual([2])
  })

  test('is waited for until all of it was dealt with, also when that fails', async () => {
    const relay = new SettlementFeed()
    const dealing = Promise.withResolvers<void>()
    relay.listen(() => dealing.promise)
    relay.note([], [])
    let isSettled = false
    const settled = relay.settled().then(() => {
      isSettled = true
    })
    await Bun.sleep(0)
    expect(isSettled).toBe(false)
    dealing.reject(new Error('the limits store is away'))
    await settled
  })

  test('leaves nothing behind', async () => {
    const relay = new SettlementFeed()
    relay.ignore()
    const before = countArrays()
    for (let count = 0; count < 5_000; count += 1) relay.note([], [])
    await relay.settled()
    expect(countArrays() - before).toBeLessThan(1_000)
  })
})

function countArrays(): number {
  Bun.gc(true)
  return heapStats().objectTypeCounts.Array ?? 0
}
