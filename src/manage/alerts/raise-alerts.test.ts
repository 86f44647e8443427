import { describe, expect, test } from 'bun:test'
import type { Log } from '../../serve/ports/log.ts'
import type { Alert, Notice } from '../../vocabulary/alert.ts'
import { AlertWatch } from './alert-watch.ts'
import { AlertRaiser } from './raise-alerts.ts'

const NOTICE: Notice = {
  kind: 'balance.low',
  accountId: 'acc_1',
  subject: 'acc_1',
  occasion: null,
  atMs: 1,
  data: {},
}

function startRaiser() {
  const stored: Alert[] = []
  const troubles: string[] = []
  const database = { isAway: false }
  const log: Log = {
    request: () => undefined,
    attemptFailed: () => undefined,
    notice: () => undefined,
    trouble: (what) => void troubles.push(what),
  }
  const watch = new AlertWatch({
    snapshot: () => {
      throw new Error('nothing is looked up here')
    },
    money: { balanceNano: () => 0n, keyMoney: () => ({ spentNano: 0n, heldNano: 0n }) },
    clock: { nowMs: () => 1 },
    lowBalances: [],
  })
  const raiser = new AlertRaiser({
    watch,
    storage: {
      raiseAlert: async (alert) => {
        if (database.isAway) throw new Error('away')
        stored.push(alert)
        return true
      },
      endOccasion: async () => undefined,
    },
    newId: (prefix) => `${prefix}_x`,
    log,
  })
  const note = (subject: string) => watch.note({ ...NOTICE, subject })
  return { note, raiser, database, stored, troubles, subjects: () => stored.map(({ subject }) => subject) }
}

describe('while the database is away', () => {
  test('alerts wait, nothing fails, and the problem is logged once', async () => {
    const { note, raiser, database, subjects, troubles } = startRaiser()
    database.isAway = true
    note('a')
    await raiser.raise()
    note('b')
    await raiser.raise()
    expect([subjects(), troubles]).toEqual([[], ['alerts wait for the database']])
    database.isAway = false
    await raiser.raise()
    expect(subjects()).toEqual(['a', 'b'])
    database.isAway = true
    note('c')
    await raiser.raise()
    expect(troubles).toHaveLength(2)
  })
})

test('concurrent callers store each alert once, and all of them wait for it', async () => {
  const { note, raiser, subjects } = startRaiser()
  for (const subject of ['a', 'b', 'c']) note(subject)
  const first = raiser.raise()
  note('d')
  await Promise.all([first, raiser.raise()])
  expect(subjects()).toEqual(['a', 'b', 'c', 'd'])
})

test('ids of alerts raised in the same millisecond keep their order', async () => {
  const { note, raiser, stored } = startRaiser()
  for (let count = 0; count < 12; count += 1) note(String(count))
  await raiser.raise()
  const ids = stored.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted())
})
