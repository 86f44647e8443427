import { describe, expect, test } from 'bun:test'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { type BatchKeeper, persistBatch } from './persist-batch.ts'

const batch = ['a', 'b', 'c'].map((requestId) => ({ requestId }) as Settlement)

class Keeper implements BatchKeeper {
  readonly stored: string[] = []
  readonly aside: string[] = []
  isAway = false
  readonly bad: ReadonlySet<string>

  constructor(...bad: string[]) {
    this.bad = new Set(bad)
  }

  readonly persist = async (settlements: readonly Settlement[]) => {
    if (this.isAway || settlements.some(({ requestId }) => this.bad.has(requestId)))
      throw new Error('not taken')
    this.stored.push(...settlements.map(({ requestId }) => requestId))
  }

  readonly ping = async () => {
    if (this.isAway) throw new Error('away')
  }

  readonly setAside = ({ requestId }: Settlement) => {
    this.aside.push(requestId)
  }
}

describe('a batch', () => {
  test('is stored as one when nothing is wrong with it', async () => {
    const keeper = new Keeper()
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: ['a', 'b', 'c'], aside: [] })
  })

  test('loses only the settlement the database does not take', async () => {
    const keeper = new Keeper('b')
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: ['a', 'c'], aside: ['b'] })
  })

  test('of nothing but bad ones is set aside whole', async () => {
    const keeper = new Keeper('a', 'b', 'c')
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: [], aside: ['a', 'b', 'c'] })
  })

  test('waits, and sets nothing aside, while the database is away', async () => {
    const keeper = new Keeper('b')
    keeper.isAway = true
    expect(persistBatch(batch, keeper)).rejects.toThrow('away')
    expect(keeper.aside).toEqual([])
  })
})
