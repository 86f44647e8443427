import { describe, expect, test } from 'bun:test'
import type { MarkUp } from '../../vocabulary/records/mark-up.ts'
import type { MarkUpIndex, Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { anAccount } from '../../vocabulary/testing/specimens.ts'
import { findMarkUpProblem, markupFor } from './mark-ups.ts'
import { TIERS } from './tiers.ts'

const NOW_MS = 1_000

function snapshotWith(markUps: MarkUpIndex | null): Snapshot {
  const none = new Map()
  return {
    version: 1,
    accounts: new Map([['acc_1', anAccount()]]),
    keys: none,
    secretsByFingerprint: none,
    supply: {
      suppliers: none,
      credentialsBySupplier: none,
      models: new Map([['gpt-5', {} as never]]),
      routesByModel: none,
    },
    markUps,
    aliases: null,
    wildcards: null,
    tiers: TIERS,
  }
}

interface Percentages {
  readonly account?: number
  readonly tier?: number
  readonly model?: number
}

function indexOf({ account, tier, model }: Percentages): MarkUpIndex {
  const mapOf = (name: string, percent?: number) => new Map(percent === undefined ? [] : [[name, percent]])
  return { account: mapOf('acc_1', account), tier: mapOf('Builder', tier), model: mapOf('gpt-5', model) }
}

const account = anAccount({ id: 'acc_1', earnedTier: 'Builder', tierAssignment: null })

describe('the mark-up of a request', () => {
  test.each([
    [{ account: 1, tier: 2, model: 3 }, 1],
    [{ account: 0, tier: 2, model: 3 }, 0],
    [{ account: -500, model: 3 }, -500],
    [{ tier: 2, model: 3 }, 2],
    [{ tier: 0, model: 3 }, 0],
    [{ model: 3 }, 3],
    [{}, null],
  ])('is the first that is set: %j', (set, basisPoints) => {
    expect(markupFor({ account, snapshot: snapshotWith(indexOf(set)) }, 'gpt-5', NOW_MS)).toBe(basisPoints)
  })

  test('is none without mark-ups, and none of those of others', () => {
    expect(markupFor({ account, snapshot: snapshotWith(null) }, 'gpt-5', NOW_MS)).toBeNull()
    const snapshot = snapshotWith(indexOf({ account: 1, tier: 2, model: 3 }))
    const other = anAccount({ id: 'acc_2', earnedTier: 'Starter', tierAssignment: null })
    expect(markupFor({ account: other, snapshot }, 'gpt-4', NOW_MS)).toBeNull()
    expect(markupFor({ account: other, snapshot }, 'gpt-5', NOW_MS)).toBe(3)
  })

  test('follows an assigned tier while the assignment lasts', () => {
    const assigned = anAccount({
      id: 'acc_2',
      earnedTier: 'Starter',
      tierAssignment: {
        tier: 'Builder',
        rpm: null,
        tpm: null,
        expiresAtMs: NOW_MS,
        reason: 'trial',
        assignedBy: 'operator',
      },
    })
    const snapshot = snapshotWith(indexOf({ tier: 2 }))
    expect(markupFor({ account: assigned, snapshot }, 'gpt-5', NOW_MS - 1)).toBe(2)
    expect(markupFor({ account: assigned, snapshot }, 'gpt-5', NOW_MS)).toBeNull()
  })
})

describe('a mark-up is refused', () => {
  const snapshot = snapshotWith(null)
  const markUp = (appliesTo: MarkUp['appliesTo'], name: string, id = 'new'): MarkUp => ({
    id,
    appliesTo,
    name,
    basisPoints: 100,
  })

  test.each([
    ['account', 'acc_9', 'There is no account "acc_9".'],
    ['model', 'gpt-9', 'There is no model "gpt-9".'],
    ['tier', 'Gold', 'There is no tier "Gold". Tiers are Starter, Builder, Scale, Enterprise, Trial.'],
  ] as const)('for an unknown %s', (appliesTo, name, problem) => {
    expect(findMarkUpProblem(markUp(appliesTo, name), [], snapshot)).toBe(problem)
  })

  test('where there is one already, but not where the name is that of something else', () => {
    const stored = [markUp('model', 'gpt-5', 'old')]
    expect(findMarkUpProblem(markUp('model', 'gpt-5'), stored, snapshot)).toBe(
      'The mark-up of model "gpt-5" is "old"; change that one.',
    )
    expect(findMarkUpProblem(markUp('model', 'gpt-5', 'old'), stored, snapshot)).toBeNull()
    expect(findMarkUpProblem(markUp('account', 'acc_1'), stored, snapshot)).toBeNull()
    expect(findMarkUpProblem(markUp('tier', 'Trial'), stored, snapshot)).toBeNull()
  })
})
