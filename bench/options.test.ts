import { expect, test } from 'bun:test'
import { GROUP_NAMES, readOptions, TARGET_NAMES } from './options.ts'

test('without flags, a short run takes most groups and compares the gateway with what it is measured by', () => {
  const { groups, targets, ...others } = readOptions([])
  expect([...groups]).toEqual(['requests', 'sizes', 'tail', 'strangers', 'memory', 'start'])
  expect([...targets]).toEqual(['direct', 'bare', 'gateway'])
  expect(others).toEqual({ isLong: false, streams: 200, rounds: null, against: null })
})

test('a long run takes all groups and targets and more streams', () => {
  const { groups, targets, streams } = readOptions(['--long'])
  expect([...groups]).toEqual([...GROUP_NAMES])
  expect([...targets]).toEqual([...TARGET_NAMES])
  expect(streams).toBe(1_000)
})

test('groups, targets, rounds, another checkout and the number of streams can be chosen', () => {
  const { groups, targets, streams, rounds, against } = readOptions([
    ...['--only', 'tail,sizes', '--targets', 'nginx', '--streams', '50', '--rounds', '8'],
    ...['--against', '../other'],
  ])
  expect([rounds, against]).toEqual([8, '../other'])
  expect([...groups]).toEqual(['sizes', 'tail'])
  expect([...targets]).toEqual(['direct', 'bare', 'nginx'])
  expect(streams).toBe(50)
})

test('what is not known is refused with what there is', () => {
  expect(() => readOptions(['--only', 'gateway'])).toThrow('no such group: gateway; there are requests, ')
  expect(() => readOptions(['--targets', 'sizes'])).toThrow('no such target: sizes; there are direct, ')
  expect(() => readOptions(['--streams', 'many'])).toThrow('--streams takes a number, not many')
  expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds takes a number, not 0')
})
