import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT, auditEvent, START_MS } from '../../src/edges/storage/testing/samples.ts'
import type { WebhookCall } from '../../src/manage/ports/alerts.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'
import { SinkSender } from '../../src/manage/sinks/sink-sender.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'

const SINK = {
  id: 'warehouse',
  target: 'https://collector.example.com/',
  hasSettlements: false,
  hasEvents: true,
  enabled: true,
  waitSeconds: 0,
  secret: 'whsec_test',
  createdAtMs: START_MS,
}

for (const engine of testedEngines()) {
  describe(`two nodes that send from one database on ${engine.name}`, () => {
    let site: Site
    let stores: Storage[]
    let senders: SinkSender[]
    let clock: MovableClock
    let answer: (call: WebhookCall) => Promise<string | null>
    const received: string[] = []
    let sending = 0
    const log = createCollectedLog()

    beforeEach(async () => {
      site = await engine.makeSite()
      clock = createMovableClock()
      received.length = 0
      answer = async () => null
      stores = [await openAt(site), await openAt(site)]
      senders = stores.map((storage) => {
        const send = async (call: WebhookCall) => {
          sending += 1
          expect(sending).toBe(1)
          const failure = await answer(call)
          if (failure === null) {
            for (const line of call.body.trimEnd().split('\n')) received.push(JSON.parse(line).id)
          }
          sending -= 1
          return failure
        }
        return new SinkSender({ storage, send, writeFile: async () => null, clock, random: () => 0.5, log })
      })
      await stores[0]?.saveAccount(ACCOUNT, auditEvent('evt_account'))
      await stores[0]?.saveSink(SINK, auditEvent('evt_sink'))
    })
    afterEach(async () => {
      await Promise.all(senders.map((sender) => sender.stop()))
      await Promise.all(stores.map((store) => store.close()))
      await site.remove()
    })

    const sendTogether = () => Promise.all(senders.map((sender) => sender.send()))
    const write = async (from: number, count: number) => {
      for (let number = from; number < from + count; number++) {
        const id = `evt_${String(number).padStart(4, '0')}`
        await stores[number % 2]?.saveAccount(
          { ...ACCOUNT, name: id },
          { ...auditEvent(id), atMs: clock.nowMs() },
        )
      }
    }
    const names = (count: number) =>
      Array.from({ length: count }, (_, number) => `evt_${String(number).padStart(4, '0')}`)

    test('send each line once and in order, whichever node stored it', async () => {
      await write(0, 40)
      await sendTogether()
      await write(40, 20)
      await sendTogether()
      await sendTogether()
      expect(received.filter((id) => id !== 'evt_sink')).toEqual(names(60))
    })

    test('wait between tries, and continue where they stopped', async () => {
      answer = async () => 'The receiver answered 500.'
      await write(0, 3)
      await sendTogether()
      await sendTogether()
      const progress = (await stores[0]?.loadSinkProgress())?.get(SINK.id)
      // The event of the sink itself waits too.
      expect(progress).toMatchObject({ waiting: 4, failures: 1, nextTryAtMs: clock.nowMs() + 1_000 })
      clock.advance(1_000)
      await sendTogether()
      expect((await stores[1]?.loadSinkProgress())?.get(SINK.id)?.failures).toBe(2)
      answer = async () => null
      clock.advance(24 * 60 * 60 * 1_000)
      await write(3, 2)
      await sendTogether()
      expect(received.filter((id) => id !== 'evt_sink')).toEqual(names(5))
      expect((await stores[0]?.loadSinkProgress())?.get(SINK.id)).toMatchObject({ waiting: 0, failures: 0 })
    })

    test('a node that dies after a batch was taken makes the other repeat that batch, and no other', async () => {
      await write(0, 3)
      const [storage] = stores
      if (storage === undefined) throw new Error('there are two nodes')
      const dies = () => Promise.reject(new Error('the node dies'))
      const send = async ({ body }: WebhookCall) => {
        for (const line of body.trimEnd().split('\n')) received.push(JSON.parse(line).id)
        return null
      }
      const parts = { send, writeFile: async () => null, clock, random: () => 0.5, log: createCollectedLog() }
      await new SinkSender({ ...parts, storage: { ...storage, endSinkTry: dies } }).send()
      expect(received.filter((id) => id !== 'evt_sink')).toEqual(names(3))
      await write(3, 1)
      await senders[1]?.send()
      expect(received.filter((id) => id !== 'evt_sink')).toEqual([...names(3), ...names(4)])
      await write(4, 1)
      await senders[1]?.send()
      expect(received.filter((id) => id !== 'evt_sink')).toEqual([...names(3), ...names(5)])
    })

    test('lines that wait too long are given up and counted', async () => {
      answer = async () => 'The receiver answered 500.'
      await write(0, 3)
      clock.advance(15 * 24 * 60 * 60 * 1_000)
      await write(3, 1)
      await senders[0]?.sweep()
      expect((await stores[1]?.loadSinkProgress())?.get(SINK.id)).toMatchObject({ waiting: 1, lost: 4 })
      await senders[0]?.send()
      const figures = { sink: SINK.id, waiting: 1, oldestSeconds: 0, sent: 0, lost: 4, failedAttempts: 1 }
      expect(senders[0]?.counters.read()).toEqual([figures])
      // What was lost is counted by the node that gave it up.
      clock.advance(30_000)
      await senders[1]?.send()
      expect(senders[1]?.counters.read()).toEqual([
        { ...figures, oldestSeconds: 30, lost: 0, failedAttempts: 1 },
      ])
      await stores[0]?.deleteSink(SINK.id, auditEvent('evt_deleted'))
      clock.advance(30_000)
      await senders[0]?.send()
      expect(senders[0]?.counters.read()).toEqual([])
    })
  })
}
