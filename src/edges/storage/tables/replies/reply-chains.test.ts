import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Sealer } from '../../../../rules/access/server-secret.ts'
import type { KeptReply } from '../../../../serve/ports/state/reply-store.ts'
import { type NodeStorage, openStorage } from '../../index.ts'
import { SECRETS, type Site, testedEngines } from '../../testing/engines.ts'
import { MAX_PIECE_CHARACTERS } from './packed-content.ts'
import { replyPlace } from './reply-turns.ts'

const MEGABYTE = 1_024 * 1_024
const LATER = { expiresAtMs: 100_000 }

function aReply(number: number, fields: Partial<KeptReply> = {}): KeptReply {
  return {
    id: `resp_${number}`,
    accountId: 'acc_1',
    createdAtMs: 1_000 + number,
    expiresAtMs: 10_000 + number,
    inputItems: [{ role: 'user', content: `question ${number}` }],
    reply: { id: `resp_${number}`, output: [{ id: `msg_${number}`, text: `answer ${number}` }] },
    ...fields,
  }
}

const itemsOf = ({ id }: KeptReply) => new Map([[`msg_of_${id}`, { of: id }]])

/** A sealer that notes how much goes through it between two turns of the event loop. */
function countingSealer() {
  let characters = 0
  let most = 0
  const note = (text: string) => {
    characters += text.length
    most = Math.max(most, characters)
    return text
  }
  const secrets: Sealer = {
    seal: (plain, place) => SECRETS.seal(note(plain), place),
    open: (sealed, place) => note(SECRETS.open(sealed, place)),
  }
  const nextTurn = async () => {
    characters = 0
  }
  return { secrets, nextTurn, most: () => most }
}

for (const engine of testedEngines()) {
  describe(`linked replies on ${engine.name}`, () => {
    let site: Site
    let storage: NodeStorage

    const open = (options: { maxReplyBytesPerAccount?: number; secrets?: Sealer } = {}) =>
      openStorage({
        databaseUrl: site.databaseUrl,
        dataFolder: site.dataFolder,
        secrets: SECRETS,
        ...options,
      })

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await open()
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    /** Saves a reply as the gateway does, continuing from an earlier one. */
    async function save(reply: KeptReply, previousId: string | null): Promise<void> {
      const earlier =
        previousId === null ? null : await storage.findConversation(reply.accountId, previousId, 0)
      const link = earlier?.link ?? null
      const wholeInput = () => [
        ...(earlier?.turns.flatMap((turn) => turn.inputItems) ?? []),
        ...reply.inputItems,
      ]
      const options = link === null ? {} : { previous: { link, wholeInput } }
      await storage.saveReply(reply, itemsOf(reply), options)
    }

    async function questionsOf(id: string, nowMs = 0, accountId = 'acc_1'): Promise<unknown[] | null> {
      const found = await storage.findConversation(accountId, id, nowMs)
      return (
        found?.turns.flatMap(({ inputItems }) =>
          inputItems.map((item) => (item as { content: unknown }).content),
        ) ?? null
      )
    }

    async function count(table: string): Promise<number> {
      const database = await site.openDatabase()
      const [row] = await database.rows<{ n: bigint }>(`select count(*) as n from ${table}`, [])
      await database.close()
      return Number(row?.n)
    }

    async function storedBytes(): Promise<readonly [counted: number, summed: number]> {
      const database = await site.openDatabase()
      const [counted] = await database.rows<{ n: bigint }>('select size_bytes as n from kept_reply_bytes', [])
      const [summed] = await database.rows<{ n: bigint }>(
        'select cast(coalesce(sum(size_bytes + item_bytes), 0) as bigint) as n from reply_turns',
        [],
      )
      await database.close()
      return [Number(counted?.n), Number(summed?.n)]
    }

    async function chainOf(length: number): Promise<void> {
      for (let number = 1; number <= length; number += 1) {
        await save(aReply(number), number === 1 ? null : `resp_${number - 1}`)
      }
    }

    test('a conversation is assembled from what each turn added', async () => {
      await chainOf(40)
      const found = await storage.findConversation('acc_1', 'resp_40', 0)
      expect(found?.turns).toEqual(
        Array.from({ length: 40 }, (_, index) => {
          const { inputItems, reply } = aReply(index + 1)
          return { inputItems, reply }
        }),
      )
      expect((await storage.findReply('acc_1', 'resp_40', 0))?.inputItems).toEqual([
        { role: 'user', content: 'question 40' },
      ])
    })

    test('two conversations can continue from one reply', async () => {
      await chainOf(2)
      await save(aReply(3), 'resp_1')
      expect(await questionsOf('resp_2')).toEqual(['question 1', 'question 2'])
      expect(await questionsOf('resp_3')).toEqual(['question 1', 'question 3'])
    })

    test('a short turn after a large one takes little room', async () => {
      const text = 'A'.repeat(MEGABYTE)
      await save(aReply(0, { inputItems: [{ content: text }] }), null)
      const [before] = await storedBytes()
      expect(before).toBeGreaterThan(MEGABYTE)
      for (let number = 1; number <= 50; number += 1) await save(aReply(number), `resp_${number - 1}`)
      const [after] = await storedBytes()
      expect((after - before) / 50).toBeLessThan(2_000)
      expect((await questionsOf('resp_50'))?.[0] === text).toBe(true)
    })

    test('a reply deleted in the middle is not found, and later ones keep its content', async () => {
      await chainOf(3)
      expect(await storage.deleteReply('acc_1', 'resp_2')).toBe(true)
      expect(await storage.findReply('acc_1', 'resp_2', 0)).toBeNull()
      expect(await storage.findConversation('acc_1', 'resp_2', 0)).toBeNull()
      expect(await storage.findReplyItems('acc_1', ['msg_of_resp_2'], 0)).toEqual(new Map())
      expect(await storage.deleteReply('acc_1', 'resp_2')).toBe(false)
      expect(await questionsOf('resp_3')).toEqual(['question 1', 'question 2', 'question 3'])
      await storage.deleteReply('acc_1', 'resp_3')
      // No reply needs the second any more; the first is still stored for itself.
      expect(await count('kept_replies')).toBe(1)
      await storage.deleteReply('acc_1', 'resp_1')
      expect([await count('kept_replies'), await count('reply_turns')]).toEqual([0, 0])
      expect(await storedBytes()).toEqual([0, 0])
    })

    test('an expired reply is not found, but is kept while a later one needs it', async () => {
      await save(aReply(1), null)
      await save(aReply(2, LATER), 'resp_1')
      await storage.deleteExpiredReplies(50_000, 10)
      expect(await storage.findReply('acc_1', 'resp_1', 50_000)).toBeNull()
      expect(await questionsOf('resp_2', 50_000)).toEqual(['question 1', 'question 2'])
      expect(await storage.deleteExpiredReplies(50_000, 10)).toBe(0)
      await storage.deleteExpiredReplies(100_000, 10)
      expect([await count('kept_replies'), await count('reply_turns')]).toEqual([0, 0])
      expect(await storedBytes()).toEqual([0, 0])
    })

    test('a chain never leads into another account', async () => {
      await save(aReply(1), null)
      const { link } = (await storage.findConversation('acc_1', 'resp_1', 0)) ?? {}
      const stranger = aReply(2, { accountId: 'acc_2' })
      const previous = { link: link ?? '', wholeInput: () => stranger.inputItems }
      await storage.saveReply(stranger, new Map(), { previous })
      expect(await questionsOf('resp_2', 0, 'acc_2')).toEqual(['question 2'])
      expect(await storage.findConversation('acc_2', 'resp_1', 0)).toBeNull()
    })

    test('a reply holds its whole history when the previous one is deleted during the request', async () => {
      await save(aReply(1), null)
      const { link } = (await storage.findConversation('acc_1', 'resp_1', 0)) ?? {}
      await storage.deleteReply('acc_1', 'resp_1')
      const whole = [...aReply(1).inputItems, ...aReply(2).inputItems]
      const previous = { link: link ?? '', wholeInput: () => whole }
      await storage.saveReply(aReply(2), new Map(), { previous })
      expect(await questionsOf('resp_2')).toEqual(['question 1', 'question 2'])
    })

    test('a supplier that reuses one id for every reply creates no cycle', async () => {
      const again = (number: number) => aReply(number, { id: 'resp_same' })
      await save(again(1), null)
      await save(again(2), 'resp_same')
      await save(again(3), 'resp_same')
      expect(await questionsOf('resp_same')).toEqual(['question 1', 'question 2', 'question 3'])
      await storage.deleteReply('acc_1', 'resp_same')
      expect(await count('kept_replies')).toBe(0)
    })

    test('a reply from before there were links holds its whole history and can be continued', async () => {
      const database = await site.openDatabase()
      const inputItems = [{ content: 'question 1' }, { content: 'answer 1' }, { content: 'question 2' }]
      const content = SECRETS.seal(
        JSON.stringify({ inputItems, reply: { id: 'resp_2' } }),
        replyPlace('acc_1', 'resp_2'),
      )
      await database.rows('insert into kept_replies values ($1, $2, 1, 9000, $3)', [
        'acc_1',
        'resp_2',
        content,
      ])
      await database.close()
      expect(await storage.findReply('acc_1', 'resp_2', 0)).toMatchObject({
        inputItems,
        reply: { id: 'resp_2' },
      })
      const found = await storage.findConversation('acc_1', 'resp_2', 0)
      expect(found).toMatchObject({ turns: [{ inputItems, reply: { id: 'resp_2' } }], link: null })
      expect(await storage.deleteExpiredReplies(9_000, 10)).toBe(1)
      expect(await count('kept_replies')).toBe(0)
    })

    test('after 500 links the next reply must hold the whole history again', async () => {
      const database = await site.openDatabase()
      await database.transaction(async (tx) => {
        for (let links = 0; links <= 500; links += 1) {
          const [id, turnId, previous] = [
            `resp_${links}`,
            `turn_${links}`,
            links === 0 ? null : `turn_${links - 1}`,
          ]
          const head = SECRETS.seal('{"reply":{},"input":[{}]}', replyPlace('acc_1', id))
          await tx.rows('insert into kept_replies values ($1, $2, 1, 9000, $3)', ['acc_1', id, head])
          await tx.rows('insert into reply_turns values ($1, $2, $3, $4, $5, 1, 1, 1, 0, 0)', [
            turnId,
            'acc_1',
            id,
            previous,
            BigInt(links),
          ])
        }
      })
      await database.close()
      expect(await storage.findConversation('acc_1', 'resp_499', 0)).toMatchObject({ link: 'turn_499' })
      const last = await storage.findConversation('acc_1', 'resp_500', 0)
      expect([last?.turns.length, last?.link]).toEqual([501, null])
    })

    test('large texts anywhere come back as they were', async () => {
      const odd = `${'😀'.repeat(MAX_PIECE_CHARACTERS)}${'x'.repeat(3)}`
      const broken = `${'y'.repeat(100_000)}\ud800`
      const many = Array.from({ length: 3_000 }, (_, index) => ({ content: 'z'.repeat(200), index }))
      const reply = aReply(1, {
        inputItems: [{ content: [{ image: odd }, { file: odd }] }, broken, ...many],
        reply: { id: 'resp_1', output: [{ result: odd }] },
      })
      await save(reply, null)
      const found = await storage.findReply('acc_1', 'resp_1', 0)
      expect(Bun.deepEquals(found, reply)).toBe(true)
      expect(Bun.deepEquals(await storage.findReplyObject('acc_1', 'resp_1', 0), reply.reply)).toBe(true)
    })

    test('no step of writing or reading a large reply takes more than two pieces', async () => {
      const { secrets, nextTurn, most } = countingSealer()
      const counted = await openStorage({
        databaseUrl: site.databaseUrl,
        dataFolder: site.dataFolder,
        secrets,
        nextTurn,
      })
      const text = 'A'.repeat(8 * MEGABYTE)
      await counted.saveReply(aReply(1, { inputItems: [{ content: text }] }), new Map())
      const found = await counted.findReply('acc_1', 'resp_1', 0)
      await counted.close()
      expect(Bun.deepEquals(found?.inputItems, [{ content: text }])).toBe(true)
      expect(most()).toBeGreaterThan(0)
      expect(most()).toBeLessThanOrEqual(3 * MAX_PIECE_CHARACTERS)
    })

    test('pieces go with their reply, and those of a writer that died go after an hour', async () => {
      await save(aReply(1, { inputItems: [{ content: 'A'.repeat(MEGABYTE) }] }), null)
      expect(await count('kept_reply_pieces')).toBeGreaterThan(3)
      await storage.deleteReply('acc_1', 'resp_1')
      expect(await count('kept_reply_pieces')).toBe(0)

      const database = await site.openDatabase()
      await database.rows('insert into unused_reply_pieces values ($1, 1, 5000)', ['turn_dead'])
      await database.rows('insert into kept_reply_pieces values ($1, $2)', ['turn_dead.0', 'sealed'])
      await database.close()
      await storage.deleteExpiredReplies(4_999, 10)
      expect(await count('kept_reply_pieces')).toBe(1)
      await storage.deleteExpiredReplies(5_000, 10)
      expect([await count('kept_reply_pieces'), await count('unused_reply_pieces')]).toEqual([0, 0])
    })

    test('an account over its limit loses its oldest conversations, from their ends', async () => {
      await chainOf(3)
      await save(aReply(4, { accountId: 'acc_2' }), null)
      const [perThree] = await storedBytes()
      await storage.close()
      storage = await open({ maxReplyBytesPerAccount: Math.ceil(perThree * 1.5) })
      await save(aReply(5), null)
      expect(await questionsOf('resp_3')).not.toBeNull()
      await save(aReply(6), 'resp_5')
      expect(await storage.findReply('acc_1', 'resp_3', 0)).toBeNull()
      expect(await questionsOf('resp_6')).toEqual(['question 5', 'question 6'])
      expect(await storage.findReply('acc_2', 'resp_4', 0)).not.toBeNull()
      for (let number = 7; number <= 12; number += 1) await save(aReply(number), null)
      expect(await storage.findReply('acc_1', 'resp_1', 0)).toBeNull()
      expect(await storage.findReply('acc_1', 'resp_12', 0)).not.toBeNull()
      expect(await storage.findReply('acc_2', 'resp_4', 0)).not.toBeNull()
    })

    test('what an account has stored is counted exactly, also when many are saved at once', async () => {
      await Promise.all(Array.from({ length: 12 }, (_, index) => save(aReply(index), null)))
      await Promise.all(
        Array.from({ length: 6 }, (_, index) => save(aReply(index + 20), `resp_${index % 2}`)),
      )
      await Promise.all([0, 1, 20, 21].map((number) => storage.deleteReply('acc_1', `resp_${number}`)))
      const [counted, summed] = await storedBytes()
      expect(counted).toBe(summed)
      expect(counted).toBeGreaterThan(0)
    })
  })
}
