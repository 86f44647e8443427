import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import {
  type BackgroundBeginning,
  NoLongerRunning,
  type RunningReply,
  TooManyRunning,
} from '../../../../serve/ports/state/background-store.ts'
import type { KeptReply } from '../../../../serve/ports/state/reply-store.ts'
import { openStorage } from '../../index.ts'
import { openAt, SECRETS, type Site, testedEngines } from '../../testing/engines.ts'

const BEGINNING: BackgroundBeginning = {
  nodeId: 'node_1',
  isStreamed: true,
  admission: {
    requestId: 'req_1',
    accountId: 'acc_1',
    keyId: 'key_1',
    model: 'm',
    clientFormat: 'responses',
    stream: true,
    holdNano: 12n,
    startedAtMs: 1_000,
  },
  maxRunning: 2,
}

const QUEUED: KeptReply = {
  id: 'resp_1',
  accountId: 'acc_1',
  createdAtMs: 1_000,
  expiresAtMs: 2_000,
  inputItems: [{ role: 'user', content: 'a most private question' }],
  reply: { id: 'resp_1', status: 'queued' },
}
const KEY = { accountId: 'acc_1', id: 'resp_1' }
const RUNNING: RunningReply = { ...KEY, nodeId: 'node_1' }
const FAILED = { status: 'failed', reply: { id: 'resp_1', status: 'failed', why: 'private' } } as const

/** The class of what the work throws. */
async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (problem) {
    return (problem as object).constructor
  }
  return null
}

for (const engine of testedEngines()) {
  describe(`background replies on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await begin('resp_1')
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    function begin(id: string, more: Partial<BackgroundBeginning> = {}): Promise<void> {
      const kept = { ...QUEUED, id, reply: { id, status: 'queued' } }
      return storage.saveReply(kept, new Map(), { background: { begins: { ...BEGINNING, ...more } } })
    }

    function complete(nodeId = 'node_1'): Promise<void> {
      const reply = { id: 'resp_1', status: 'completed' }
      const background = { endsOn: nodeId, status: 'completed' } as const
      return storage.saveReply({ ...QUEUED, reply }, new Map(), { background })
    }

    async function query<Row>(text: string): Promise<Row[]> {
      const database = await site.openDatabase()
      try {
        return await database.rows<Row>(text, [])
      } finally {
        await database.close()
      }
    }

    async function storedBytes(): Promise<number> {
      const [row] = await query<{ size_bytes: bigint }>('select size_bytes from kept_reply_bytes')
      return Number(row?.size_bytes ?? 0)
    }

    test('one begins, goes on and is completed, by the node that makes it', async () => {
      expect(await storage.findBackground(KEY)).toEqual({
        ...KEY,
        runningOn: 'node_1',
        status: 'queued',
        isStreamed: true,
        events: 0,
        admission: BEGINNING.admission,
      })
      await storage.noteProgress(RUNNING)
      expect((await storage.findBackground(KEY))?.status).toBe('in_progress')
      expect(await thrownBy(complete('node_2'))).toBe(NoLongerRunning)
      expect((await storage.findReplyObject('acc_1', 'resp_1', 1_500))?.status).toBe('queued')
      await complete()
      expect(await storage.findBackground(KEY)).toMatchObject({ runningOn: null, status: 'completed' })
      expect((await storage.findReplyObject('acc_1', 'resp_1', 1_500))?.status).toBe('completed')
      expect(await storage.findEnding(KEY)).toBeNull()
    })

    test('whoever ends it first wins', async () => {
      const [ended, completed] = await Promise.all([
        storage.endBackground(RUNNING, FAILED),
        thrownBy(complete()),
      ])
      expect(ended).toBe(completed === NoLongerRunning)
      expect(await storage.endBackground(RUNNING, FAILED)).toBe(false)
      expect(await thrownBy(storage.noteProgress(RUNNING))).toBe(NoLongerRunning)
      expect(await thrownBy(storage.appendEvents(RUNNING, { first: 0, frames: ['x'] }))).toBe(NoLongerRunning)
    })

    test('how it ended is told to its account only', async () => {
      expect(await storage.endBackground(RUNNING, FAILED)).toBe(true)
      expect(await storage.findEnding(KEY)).toEqual(FAILED.reply)
      const stranger = { ...KEY, accountId: 'acc_2' }
      expect(await storage.findEnding(stranger)).toBeNull()
      expect(await storage.findBackground(stranger)).toBeNull()
      expect(await storage.listEvents(stranger, -1)).toEqual([])
    })

    test('events come in order, after any of them', async () => {
      await storage.appendEvents(RUNNING, { first: 0, frames: ['a', 'b'] })
      await storage.appendEvents(RUNNING, { first: 2, frames: ['c'] })
      await storage.appendEvents(RUNNING, { first: 3, frames: ['d', 'e'] })
      const after = async (number: number) =>
        (await storage.listEvents(KEY, number)).flatMap(({ first, frames }) =>
          frames.map((frame, index) => `${first + index}${frame}`),
        )
      const all = ['0a', '1b', '2c', '3d', '4e']
      for (let number = -1; number <= 5; number += 1)
        expect(await after(number)).toEqual(all.slice(number + 1))
      expect((await storage.findBackground(KEY))?.events).toBe(5)
    })

    test('many events come in portions', async () => {
      for (let first = 0; first < 40; first += 1)
        await storage.appendEvents(RUNNING, { first, frames: [`${first}`] })
      let last = -1
      for (;;) {
        const batches = await storage.listEvents(KEY, last)
        if (batches.length === 0) break
        expect(batches[0]?.first).toBe(last + 1)
        last += batches.length
      }
      expect(last).toBe(39)
    })

    test('events count as stored bytes and go with the reply, whether it is deleted or swept', async () => {
      for (const remove of [
        () => storage.deleteReply('acc_1', 'resp_1'),
        () => storage.deleteExpiredReplies(2_000, 10),
      ]) {
        const before = await storedBytes()
        await storage.appendEvents(RUNNING, { first: 0, frames: ['x'.repeat(1_000)] })
        expect(await storedBytes()).toBeGreaterThan(before + 1_000)
        await remove()
        expect([await storedBytes(), await storage.findBackground(KEY)]).toEqual([0, null])
        expect(await query('select batch_id from background_events')).toEqual([])
        await begin('resp_1')
      }
    })

    test('the events of a completed reply stay', async () => {
      await storage.appendEvents(RUNNING, { first: 0, frames: ['a'] })
      await complete()
      expect(await storage.listEvents(KEY, -1)).toEqual([{ first: 0, frames: ['a'] }])
    })

    test('an account has only so many at a time, on all nodes', async () => {
      await begin('resp_2', { nodeId: 'node_2' })
      expect(await thrownBy(begin('resp_3'))).toBe(TooManyRunning)
      expect(await storage.findReply('acc_1', 'resp_3', 1_500)).toBeNull()
      await storage.endBackground(RUNNING, FAILED)
      await begin('resp_3')
    })

    test('those of nodes that are gone are found', async () => {
      await begin('resp_2', { nodeId: 'node_2' })
      expect(await storage.listRunning('node_1')).toEqual([KEY])
      const lost = await storage.listLost(['node_2', 'node_3'], 10)
      expect(lost.map(({ id, runningOn }) => [id, runningOn])).toEqual([['resp_1', 'node_1']])
      expect(await storage.listLost(['node_1', 'node_2'], 10)).toEqual([])
      await storage.endBackground(RUNNING, FAILED)
      expect(await storage.listLost(['node_3'], 10)).toHaveLength(1)
      expect(await storage.listRunning('node_1')).toEqual([])
    })

    test('no part of it is stored in clear', async () => {
      await storage.appendEvents(RUNNING, { first: 0, frames: ['a most private answer'] })
      await storage.endBackground(RUNNING, FAILED)
      const rows = await query<{ sealed: string }>(
        'select sealed_frames as sealed from background_events union all select sealed_reply from background_endings',
      )
      expect(rows.length).toBe(2)
      for (const { sealed } of rows) expect(sealed).not.toContain('private')
    })

    test('one that takes too much room makes older replies go, with their events', async () => {
      await storage.endBackground(RUNNING, FAILED)
      await storage.close()
      const { databaseUrl, dataFolder } = site
      storage = await openStorage({
        databaseUrl,
        dataFolder,
        secrets: SECRETS,
        maxReplyBytesPerAccount: 5_000,
      })
      const kept = { ...QUEUED, id: 'resp_2', createdAtMs: 1_100 }
      await storage.saveReply(kept, new Map(), { background: { begins: BEGINNING } })
      await storage.appendEvents({ ...RUNNING, id: 'resp_2' }, { first: 0, frames: ['x'.repeat(4_000)] })
      expect(await storage.findBackground(KEY)).toBeNull()
      expect((await storage.findBackground({ ...KEY, id: 'resp_2' }))?.events).toBe(1)
    })
  })
}
