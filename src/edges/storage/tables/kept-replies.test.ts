import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { KeptReply } from '../../../gateway/ports/reply-store.ts'
import type { Storage } from '../../../gateway/ports/storage.ts'
import { openAt, type Site, testedEngines } from '../testing/engines.ts'

const KEPT: KeptReply = {
  id: 'resp_1',
  accountId: 'acc_1',
  createdAtMs: 1_000,
  expiresAtMs: 2_000,
  inputItems: [{ role: 'user', content: 'a most private question' }],
  reply: { id: 'resp_1', output: [{ type: 'message' }] },
}

for (const engine of testedEngines()) {
  describe(`kept replies on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveReply(KEPT)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    test('a reply comes back whole to its account, also after a restart', async () => {
      await storage.close()
      storage = await openAt(site)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).toEqual(KEPT)
    })

    test('another account finds and deletes nothing', async () => {
      expect(await storage.findReply('acc_2', 'resp_1', 1_500)).toBeNull()
      expect(await storage.deleteReply('acc_2', 'resp_1')).toBe(false)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).not.toBeNull()
    })

    test('its time over, it is not found any more and can be swept', async () => {
      expect(await storage.findReply('acc_1', 'resp_1', 2_000)).toBeNull()
      expect(await storage.deleteExpiredReplies(1_999, 10)).toBe(0)
      expect(await storage.deleteExpiredReplies(2_000, 10)).toBe(1)
    })

    test('deleted, it is gone', async () => {
      expect(await storage.deleteReply('acc_1', 'resp_1')).toBe(true)
      expect(await storage.findReply('acc_1', 'resp_1', 1_500)).toBeNull()
    })

    test('nothing of it is stored in clear', async () => {
      const database = await site.openDatabase()
      const rows = await database.rows<{ sealed_content: string }>(
        'select sealed_content from kept_replies',
        [],
      )
      await database.close()
      expect(rows.length).toBe(1)
      expect(rows[0]?.sealed_content).not.toContain('private')
    })
  })
}
