import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { KeptReply } from '../../../../serve/ports/state/reply-store.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'

const KEPT: KeptReply = {
  id: 'resp_1',
  accountId: 'acc_1',
  createdAtMs: 1_000,
  expiresAtMs: 2_000,
  inputItems: [{ role: 'user', content: 'a most private question' }],
  reply: { id: 'resp_1', output: [{ type: 'message' }] },
}

const ITEMS = new Map([
  ['msg_1', { type: 'message', id: 'msg_1', content: 'a most private answer' }],
  ['rs_1', { type: 'reasoning', id: 'rs_1' }],
])

for (const engine of testedEngines()) {
  describe(`kept replies on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveReply(KEPT, ITEMS)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    test('a reply can be read by its account, also after a restart', async () => {
      await storage.close()
      storage = await openAt(site)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).toEqual(KEPT)
    })

    test('another account finds and deletes nothing', async () => {
      expect(await storage.findReply('acc_2', 'resp_1', 1_500)).toBeNull()
      expect(await storage.deleteReply('acc_2', 'resp_1')).toBe(false)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).not.toBeNull()
    })

    test('an expired reply is not found and can be swept', async () => {
      expect(await storage.findReply('acc_1', 'resp_1', 2_000)).toBeNull()
      expect(await storage.deleteExpiredReplies(1_999, 10)).toBe(0)
      expect(await storage.deleteExpiredReplies(2_000, 10)).toBe(1)
    })

    test('a deleted reply is gone', async () => {
      expect(await storage.deleteReply('acc_1', 'resp_1')).toBe(true)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).toBeNull()
    })

    test('its items are found by id, only by its account and while it is stored', async () => {
      expect(await storage.findReplyItems('acc_1', ['rs_1', 'none', 'msg_1'], 1_999)).toEqual(ITEMS)
      expect(await storage.findReplyItems('acc_1', [], 1_500)).toEqual(new Map())
      expect(await storage.findReplyItems('acc_2', ['rs_1', 'msg_1'], 1_500)).toEqual(new Map())
      expect(await storage.findReplyItems('acc_1', ['rs_1', 'msg_1'], 2_000)).toEqual(new Map())
    })

    test('finds every one of many items requested at once', async () => {
      const items = new Map(Array.from({ length: 150 }, (_, index) => [`i_${index}`, { id: `i_${index}` }]))
      await storage.saveReply({ ...KEPT, id: 'resp_2' }, items)
      expect(await storage.findReplyItems('acc_1', [...items.keys()], 1_500)).toEqual(items)
    })

    test('a reply that is saved again has only its newest items', async () => {
      await storage.saveReply(KEPT, new Map([['msg_1', 'other']]))
      expect(await storage.findReplyItems('acc_1', ['rs_1', 'msg_1'], 1_500)).toEqual(
        new Map([['msg_1', 'other']]),
      )
    })

    test('its items go with it, whether it is deleted or swept', async () => {
      await storage.saveReply({ ...KEPT, id: 'resp_2', expiresAtMs: 9_000 }, new Map([['msg_2', {}]]))
      await storage.deleteExpiredReplies(2_000, 10)
      expect(await itemIds()).toEqual(['msg_2'])
      await storage.deleteReply('acc_1', 'resp_2')
      expect(await itemIds()).toEqual([])
    })

    async function itemIds(): Promise<string[]> {
      const database = await site.openDatabase()
      const rows = await database.rows<{ item_id: string }>('select item_id from kept_reply_items', [])
      await database.close()
      return rows.map((row) => row.item_id)
    }

    test('no part of it is stored in clear', async () => {
      const database = await site.openDatabase()
      const rows = await database.rows<{ sealed: string }>(
        'select sealed_content as sealed from kept_replies union all select sealed_item from kept_reply_items',
        [],
      )
      await database.close()
      expect(rows.length).toBe(3)
      for (const { sealed } of rows) expect(sealed).not.toContain('private')
    })
  })
}
