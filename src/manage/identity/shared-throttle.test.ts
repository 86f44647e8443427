import { expect, test } from 'bun:test'
import { AttemptThrottle } from '../../rules/access/attempt-throttle.ts'
import { type AttemptNotice, SharedThrottle } from './attempts.ts'

const RULE = { free: 3, firstWaitMs: 1_000, longestWaitMs: 60_000, forgetMs: 600_000, mostKept: 10 }

/** Two nodes; each message of one reaches the other at once. */
function twoNodes() {
  const said: AttemptNotice[] = []
  const nodes: SharedThrottle[] = []
  const add = (other: () => SharedThrottle | undefined) =>
    nodes.push(
      new SharedThrottle({
        throttle: new AttemptThrottle({ nowMs: () => 0 }, RULE),
        fingerprint: (key) => `print of ${key.length}`,
        publish: (notice) => {
          said.push(notice)
          other()?.apply(notice)
        },
      }),
    )
  add(() => nodes[1])
  add(() => nodes[0])
  const [one, other] = nodes
  if (one === undefined || other === undefined) throw new Error('there are two nodes')
  return { one, other, said }
}

test('guessing on two nodes is no quicker than on one', () => {
  const { one, other } = twoNodes()
  expect([one.begin('ann@x'), other.begin('ann@x'), one.begin('ann@x')]).toEqual([1, 2, 3])
  expect([one.waitMs('ann@x'), other.waitMs('ann@x')]).toEqual([1_000, 1_000])
  other.giveBack('ann@x')
  expect([one.waitMs('ann@x'), other.waitMs('ann@x')]).toEqual([0, 0])
  one.begin('ann@x')
  other.forgive('ann@x')
  expect(one.begin('ann@x')).toBe(1)
})

test('publishes only fingerprints', () => {
  const { one, said } = twoNodes()
  one.begin('ann@example.com')
  expect(said).toEqual([{ key: 'print of 15', change: 'begun' }])
})
