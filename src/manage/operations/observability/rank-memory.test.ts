import { expect, test } from 'bun:test'
import type { FigureQuestion } from '../../ports/explore/explore.ts'
import { rememberRanks } from './rank-memory.ts'

function questionOf(toMs: number): FigureQuestion {
  return { source: 'usage', figures: ['amountNano'], span: 'day', filter: { fromMs: 0, toMs } }
}

/** Gives two groups with other names each time, and takes 10 ms. */
function setUp() {
  let nowMs = 1_000
  let calls = 0
  const rank = rememberRanks(
    async () => {
      calls += 1
      await Promise.resolve()
      nowMs += 10
      return [`a${calls}`, `b${calls}`]
    },
    () => nowMs,
  )
  return { rank, pass: (ms: number) => (nowMs += ms) }
}

test('a ranking is used again for a hundred times as long as it took', async () => {
  const { rank, pass } = setUp()
  expect(await rank(questionOf(1), 'key', 2)).toEqual(['a1', 'b1'])
  pass(999)
  expect(await rank(questionOf(1), 'key', 2)).toEqual(['a1', 'b1'])
  pass(1)
  expect(await rank(questionOf(1), 'key', 2)).toEqual(['a2', 'b2'])
})

test('other questions, groups and numbers of them are ranked on their own', async () => {
  const { rank } = setUp()
  const rankings = [
    await rank(questionOf(1), 'key', 2),
    await rank(questionOf(2), 'key', 2),
    await rank(questionOf(1), 'model', 2),
    await rank(questionOf(1), 'key', 1),
  ]
  expect(rankings.map(([first]) => first)).toEqual(['a1', 'a2', 'a3', 'a4'])
})

test('those who ask at the same time share one ranking', async () => {
  const { rank } = setUp()
  const rankings = await Promise.all([rank(questionOf(1), 'key', 2), rank(questionOf(1), 'key', 2)])
  expect(rankings).toEqual([
    ['a1', 'b1'],
    ['a1', 'b1'],
  ])
})

test('a ranking of all groups is not used again, so that a new group appears at once', async () => {
  const { rank } = setUp()
  await rank(questionOf(1), 'key', 3)
  expect(await rank(questionOf(1), 'key', 3)).toEqual(['a2', 'b2'])
})

test('a ranking that failed is not used again', async () => {
  let calls = 0
  const rank = rememberRanks(async () => {
    calls += 1
    if (calls === 1) throw new Error('the database is away')
    return ['a']
  })
  await expect(rank(questionOf(1), 'key', 1)).rejects.toThrow('away')
  expect(await rank(questionOf(1), 'key', 1)).toEqual(['a'])
})

test('no more than 500 are kept', async () => {
  const { rank, pass } = setUp()
  for (let toMs = 0; toMs <= 500; toMs += 1) {
    await rank(questionOf(toMs), 'key', 2)
    pass(-10)
  }
  // The first was dropped, the second is still there.
  expect(await rank(questionOf(1), 'key', 2)).toEqual(['a2', 'b2'])
  expect(await rank(questionOf(0), 'key', 2)).toEqual(['a502', 'b502'])
})
