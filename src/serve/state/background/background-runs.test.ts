import { describe, expect, test } from 'bun:test'
import { createCollectedLog } from '../../../../test/support/collected-log.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ReplyKey } from '../../ports/state/background-store.ts'
import { BackgroundRuns, type LocalRun, MAX_FOLLOWERS_PER_ACCOUNT } from './background-runs.ts'

interface SeenRun extends LocalRun {
  hasLeft: boolean
}

function aRun(accountId: string, id: string, bodyBytes = 1): SeenRun {
  const run: SeenRun = {
    key: { accountId, id, nodeId: 'node_1' },
    bodyBytes,
    isStored: true,
    hasLeft: false,
    listen: () => () => undefined,
    fail: () => undefined,
    leave: () => {
      run.hasLeft = true
    },
  }
  return run
}

function open(listRunning: () => readonly ReplyKey[] = () => []) {
  const log = createCollectedLog()
  const limits = { maxRuns: 3, maxBodyBytes: 100, maxBodyBytesPerAccount: 60 }
  const storage = { listRunning: async () => listRunning() }
  return { runs: new BackgroundRuns({ nodeId: 'node_1', limits, storage, log }), log }
}

function refusal(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.code
  }
}

describe('the background responses of a node', () => {
  test('are limited in number, and there is room again when one ends', () => {
    const { runs } = open()
    const [first, ...rest] = ['a', 'b', 'c'].map((account) => aRun(account, 'resp_1'))
    for (const run of [first, ...rest]) if (run !== undefined) runs.add(run)
    expect(refusal(() => runs.add(aRun('d', 'resp_1')))).toBe('temporarily_unavailable')
    if (first !== undefined) runs.remove(first)
    expect(refusal(() => runs.add(aRun('d', 'resp_1')))).toBeNull()
    expect(runs.size).toBe(3)
  })

  test('are limited by what their requests take up, in all and for each account', () => {
    const { runs } = open()
    runs.add(aRun('a', 'resp_1', 50))
    expect(refusal(() => runs.requireRoom('a', 11))).toBe('temporarily_unavailable')
    expect(refusal(() => runs.requireRoom('a', 10))).toBeNull()
    expect(refusal(() => runs.requireRoom('b', 50))).toBeNull()
    expect(refusal(() => runs.requireRoom('b', 51))).toBe('temporarily_unavailable')
  })

  test('are given up when the database no longer says that this node makes them', async () => {
    const running: ReplyKey[] = [{ accountId: 'a', id: 'resp_1' }]
    const { runs } = open(() => running)
    const [kept, ended, strange] = [aRun('a', 'resp_1'), aRun('a', 'resp_2'), aRun('b', 'resp_1')]
    for (const run of [kept, ended, strange]) runs.add(run)
    await runs.beat()
    expect([kept, ended, strange].map(({ hasLeft }) => hasLeft)).toEqual([false, true, true])
  })

  test('that are not stored yet are not given up', async () => {
    const { runs } = open()
    const run = { ...aRun('a', 'resp_1'), isStored: false, leave: () => expect.unreachable() }
    runs.add(run)
    await runs.beat()
  })

  test('go on while the database does not answer', async () => {
    const { runs, log } = open(() => {
      throw new Error('the database is away')
    })
    const run = aRun('a', 'resp_1')
    runs.add(run)
    await runs.beat()
    expect(run.hasLeft).toBe(false)
    expect(JSON.stringify(log)).not.toBe(JSON.stringify(createCollectedLog()))
  })
})

test('an account reads only so many streams of events at a time', () => {
  const { runs } = open()
  const stops = Array.from({ length: MAX_FOLLOWERS_PER_ACCOUNT }, () => runs.countFollower('a'))
  expect(refusal(() => runs.requireFollower('a'))).toBe('rate_limit_exceeded')
  expect(refusal(() => runs.requireFollower('b'))).toBeNull()
  for (const stop of stops) stop()
  expect(refusal(() => runs.requireFollower('a'))).toBeNull()
})
