import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { ChatPage, StoredChat } from '../../../../serve/ports/state/chat-store.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'

const PAGE: ChatPage = { order: 'asc', after: null, limit: 20, nowMs: 1_500, model: null, labels: [] }

function chatOf(number: number, more: Partial<StoredChat> = {}): StoredChat {
  const id = `chatcmpl-${number}`
  return {
    id,
    accountId: 'acc_1',
    createdAtMs: 1_000 + number,
    expiresAtMs: 2_000,
    inputItems: [{ role: 'user', content: 'a most private question' }],
    reply: { id, choices: [{ message: 'a most private answer' }] },
    model: number % 2 === 0 ? 'even' : 'odd',
    metadata: { pairs: { n: String(number % 3) }, labels: [`n=${number % 3}`] },
    ...more,
  }
}

const save = (storage: Storage, chat: StoredChat) => storage.saveChat(chat, () => undefined)

for (const engine of testedEngines()) {
  describe(`stored chat completions on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      for (const number of [3, 1, 2, 6, 5, 4]) await save(storage, chatOf(number))
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const numbers = async (page: Partial<ChatPage>, accountId = 'acc_1') => {
      const listing = await storage.listChats(accountId, { ...PAGE, ...page })
      return listing?.chats.map(({ reply }) => Number(String(reply.id).replace('chatcmpl-', ''))) ?? null
    }
    const rows = async (query: string) => {
      const database = await site.openDatabase()
      try {
        return await database.rows<Record<string, unknown>>(query, [])
      } finally {
        await database.close()
      }
    }

    test('one is shown with its metadata and its messages', async () => {
      expect(await storage.findChat('acc_1', 'chatcmpl-1', 1_500)).toEqual({
        reply: chatOf(1).reply,
        metadata: { n: '1' },
      })
      expect(await storage.findChatMessages('acc_1', 'chatcmpl-1', 1_500)).toEqual(chatOf(1).inputItems)
    })

    test('no other account finds one, and nobody finds it among the responses', async () => {
      expect(await storage.findChat('acc_2', 'chatcmpl-1', 1_500)).toBeNull()
      expect(await storage.findChatMessages('acc_2', 'chatcmpl-1', 1_500)).toBeNull()
      expect(await storage.changeChatMetadata('acc_2', 'chatcmpl-1', { pairs: {}, labels: [] })).toBe(false)
      expect(await storage.deleteChat('acc_2', 'chatcmpl-1')).toBe(false)
      expect(await numbers({}, 'acc_2')).toEqual([])
      expect(await storage.findReplyObject('acc_1', 'chatcmpl-1', 1_500)).toBeNull()
    })

    test('they are listed in the order they were made, by model and by metadata', async () => {
      expect(await numbers({})).toEqual([1, 2, 3, 4, 5, 6])
      expect(await numbers({ order: 'desc' })).toEqual([6, 5, 4, 3, 2, 1])
      expect(await numbers({ model: 'odd' })).toEqual([1, 3, 5])
      expect(await numbers({ labels: ['n=1'] })).toEqual([1, 4])
      expect(await numbers({ labels: ['n=1'], order: 'desc', after: 'chatcmpl-4' })).toEqual([1])
      expect(await numbers({ labels: ['n=1', 'n=2'] })).toEqual([])
      expect(await numbers({ labels: ['n=0'], model: 'even' })).toEqual([6])
      expect(await numbers({ nowMs: 2_000 })).toEqual([])
    })

    test('page after page, also where several were made in the same millisecond', async () => {
      for (const number of [7, 8, 9]) await save(storage, chatOf(number, { createdAtMs: 1_004 }))
      for (const order of ['asc', 'desc'] as const) {
        const seen: number[] = []
        for (let after: string | null = null; ; ) {
          const page: ChatPage = { ...PAGE, order, after, limit: 2 }
          const listing = await storage.listChats('acc_1', page)
          seen.push(...((await numbers(page)) ?? []))
          if (!listing?.hasMore) break
          after = `chatcmpl-${seen.at(-1)}`
        }
        const expected = [1, 2, 3, 4, 7, 8, 9, 5, 6]
        expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed())
      }
      expect(await storage.listChats('acc_1', { ...PAGE, after: 'nobody' })).toBeNull()
    })

    test('metadata is replaced, and lists follow it', async () => {
      const metadata = { pairs: { topic: 'new' }, labels: ['topic=new'] }
      expect(await storage.changeChatMetadata('acc_1', 'chatcmpl-1', metadata)).toBe(true)
      expect(await numbers({ labels: ['n=1'] })).toEqual([4])
      expect(await numbers({ labels: ['topic=new'] })).toEqual([1])
      expect((await storage.findChat('acc_1', 'chatcmpl-1', 1_500))?.metadata).toEqual({ topic: 'new' })
    })

    test('one that is deleted or expired leaves nothing behind', async () => {
      expect(await storage.deleteChat('acc_1', 'chatcmpl-1')).toBe(true)
      expect(await storage.deleteChat('acc_1', 'chatcmpl-1')).toBe(false)
      expect(await numbers({})).toEqual([2, 3, 4, 5, 6])
      await storage.deleteExpiredReplies(2_000, 10)
      expect(await rows('select * from stored_chats')).toEqual([])
      expect(await rows('select * from stored_chat_labels')).toEqual([])
      expect(Number((await rows('select size_bytes from kept_reply_bytes'))[0]?.size_bytes)).toBe(0)
    })

    test('the last one with an id is the one that is found', async () => {
      await save(storage, chatOf(1, { reply: { id: 'chatcmpl-1', second: true } }))
      expect((await storage.findChat('acc_1', 'chatcmpl-1', 1_500))?.reply.second).toBe(true)
      expect(await numbers({})).toHaveLength(6)
    })
  })
}
