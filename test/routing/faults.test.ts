import { describe, expect, test } from 'bun:test'
import { FAULT_SERIES, runFaultSeries } from '../support/fault-series.ts'

const REQUESTS = 1_000

describe('one of two suppliers fails, and no client notices', () => {
  test.each(FAULT_SERIES)('%s', async (_name, fault) => {
    const { failures, touched } = await runFaultSeries(fault, REQUESTS)
    expect(failures).toEqual([])
    expect(touched).toBeGreaterThan(0)
    // A supplier that fails is left alone but for a probe now and then.
    expect(touched).toBeLessThan(REQUESTS / 20)
  })
})
