import { expect, test } from 'bun:test'
import { createMovableClock } from '../../../test/support/movable-clock.ts'
import { LimitsHub } from './hub.ts'

const STORE = {
  beginGeneration: () => {},
  announceConfiguration: () => {},
  releaseNode: async () => 0,
}

test('after the store has lost everything, also a node that was about to join is waited for', async () => {
  const hub = new LimitsHub(createMovableClock(1_000), STORE)
  const [joined, joining, gone] = ['joined', 'joining', 'gone'].map((nodeId) => hub.member(nodeId))
  const generation = hub.beginGeneration('first')
  await joined?.joinGeneration(generation)
  await gone?.joinGeneration(generation)
  hub.endGeneration()
  if (gone !== undefined) hub.leave(gone)
  hub.member('new')
  expect([hub.generation, await joining?.listAwaited()]).toEqual([null, ['joined', 'joining']])
})
