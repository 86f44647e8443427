import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { NodeStorage } from '../../src/edges/storage/index.ts'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { LiveEvents } from '../../src/manage/console/live-events.ts'
import type { Follower } from '../../src/manage/ports/console.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'
import { aSettlement } from '../../src/vocabulary/testing/specimens.ts'

const START_MS = 1_800_000_000_000

interface Page extends Follower {
  readonly heard: unknown[]
}

function openPage(accountId: string): Page {
  const heard: unknown[] = []
  return {
    accountId,
    heard,
    take: ({ data }) => heard.push('request_id' in data ? data.request_id : null) > 0,
    beat: () => undefined,
    hasAccess: async () => true,
    end: () => undefined,
  }
}

const ended = (requestId: string, atMs: number, accountId = 'acc_1'): Settlement =>
  aSettlement({ requestId, accountId, startedAtMs: atMs - 100, durationMs: 100 })

for (const engine of testedEngines()) {
  describe(`a page that follows an account on one of two nodes, on ${engine.name}`, () => {
    let site: Site
    let here: NodeStorage
    let there: NodeStorage
    let looks = 0
    let hasOthers = true
    let events: LiveEvents

    beforeEach(async () => {
      site = await engine.makeSite()
      here = await openAt(site)
      there = await openAt(site)
      looks = 0
      hasOthers = true
      events = new LiveEvents({
        storage: {
          listSettlements: (filter, page) => {
            looks += 1
            return here.listSettlements(filter, page)
          },
        },
        hasOthers: () => hasOthers,
      })
    })
    afterEach(async () => {
      await here.close()
      await there.close()
      await site.remove()
    })

    test('receives what either node stores, each event once, within a beat', async () => {
      await there.writeSettlements([ended('req_before', START_MS - 60_000)])
      const page = openPage('acc_1')
      events.follow(page)
      await events.beat(START_MS)
      const own = ended('req_own', START_MS + 100)
      await here.writeSettlements([own])
      // A read may find what is stored here before this node has announced it.
      await events.beat(START_MS + 500)
      events.noteSettlements([own])
      await there.writeSettlements([
        ended('req_there', START_MS + 700),
        ended('req_other', START_MS + 700, 'acc_2'),
        // It began long before the others and ends now.
        { ...ended('req_long', START_MS + 800), startedAtMs: START_MS - 600_000, durationMs: 600_800 },
      ])
      await events.beat(START_MS + 1_500)
      await events.beat(START_MS + 2_500)
      events.noteSettlements([ended('req_last', START_MS + 2_600)])
      expect(page.heard).toEqual(['req_own', 'req_long', 'req_there', 'req_last'])
    })

    test('receives no event twice, however much is stored in between, as after a database outage', async () => {
      const page = openPage('acc_1')
      events.follow(page)
      await events.beat(START_MS)
      await there.writeSettlements([ended('req_there', START_MS + 900)])
      await events.beat(START_MS + 1_000)
      events.noteSettlements(Array.from({ length: 1_500 }, (_, index) => ended(`req_${index}`, START_MS - 1)))
      await events.beat(START_MS + 2_000)
      events.noteSettlements([ended('req_there', START_MS + 900)])
      expect(page.heard.filter((id) => id === 'req_there')).toHaveLength(1)
    })

    test('costs the database nothing while there is no other node or no open page', async () => {
      await events.beat(START_MS)
      hasOthers = false
      const leave = events.follow(openPage('acc_1'))
      await events.beat(START_MS + 1_000)
      hasOthers = true
      leave()
      await events.beat(START_MS + 2_000)
      expect(looks).toBe(0)
    })

    test('costs the database at most fifty queries a beat, and every account gets its turn', async () => {
      const pages = Array.from({ length: 60 }, (_, index) => openPage(`acc_${index}`))
      for (const page of pages) events.follow(page)
      await events.beat(START_MS)
      expect(looks).toBe(50)
      await there.writeSettlements(
        pages.map(({ accountId }, index) => ended(`req_${index}`, START_MS + 1, accountId)),
      )
      await events.beat(START_MS + 1_000)
      await events.beat(START_MS + 2_000)
      expect(looks).toBe(150)
      expect(pages.map(({ heard }) => heard)).toEqual(pages.map((_, index) => [`req_${index}`]))
    })
  })
}
