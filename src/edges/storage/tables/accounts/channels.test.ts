import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { DeliveryEnd } from '../../../../manage/ports/alerts.ts'
import type { Storage } from '../../../../manage/ports/storage.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { auditEvent, START_MS } from '../../testing/samples.ts'

for (const engine of testedEngines()) {
  describe(`channels on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      for (const [place, id] of ['on-call', 'quiet'].entries()) {
        const address = 'https://hooks.example.com/'
        const channel = { id, type: 'webhook', address, enabled: true, secret: 's', createdAtMs: START_MS }
        const kinds = place === 0 ? (['node.lost'] as const) : []
        await storage.saveChannel({ ...channel, type: 'webhook', kinds }, auditEvent(`evt_${id}`))
      }
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    async function tell(atMs: number, end: DeliveryEnd): Promise<void> {
      const alert = {
        kind: 'node.lost',
        accountId: null,
        subject: 'n',
        occasion: null,
        atMs,
        data: {},
      } as const
      await storage.raiseAlert({ ...alert, id: `alt_${atMs}` }, auditEvent(`evt_${atMs}`))
      const [due] = await storage.loadDueMessages(atMs, 1)
      if (due === undefined) throw new Error('nothing waits')
      await storage.claimMessage(due, atMs + 60_000)
      await storage.endMessage(due, end)
    }

    test('show the failure of the last message that was tried, and none after a success', async () => {
      expect((await storage.loadChannelStates()).get('on-call')).toEqual({ waiting: 0, lastFailure: null })
      await tell(START_MS, { state: 'failed', failure: 'The receiver answered 500.' })
      const dueAtMs = START_MS + 1_000_000
      await tell(START_MS + 1, { state: 'pending', failure: 'The receiver answered 501.', dueAtMs })
      const states = await storage.loadChannelStates()
      expect(states.get('on-call')).toEqual({ waiting: 1, lastFailure: 'The receiver answered 501.' })
      expect(states.get('quiet')).toEqual({ waiting: 0, lastFailure: null })
      await tell(START_MS + 2, { state: 'delivered' })
      expect((await storage.loadChannelStates()).get('on-call')).toEqual({ waiting: 1, lastFailure: null })
    })
  })
}
