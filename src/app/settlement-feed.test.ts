import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { settlementOf } from '../edges/windows/testing/shared-world.ts'
import type { StoredBalance } from '../serve/ports/shared-storage.ts'
import type { Settlement } from '../vocabulary/settlement.ts'
import { SettlementFeed } from './settlement-feed.ts'

interface Passed {
  readonly settlements: readonly Settlement[]
  readonly balances: readonly StoredBalance[]
}

function settlement(requestId: string, keyId: string, amountNano: bigint): Settlement {
  return settlementOf({ requestId, accountId: `account of ${keyId}`, keyId }, amountNano, 0)
}

function balance(accountId: string, version: bigint): StoredBalance {
  return { accountId, balanceNano: -version, version }
}

function collect(feed: SettlementFeed): Passed[] {
  const received: Passed[] = []
  feed.listen(async (settlements, balances) => void received.push({ settlements, balances }))
  return received
}

describe('the settlement feed', () => {
  test('passes the backlog on once: one settlement per key and the newest balances', () => {
    const feed = new SettlementFeed()
    feed.note([settlement('r1', 'a', 5n), settlement('r2', 'b', 0n)], [balance('account of a', 2n)])
    feed.note([settlement('r3', 'a', 0n), settlement('r4', 'b', 7n)], [balance('account of a', 1n)])
    const received = collect(feed)
    expect(received).toHaveLength(1)
    expect(received[0]?.settlements.map(({ requestId }) => requestId)).toEqual(['r1', 'r4'])
    expect(received[0]?.balances).toEqual([balance('account of a', 2n)])
  })

  test('passes later settlements on at once', () => {
    const feed = new SettlementFeed()
    const received = collect(feed)
    feed.note([settlement('r1', 'a', 1n), settlement('r2', 'a', 1n)], [])
    expect(received.map(({ settlements }) => settlements.length)).toEqual([2])
  })

  test('waits until the listener has handled everything, even if it fails', async () => {
    const feed = new SettlementFeed()
    const handling = Promise.withResolvers<void>()
    feed.listen(() => handling.promise)
    feed.note([], [])
    let isSettled = false
    const settled = feed.settled().then(() => {
      isSettled = true
    })
    await Bun.sleep(0)
    expect(isSettled).toBe(false)
    handling.reject(new Error('the limits store is away'))
    await settled
  })

  test('keeps nothing in memory', async () => {
    const feed = new SettlementFeed()
    feed.listen(() => Promise.resolve())
    const before = countArrays()
    for (let count = 0; count < 5_000; count += 1) feed.note([], [])
    await feed.settled()
    expect(countArrays() - before).toBeLessThan(1_000)
  })
})

function countArrays(): number {
  Bun.gc(true)
  return heapStats().objectTypeCounts.Array ?? 0
}
