import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'
import { ScheduledJob } from '../../src/manage/scheduled-job.ts'
import { type CollectedLog, createCollectedLog } from '../support/collected-log.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'

const HOUR_MS = 3_600_000

for (const engine of testedEngines()) {
  describe(`a scheduled job on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    let clock: MovableClock
    let log: CollectedLog
    let runs: number

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      clock = createMovableClock()
      log = createCollectedLog()
      runs = 0
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const makeJob = (run = async () => void runs++) =>
      new ScheduledJob({ name: 'job', periodMs: HOUR_MS, run }, { storage, clock, log })

    test('runs at the first start, then once in each hour', async () => {
      const job = makeJob()
      await job.beat()
      await job.beat()
      expect(runs).toBe(1)
      clock.advance(HOUR_MS - 1)
      await job.beat()
      expect(runs).toBe(1)
      clock.advance(1)
      await job.beat()
      expect(runs).toBe(2)
      clock.advance(5 * HOUR_MS)
      await job.beat()
      await job.beat()
      expect(runs).toBe(3)
    })

    test('that fails is logged and tried again a minute later', async () => {
      const job = makeJob(async () => {
        runs++
        if (runs === 1) throw new Error('the database is away')
      })
      await job.beat()
      await job.beat()
      expect(runs).toBe(1)
      expect(log.troubles).toEqual(['the job "job" failed and will be tried again: the database is away'])
      clock.advance(60_000)
      await job.beat()
      expect(runs).toBe(2)
      clock.advance(60_000)
      await job.beat()
      expect(runs).toBe(2)
    })

    test('is not stopped for years by a wrong clock', async () => {
      clock.advance(1_000 * HOUR_MS)
      await makeJob().beat()
      clock.advance(-999 * HOUR_MS)
      await makeJob().beat()
      expect(runs).toBe(2)
    })

    test('continues when the clock is set back', async () => {
      clock.advance(1_000 * HOUR_MS)
      const job = makeJob()
      await job.beat()
      clock.advance(-999 * HOUR_MS)
      await job.beat()
      expect(runs).toBe(2)
    })

    test('that is stopped finishes its run and starts no other', async () => {
      const gate = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const job = makeJob(async () => {
        begun.resolve()
        await gate.promise
        runs++
      })
      const beat = job.beat()
      await begun.promise
      const stopped = job.stop()
      gate.resolve()
      await stopped
      await beat
      expect(runs).toBe(1)
      clock.advance(HOUR_MS)
      await job.beat()
      expect(runs).toBe(1)
    })
  })
}
