import { expect, test } from 'bun:test'
import { parseCpuTicks } from './process-meter.ts'

test('CPU time sums user and system time of the process and its ended children, whatever its name', () => {
  const before = '4242 (my (odd) name) S 1 4242 4242 0 -1 4194560 100 0 0 0'
  expect(parseCpuTicks(`${before} 7 20 300 4000 20 0 8 0 12345 999 888`)).toBe(4327)
})
