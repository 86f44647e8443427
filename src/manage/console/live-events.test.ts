import { describe, expect, test } from 'bun:test'
import { buildSnapshot, withSupply } from '../../rules/catalog/build-snapshot.ts'
import { createLiveConfiguration } from '../../serve/configuration/live-configuration.ts'
import { aKey, anAccount, aSettlement, aSupplier } from '../../vocabulary/testing/specimens.ts'
import type { Follower, LiveEvent } from '../ports/console.ts'
import { LiveEvents } from './live-events.ts'

interface Listener extends Follower {
  readonly heard: LiveEvent[]
  beats: number
  isEnded: boolean
}

function listen(accountId: string, room = 100, hasAccess = async () => true): Listener {
  return {
    accountId,
    heard: [],
    beats: 0,
    isEnded: false,
    hasAccess,
    take(event) {
      if (this.heard.length >= room) return false
      this.heard.push(event)
      return true
    },
    beat() {
      this.beats += 1
    },
    end() {
      this.isEnded = true
    },
  }
}

describe('live events', () => {
  test('reach only the followers of the account', () => {
    const events = new LiveEvents()
    const [mine, theirs] = [listen('acc_1'), listen('acc_2')]
    events.follow(mine)
    events.follow(theirs)
    events.noteSettlements([aSettlement({ accountId: 'acc_1', requestId: 'req_1' })])
    expect(mine.heard).toEqual([
      { kind: 'settlement', data: expect.objectContaining({ request_id: 'req_1' }) },
    ])
    expect(theirs.heard).toEqual([])
  })

  test('keep sending heartbeats and rechecking access when the clock is set back', async () => {
    const events = new LiveEvents()
    const guest = { hasAccess: true }
    const mine = listen('acc_1', 100, async () => guest.hasAccess)
    events.follow(mine)
    await events.beat(10_000_000)
    guest.hasAccess = false
    await events.beat(5_000_000)
    expect([mine.beats, mine.isEnded]).toEqual([2, true])
  })

  test('disconnect a slow reader and keep the others', () => {
    const events = new LiveEvents()
    const [slow, quick] = [listen('acc_1', 1), listen('acc_1')]
    events.follow(slow)
    events.follow(quick)
    const settlement = aSettlement({ accountId: 'acc_1' })
    events.noteSettlements([settlement, settlement, settlement])
    expect([slow.heard.length, slow.isEnded]).toEqual([1, true])
    expect([quick.heard.length, quick.isEnded]).toEqual([3, false])
    expect(events.size).toBe(1)
  })

  test('leave out settlements of a busy account, but never the newest', async () => {
    const events = new LiveEvents()
    const [busy, quiet] = [listen('acc_1'), listen('acc_2')]
    events.follow(busy)
    events.follow(quiet)
    const settlements = Array.from({ length: 400 }, (_, number) =>
      aSettlement({ accountId: 'acc_1', requestId: `req_${number}` }),
    )
    events.noteSettlements([...settlements, aSettlement({ accountId: 'acc_2', requestId: 'req_quiet' })])
    const numbers = () =>
      busy.heard.map(({ data }) => Number((data as { request_id: string }).request_id.slice(4)))
    expect(numbers()).toEqual(Array.from({ length: 20 }, (_, number) => number))
    expect(quiet.heard).toHaveLength(1)
    await events.beat(1_000)
    expect(numbers().slice(20)).toEqual(Array.from({ length: 20 }, (_, number) => 380 + number))
    expect(busy.isEnded).toBe(false)
    // The next second begins with nothing told.
    busy.heard.length = 0
    events.noteSettlements(settlements.slice(0, 2))
    await events.beat(2_000)
    expect(numbers()).toEqual([0, 1])
  })

  test('are limited to a number of open pages', () => {
    const events = new LiveEvents()
    const ends = Array.from({ length: 50 }, () => events.follow(listen('acc_1')))
    expect(() => events.follow(listen('acc_1'))).toThrow('Too many pages')
    ends[0]?.()
    ends[0]?.()
    expect(events.size).toBe(49)
    expect(() => events.follow(listen('acc_1'))).not.toThrow()
  })

  test('send heartbeats and recheck access from time to time', async () => {
    const events = new LiveEvents()
    let hasAccess = true
    const page = listen('acc_1', 100, async () => hasAccess)
    const troubled = listen('acc_1', 100, () => Promise.reject(new Error('the database is away')))
    events.follow(page)
    events.follow(troubled)
    await events.beat(0)
    await events.beat(1_000)
    expect(page.beats).toBe(1)
    hasAccess = false
    await events.beat(1_999)
    expect(page.isEnded).toBe(false)
    await events.beat(2_000)
    expect([page.isEnded, troubled.isEnded]).toEqual([true, false])
    // Often enough that a page notices within five seconds when they stop.
    expect(troubled.beats).toBe(2)
    await events.beat(4_000)
    expect(troubled.beats).toBe(3)
    events.endAll()
    expect([troubled.isEnded, events.size]).toEqual([true, 0])
  })

  test('report changes of the account, its keys and the supply', () => {
    const events = new LiveEvents()
    const page = listen('acc_1')
    events.follow(page)
    const rows = { version: 1, suppliers: [], credentials: [], models: [], routes: [] }
    const accounts = [anAccount({ id: 'acc_1' }), anAccount({ id: 'acc_2' })]
    const first = buildSnapshot({ ...rows, accounts, keys: [] })
    const configuration = events.watching(createLiveConfiguration(first))
    configuration.replace({ ...first, keys: new Map([['key_2', aKey({ id: 'key_2', accountId: 'acc_2' })]]) })
    expect(page.heard).toEqual([])
    configuration.replace({ ...first, keys: new Map([['key_1', aKey({ id: 'key_1', accountId: 'acc_1' })]]) })
    configuration.replace(withSupply(configuration.current(), { suppliers: [aSupplier()] }))
    expect(page.heard.map(({ data }) => data)).toEqual([{ things: ['keys'] }, { things: ['models'] }])
  })

  test('send nothing when a reload changed nothing', () => {
    const events = new LiveEvents()
    const page = listen('acc_1')
    events.follow(page)
    const read = () =>
      buildSnapshot({
        version: 1,
        accounts: [anAccount()],
        keys: [aKey()],
        suppliers: [aSupplier()],
        credentials: [],
        models: [],
        routes: [],
      })
    events.watching(createLiveConfiguration(read())).replace(read())
    expect(page.heard).toEqual([])
  })
})
