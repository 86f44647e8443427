import { expect, test } from 'bun:test'
import { RequestIds } from './socket-exchange.ts'

test('ids have one format, are unique and sort by time', () => {
  const ids = new RequestIds()
  const made: string[] = []
  for (let atMs = 1_790_000_000_000; atMs < 1_790_000_000_500; atMs += 1) {
    for (let index = 0; index < 5; index += 1) made.push(ids.next(atMs))
  }
  expect(made.filter((id) => !/^req_[0-9a-f]{32}$/.test(id))).toEqual([])
  expect(new Set(made).size).toBe(made.length)
  const times = made.map((id) => id.slice(0, 16))
  expect(times).toEqual(times.toSorted())
  expect(Number.parseInt(made[0]?.slice(4, 16) ?? '', 16)).toBe(1_790_000_000_000)
})

test('two servers create different ids', () => {
  expect(new RequestIds().next(1)).not.toBe(new RequestIds().next(1))
})
