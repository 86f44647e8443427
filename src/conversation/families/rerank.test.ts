import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  arrange,
  countCharacters,
  countSearchUnits,
  type GivenDocument,
  isRankingOf,
  isSameRanking,
  type RankedDocument,
  type RerankRequest,
} from './rerank.ts'

function requestOf(fields: Partial<RerankRequest> = {}): RerankRequest {
  const { documents = ['a', 'b', 'c'] } = fields
  return {
    model: 'm',
    query: 'q',
    documents,
    texts: documents.map((document) => (typeof document === 'string' ? document : null)),
    topN: null,
    returnDocuments: null,
    maxTokensPerDocument: null,
    others: [],
    bodyText: '{}',
    ...fields,
  }
}

const ranked = (index: number, score: number, document?: unknown): RankedDocument => ({
  index,
  score,
  ...(document !== undefined && { document }),
})

describe('a ranking', () => {
  test.each([
    [[], true],
    [[2, 0], true],
    [[3], false],
    [[-1], false],
    [[0.5], false],
    [[1, 1], false],
  ])('of three documents may have the indices %j: %p', (indices, isRight) => {
    const ranking = indices.map((index) => ranked(index, 1))
    expect(isRankingOf(ranking, 3)).toBe(isRight)
  })

  test('is sorted and cut, with equal scores in the order of the supplier', () => {
    const ranking = [ranked(0, 0.1), ranked(2, 0.5), ranked(1, 0.5)]
    expect(arrange(ranking, requestOf({ topN: 2 })).map(({ index }) => index)).toEqual([2, 1])
  })

  test('that is as requested stays the same', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(2)),
        fc.array(fc.double({ noNaN: true }), { minLength: 3 }),
        (indices, scores) => {
          const sorted = scores.toSorted((one, other) => other - one)
          const ranking = indices.map((index, place) => ranked(index, sorted[place] ?? 0))
          expect(isSameRanking(arrange(ranking, requestOf()), ranking)).toBe(true)
        },
      ),
    )
  })

  test.each([
    [true, { given: 'a', client: { text: 'a' } }],
    [true, { given: 'a', supplier: { text: 'A', more: 1 }, client: { text: 'A', more: 1 } }],
    [true, { given: { text: 'a', id: 7 }, supplier: { text: 'a' }, client: { text: 'a', id: 7 } }],
    [null, { given: { text: 'a', id: 7 }, supplier: { text: 'a' }, client: { text: 'a', id: 7 } }],
    [null, { given: 'a' }],
    [false, { given: 'a', supplier: { text: 'a' } }],
  ] as readonly (readonly [boolean | null, Shown])[])(
    'wanted with documents %p: %j',
    (returnDocuments, { given, supplier, client }) => {
      const request = requestOf({ documents: [given], returnDocuments })
      expect(arrange([ranked(0, 1, supplier)], request)[0]?.document).toEqual(client)
    },
  )
})

interface Shown {
  readonly given: GivenDocument
  readonly supplier?: unknown
  readonly client?: unknown
}

describe('search units', () => {
  const unitsOf = (texts: readonly string[], fields: Partial<RerankRequest> = {}) =>
    countSearchUnits(requestOf({ texts, ...fields }), 0.25)

  test.each([
    [1, 'short', 1],
    [100, 'short', 1],
    [101, 'short', 2],
    // 400 tokens and the query of 100 fit into one chunk, one more does not.
    [100, 'x'.repeat(1_600), 1],
    [100, 'x'.repeat(1_604), 2],
    // Nothing beyond 4,096 tokens is read: nine chunks with the query.
    [100, 'x'.repeat(1_000_000), 9],
  ])('of %p documents', (count, text, units) => {
    expect(unitsOf(Array(count).fill(text), { query: 'x'.repeat(400) })).toBe(units)
  })

  test('respect the length at which the client has documents cut', () => {
    expect(unitsOf(Array(100).fill('x'.repeat(100_000)), { maxTokensPerDocument: 400 })).toBe(1)
  })
})

test('the query is read with every document', () => {
  expect(countCharacters({ query: 'four', texts: ['a', 'bc', null] })).toBe(3 * 4 + 3)
})
