import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { Refusal } from '../../../../vocabulary/observability/refusal.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { START_MS } from '../../testing/samples.ts'

const MINUTE_MS = START_MS - (START_MS % 60_000)
const PAGE = { limit: 100, cursor: null }

function aRefusal(index: number, keyId = 'key_1'): Refusal {
  return {
    requestId: `req_${keyId}_${String(index).padStart(4, '0')}`,
    atMs: START_MS + index,
    accountId: 'acc_1',
    keyId,
    method: 'POST',
    path: '/v1/responses',
    code: 'invalid_request',
    status: 400,
    message: 'Wrong.',
    param: null,
    model: null,
  }
}

for (const engine of testedEngines()) {
  describe(`refusals on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const count = (code: string, by: number, keyId = 'key_1') => ({
      minuteMs: MINUTE_MS,
      accountId: keyId === '' ? '' : 'acc_1',
      keyId,
      code,
      count: by,
      lastAtMs: MINUTE_MS + by,
    })

    test('of several nodes at the same time are added up', async () => {
      const rows = [
        count('invalid_request', 3),
        count('rate_limit_exceeded', 5),
        count('auth_invalid', 1, ''),
      ]
      await Promise.all([
        storage.saveRefusals(rows, []),
        storage.saveRefusals(rows.toReversed(), []),
        storage.saveRefusals([count('invalid_request', 1, 'key_2')], []),
      ])
      const { data } = await storage.countRefusals({ filter: {}, span: 'hour' }, PAGE)
      expect(data.map(({ keyId, code, count }) => [keyId, code, count])).toEqual([
        ['key_2', 'invalid_request', 1],
        ['key_1', 'rate_limit_exceeded', 10],
        ['key_1', 'invalid_request', 6],
        [null, 'auth_invalid', 2],
      ])
      const filter = { accountId: 'acc_1' }
      const totals = await storage.totalRefusals({ filter, span: 'day' }, PAGE)
      expect(totals.data.map(({ code, count, lastAtMs }) => [code, count, lastAtMs - MINUTE_MS])).toEqual([
        ['rate_limit_exceeded', 10, 5],
        ['invalid_request', 7, 3],
      ])
    })

    test('in detail are the newest 20 of a key and 200 of an account', async () => {
      await storage.saveRefusals(
        [],
        Array.from({ length: 30 }, (_, index) => aRefusal(index)),
      )
      const { data } = await storage.listRefusals({ keyId: 'key_1' }, PAGE)
      expect(data).toEqual(Array.from({ length: 20 }, (_, index) => aRefusal(29 - index)))
      const others = Array.from({ length: 240 }, (_, index) => aRefusal(index, `key_${index % 24}`))
      await storage.saveRefusals([], others)
      const first = await storage.listRefusals({ accountId: 'acc_1' }, PAGE)
      const second = await storage.listRefusals(
        { accountId: 'acc_1' },
        { limit: 100, cursor: first.nextCursor },
      )
      expect([first.data.length, second.data.length, second.nextCursor]).toEqual([100, 100, null])
      expect(first.data[0]).toEqual(aRefusal(239, 'key_23'))
    })
  })
}
