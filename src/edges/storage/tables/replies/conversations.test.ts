import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { AddedItems, ConversationKey } from '../../../../serve/ports/state/conversation-store.ts'
import { openStorage } from '../../index.ts'
import { openAt, SECRETS, type Site, testedEngines } from '../../testing/engines.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const KEY: ConversationKey = { accountId: 'acc_1', id: 'conv_1', nowMs: 1_000 }
const WORDS = 'a most private remark'

let made = 0
const newId = () => {
  made += 1
  return `msg_new_${made}`
}

function adding(ids: readonly string[], more: Partial<AddedItems> = {}): AddedItems {
  const items = ids.map((id) => ({ id, item: { type: 'message', said: `${WORDS} ${id}` } }))
  return { items, expiresAtMs: 1_000 + DAY_MS, newId, ...more }
}

for (const engine of testedEngines()) {
  describe(`conversations on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.createConversation(
        { accountId: 'acc_1', id: 'conv_1', createdAtMs: 1_000, metadata: { topic: 'secret plans' } },
        adding(['a', 'b']),
      )
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const idsOf = async (key = KEY) =>
      (await storage.readConversation(key))?.items.map(({ id }) => id) ?? null
    const rows = async (table: string) => {
      const database = await site.openDatabase()
      try {
        return await database.rows<Record<string, unknown>>(`select * from ${table}`, [])
      } finally {
        await database.close()
      }
    }
    const storedBytes = async () => Number((await rows('kept_reply_bytes'))[0]?.size_bytes ?? 0)

    test('is read again after a restart, and nothing of it in clear text', async () => {
      await storage.close()
      storage = await openAt(site)
      expect(await storage.loadConversation(KEY)).toEqual({
        accountId: 'acc_1',
        id: 'conv_1',
        createdAtMs: 1_000,
        metadata: { topic: 'secret plans' },
      })
      expect(await storage.readConversation(KEY)).toMatchObject({
        nextPosition: 2,
        items: [
          { id: 'a', item: { said: `${WORDS} a` } },
          { id: 'b', item: { said: `${WORDS} b` } },
        ],
      })
      const stored = JSON.stringify(
        [await rows('conversations'), await rows('conversation_items')],
        (_, value) => (typeof value === 'bigint' ? String(value) : value),
      )
      expect(stored).not.toContain('secret plans')
      expect(stored).not.toContain(WORDS)
    })

    test('another account finds, changes and deletes nothing', async () => {
      const other = { ...KEY, accountId: 'acc_2' }
      expect(await storage.loadConversation(other)).toBeNull()
      expect(await storage.readConversation(other)).toBeNull()
      expect(await storage.findConversationItem(other, 'a')).toBeNull()
      expect(await storage.changeConversationMetadata(other, {}, 9_000)).toBeNull()
      expect(await storage.addConversationItems(other, adding(['c']))).toEqual({ type: 'gone' })
      expect(await storage.deleteConversationItem(other, 'a')).toBe(false)
      expect(await storage.deleteConversation(other)).toBe(false)
      expect(await idsOf()).toEqual(['a', 'b'])
    })

    test('items are deleted one by one, and no position is used again', async () => {
      expect(await storage.deleteConversationItem(KEY, 'b')).toBe(true)
      expect(await storage.deleteConversationItem(KEY, 'b')).toBe(false)
      await storage.addConversationItems(KEY, adding(['c']))
      expect(await idsOf()).toEqual(['a', 'c'])
      expect(await storage.readConversation(KEY, 2)).toMatchObject({ items: [{ id: 'a' }] })
    })

    test('an item whose id is taken gets another', async () => {
      const added = await storage.addConversationItems(KEY, adding(['b', 'c', 'c']))
      expect(added.type === 'added' && added.items.map(({ id }) => id)).toEqual([
        expect.stringMatching(/^msg_new_/),
        'c',
        expect.stringMatching(/^msg_new_/),
      ])
    })

    test('a full one takes nothing, and what was written for it is not counted', async () => {
      const before = await storedBytes()
      const refused = adding(['c', 'd'], { maxItems: 3 })
      expect(await storage.addConversationItems(KEY, refused)).toEqual({ type: 'full' })
      expect(await idsOf()).toEqual(['a', 'b'])
      expect(await storedBytes()).toBe(before)
    })

    test('is kept as long as it is used', async () => {
      const later = { ...KEY, nowMs: DAY_MS }
      await storage.addConversationItems(later, adding(['c'], { expiresAtMs: 2 * DAY_MS }))
      expect(await storage.deleteExpiredConversations(1_000 + DAY_MS, 10)).toBe(0)
      expect(await idsOf({ ...KEY, nowMs: 2 * DAY_MS - 1 })).toEqual(['a', 'b', 'c'])
      expect(await idsOf({ ...KEY, nowMs: 2 * DAY_MS })).toBeNull()
      expect(await storage.deleteExpiredConversations(2 * DAY_MS, 10)).toBe(1)
      expect(await rows('conversation_items')).toEqual([])
      expect(await storedBytes()).toBe(0)
    })

    test('a large item is written in pieces, which go with it', async () => {
      const image = 'x'.repeat(700_000)
      const items = [{ id: 'big', item: { type: 'message', content: [{ image_url: image }] } }]
      await storage.addConversationItems(KEY, { ...adding([]), items })
      expect((await rows('kept_reply_pieces')).length).toBeGreaterThan(2)
      expect(await storage.findConversationItem(KEY, 'big')).toEqual(items[0] ?? null)
      await storage.deleteConversationItem(KEY, 'big')
      expect(await rows('kept_reply_pieces')).toEqual([])
      await storage.addConversationItems(KEY, { ...adding([]), items })
      await storage.deleteConversation(KEY)
      expect(await rows('kept_reply_pieces')).toEqual([])
      expect(await storedBytes()).toBe(0)
    })

    test('a page ends early where its items are large', async () => {
      const image = 'x'.repeat(7_000_000)
      const items = ['p', 'q', 'r'].map((id) => ({ id, item: { type: 'message', image } }))
      await storage.addConversationItems(KEY, { ...adding([]), items })
      const page = await storage.listConversationItems(KEY, { order: 'desc', after: null, limit: 100 })
      expect(page?.items.map(({ id }) => id)).toEqual(['r'])
      expect(page?.hasMore).toBe(true)
      const rest = await storage.listConversationItems(KEY, { order: 'desc', after: 'q', limit: 100 })
      expect(rest?.items.map(({ id }) => id)).toEqual(['p', 'b', 'a'])
    })

    test('pages give every item once, in either order', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `i${index}`)
      await storage.addConversationItems(KEY, adding(ids))
      await storage.deleteConversationItem(KEY, 'i7')
      const all = ['a', 'b', ...ids.filter((id) => id !== 'i7')]
      for (const order of ['asc', 'desc'] as const) {
        const seen: string[] = []
        for (let after: string | null = null; ; ) {
          const page = await storage.listConversationItems(KEY, { order, after, limit: 4 })
          seen.push(...(page?.items.map(({ id }) => id) ?? []))
          if (!page?.hasMore) break
          after = seen.at(-1) ?? null
        }
        expect(seen).toEqual(order === 'asc' ? all : all.toReversed())
      }
      expect(await storage.listConversationItems(KEY, { order: 'asc', after: 'i7', limit: 4 })).toBeNull()
    })

    test('of requests that add at the same time none loses an item, and none comes between', async () => {
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }), async (sizes) => {
          run += 1
          const key = { ...KEY, id: `conv_run_${run}` }
          await storage.createConversation({ ...key, createdAtMs: 1_000, metadata: {} }, adding([]))
          const batches = sizes.map((size, batch) =>
            Array.from({ length: size }, (_, index) => `${batch}.${index}`),
          )
          await Promise.all(batches.map((ids) => storage.addConversationItems(key, adding(ids))))
          const found = (await idsOf(key)) ?? []
          const order = [...new Set(found.map((id) => Number(id.split('.')[0])))]
          expect(found).toEqual(order.flatMap((batch) => batches[batch] ?? []))
          expect(found).toHaveLength(batches.flat().length)
        }),
        { numRuns: 25 },
      )
    })

    test('an account over its limit loses what it has used least recently, replies and conversations alike', async () => {
      await storage.close()
      storage = await openStorage({
        databaseUrl: site.databaseUrl,
        dataFolder: site.dataFolder,
        secrets: SECRETS,
        maxReplyBytesPerAccount: 12_000,
      })
      const text = 'x'.repeat(3_000)
      const saveReply = (id: string, createdAtMs: number) =>
        storage.saveReply(
          { id, accountId: 'acc_1', createdAtMs, expiresAtMs: DAY_MS, inputItems: [text], reply: {} },
          new Map(),
        )
      await saveReply('resp_1', 2_000)
      await storage.addConversationItems({ ...KEY, nowMs: 3_000 }, adding(['c']))
      await saveReply('resp_2', 4_000)
      const items = [{ id: 'd', item: { text } }]
      await storage.addConversationItems({ ...KEY, nowMs: 5_000 }, { ...adding([]), items })
      expect(await storage.findReply('acc_1', 'resp_1', 5_000)).toBeNull()
      expect(await storage.findReply('acc_1', 'resp_2', 5_000)).not.toBeNull()
      await saveReply('resp_3', 6_000)
      expect(await storage.findReply('acc_1', 'resp_2', 5_000)).toBeNull()
      expect(await idsOf()).toEqual(['a', 'b', 'c', 'd'])
      await saveReply('resp_4', 7_000)
      expect(await idsOf()).toBeNull()
      expect(await storage.findReply('acc_1', 'resp_3', 5_000)).not.toBeNull()
    })
  })
}
