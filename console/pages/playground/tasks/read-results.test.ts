import { describe, expect, test } from 'bun:test'
import { shortenBody } from '../shorten.ts'
import {
  audioExtension,
  closestPair,
  readRanking,
  readTranscript,
  readVectors,
  readVerdict,
  similarityOf,
  splitLines,
} from './read-results.ts'

describe('embeddings', () => {
  const body = JSON.stringify({
    data: [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [1, 0] },
      { index: 2, embedding: [1, 1] },
    ],
  })

  test('are read in the order of the texts', () => {
    expect(readVectors(body)).toEqual([
      [1, 0],
      [0, 2],
      [1, 1],
    ])
    expect(readVectors('nonsense')).toEqual([])
  })

  test('are compared by angle, whatever their length', () => {
    expect(similarityOf([1, 0], [0, 2])).toBe(0)
    expect(similarityOf([1, 1], [3, 3])).toBeCloseTo(1)
    expect(similarityOf([1, 0], [-2, 0])).toBe(-1)
    expect(similarityOf([0, 0], [1, 0])).toBe(0)
  })

  test('have a closest pair if there are two', () => {
    expect(
      closestPair([
        [1, 0],
        [0, 1],
        [0.1, 1],
      ]),
    ).toMatchObject({ first: 1, second: 2 })
    expect(closestPair([[1, 0]])).toBeNull()
  })
})

test('a ranking keeps the order of the response', () => {
  const results = [
    { index: 2, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ]
  expect(readRanking(JSON.stringify({ results }))).toEqual([
    { index: 2, score: 0.9 },
    { index: 0, score: 0.1 },
  ])
})

test('a verdict lists the highest scores first', () => {
  const result = {
    flagged: true,
    categories: { hate: false, violence: true },
    category_scores: { hate: 0.1, violence: 0.8, other: 0.3 },
  }
  expect(readVerdict(JSON.stringify({ results: [result] }))).toEqual({
    isFlagged: true,
    categories: [
      { name: 'violence', isFlagged: true, score: 0.8 },
      { name: 'other', isFlagged: false, score: 0.3 },
      { name: 'hate', isFlagged: false, score: 0.1 },
    ],
  })
  expect(readVerdict('{}')).toBeNull()
})

test('a transcript is text, in JSON or not', () => {
  expect(readTranscript('{"text":"Hello"}')).toBe('Hello')
  expect(readTranscript('1\n00:00:00,000 --> 00:00:01,000\nHello\n')).toContain('-->')
})

test('lines are trimmed and empty ones ignored', () => {
  expect(splitLines(' one \n\n two\n')).toEqual(['one', 'two'])
})

test('long vectors and images are shortened', () => {
  const short = shortenBody(
    JSON.stringify({ embedding: [1, 2, 3, 4, 5, 6], b64_json: 'A'.repeat(300), text: 'a b '.repeat(90) }),
  )
  expect(JSON.parse(short)).toEqual({
    embedding: [1, 2, 3, 4, 5, '… 6 numbers in all'],
    b64_json: `${'A'.repeat(60)}…`,
    text: 'a b '.repeat(90),
  })
  expect(shortenBody('plain text')).toBe('plain text')
})

test('a file is named after its content type', () => {
  expect(audioExtension('audio/mpeg')).toBe('mp3')
  expect(audioExtension('audio/x-wav; rate=24000')).toBe('wav')
  expect(audioExtension('audio/L16')).toBe('pcm')
  expect(audioExtension('audio/pcm')).toBe('pcm')
  expect(audioExtension('audio/flac')).toBe('flac')
  expect(audioExtension('')).toBe('audio')
})
