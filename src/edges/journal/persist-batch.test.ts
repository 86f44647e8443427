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
    if (this.isAway) throw new Error('away')
    if (settlements.some(({ requestId }) => this.bad.has(requestId))) throw new RangeError('not taken')
    this.stored.push(...settlements.map(({ requestId }) => requestId))
  }

  readonly isRefusal = (error: unknown) => error instanceof RangeError

  readonly setAside = ({ requestId }: Settlement) => {
    this.aside.push(requestId)
  }
}

describe('a batch', () => {
  test('is stored at once when nothing is wrong', async () => {
    const keeper = new Keeper()
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: ['a', 'b', 'c'], aside: [] })
  })

  test('loses only the settlement that the database refuses', async () => {
    const keeper = new Keeper('b')
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: ['a', 'c'], aside: ['b'] })
  })

  test('with only bad settlements is set aside as a whole', async () => {
    const keeper = new Keeper('a', 'b', 'c')
    await persistBatch(batch, keeper)
    expect(keeper).toMatchObject({ stored: [], aside: ['a', 'b', 'c'] })
  })

  test('waits, and sets nothing aside, while the database is away', async () => {
    const keeper = new Keeper('b')
    keeper.isAway = true
    await expect(persistBatch(batch, keeper)).rejects.toThrow('away')
    expect(keeper.aside).toEqual([])
  })

  test('that fails halfway sets nothing aside until it is retried', async () => {
    const keeper = new Keeper('a')
    const { persist } = keeper
    const leaving = async (settlements: readonly Settlement[]) => {
      keeper.isAway = settlements.length === 1 && settlements[0]?.requestId === 'c'
      await persist(settlements)
    }
    await expect(persistBatch(batch, { ...keeper, persist: leaving })).rejects.toThrow('away')
    expect(keeper).toMatchObject({ stored: ['b'], aside: [] })
    keeper.isAway = false
    await persistBatch(batch, keeper)
    expect(keeper.aside).toEqual(['a'])
  })
})
