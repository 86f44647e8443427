import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ScheduledJob } from '../../src/manage/scheduled-job.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

const HOUR_MS = 3_600_000
const ACCOUNTS = 20

for (const engine of testedEngines()) {
  describe(`two nodes on one ${engine.name}`, () => {
    let site: Site
    let clock: MovableClock
    let nodes: [Node, Node]
    let ids: string[]

    beforeEach(async () => {
      site = await engine.makeSite()
      clock = createMovableClock()
      const first = await startNode(site, { clock })
      ids = []
      for (let index = 0; index < ACCOUNTS; index++) {
        const name = `Account ${index}`
        ids.push((await first.operations.createAccount({ name, email: null }, 'operator')).id)
      }
      nodes = [first, await startNode(site, { clock })]
    })
    afterEach(async () => {
      await Promise.all(nodes.map(({ storage }) => storage.close()))
      await site.remove()
    })

    const payAll = async (node: Node) => {
      for (const id of ids) {
        const payment = { amountNano: 10_000_000_000n, reference: 'r', note: null }
        await node.operations.recordPayment(id, payment, 'operator')
      }
    }
    const eventsNamed = async (action: string) =>
      (await auditOf(nodes[0])).filter((event) => event.startsWith(`${action} `))

    test('both evaluate at once: each account is raised once, with one audit event', async () => {
      await payAll(nodes[0])
      const evaluations = await Promise.all(
        nodes.map(({ operations }) => operations.evaluateTiers('operator')),
      )
      const raised = evaluations.flatMap((evaluation) => evaluation.raised.map(({ accountId }) => accountId))
      expect(raised.toSorted()).toEqual(ids.toSorted())
      expect(await eventsNamed('tier.raised')).toHaveLength(ACCOUNTS)
      for (const { operations } of nodes) {
        for (const id of ids) expect((await operations.findAccount(id)).tier).toBe('Builder')
      }
    })

    test('both find ended assignments: each end is recorded once', async () => {
      for (const id of ids) {
        const trial = { tier: 'Trial', rpm: null, tpm: null, reason: 'r' } as const
        await nodes[0].operations.assignTier(id, { ...trial, expiresAtMs: clock.nowMs() + 1 }, 'operator')
      }
      clock.advance(1)
      await Promise.all(nodes.map(({ operations }) => operations.evaluateTiers('operator')))
      expect(await eventsNamed('tier.assignment_ended')).toHaveLength(ACCOUNTS)
    })

    test('what was paid through one node is seen by an evaluation on the other', async () => {
      await payAll(nodes[0])
      expect((await nodes[1].operations.evaluateTiers('operator')).raised).toHaveLength(ACCOUNTS)
    })

    test('the hourly evaluation runs on one of them only', async () => {
      await Promise.all(nodes.map(({ evaluation }) => evaluation.beat()))
      await payAll(nodes[0])
      clock.advance(HOUR_MS)
      await Promise.all(nodes.map(({ evaluation }) => evaluation.beat()))
      expect(await eventsNamed('tier.raised')).toHaveLength(ACCOUNTS)
      expect(nodes.flatMap(({ log }) => log.troubles)).toEqual([])
    })

    test('while one runs a job the other does not start it, and then finds it done', async () => {
      const gate = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const runs: number[] = []
      const jobs = nodes.map(({ storage }, index) => {
        const run = async () => {
          runs.push(index)
          begun.resolve()
          await gate.promise
        }
        const job = { name: 'slow', periodMs: HOUR_MS, run }
        return new ScheduledJob(job, { storage, clock, log: createCollectedLog() })
      })
      const first = jobs[0]?.beat()
      await begun.promise
      await jobs[1]?.beat()
      expect(runs).toEqual([0])
      gate.resolve()
      await first
      clock.advance(60_000)
      await Promise.all(jobs.map((job) => job.beat()))
      expect(runs).toEqual([0])
      clock.advance(HOUR_MS)
      await jobs[1]?.beat()
      expect(runs).toEqual([0, 1])
    })
  })
}
