import { describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens, TokenCounter, textDensity } from '../../src/conversation/token-estimate.ts'
import { SAMPLES } from './samples.ts'

const MAX_ERROR = 0.15

function count(text: string): number {
  const counter = new TokenCounter()
  counter.add(text)
  return counter.tokens
}

function errorOf(estimate: number, text: string): number {
  return Math.abs(estimate / encode(text).length - 1)
}

describe('within 15 % of a real tokenizer', () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    test(name, () => {
      expect(errorOf(count(text), text)).toBeLessThan(MAX_ERROR)
    })
  }

  test('all of it in one text, of which only samples are read', () => {
    const all = Object.values(SAMPLES).join('\n')
    for (const text of [all, all.repeat(20)])
      expect(errorOf(estimateTokens(text), text)).toBeLessThan(MAX_ERROR)
  })

  for (const name of ['English', 'Chinese', 'Arabic', 'TypeScript'] as const) {
    test(`a long text in ${name}, of which only samples are read`, () => {
      const text = (SAMPLES[name] ?? '').repeat(40)
      expect(errorOf(estimateTokens(text), text)).toBeLessThan(MAX_ERROR)
    })
  }
})

test('nothing is no token, and anything is at least one', () => {
  expect(count('')).toBe(0)
  expect(estimateTokens('')).toBe(0)
  for (const text of ['a', '7', '.', '\n', '字', '👍', 'ß']) expect(count(text)).toBeGreaterThan(0)
})

test('a text in pieces counts as much as in one piece, wherever it is cut', () => {
  for (const text of Object.values(SAMPLES)) {
    for (const length of [1, 3, 7]) {
      const counter = new TokenCounter()
      for (let at = 0; at < text.length; at += length) counter.add(text.slice(at, at + length))
      expect(counter.tokens).toBe(count(text))
    }
  }
})

test('a part of a text counts like that part alone', () => {
  const text = SAMPLES.Markdown ?? ''
  const counter = new TokenCounter()
  counter.addPart(text, 10, 200)
  expect(counter.tokens).toBe(count(text.slice(10, 200)))
})

test('the beginning does not decide about the rest', () => {
  const text = (SAMPLES.English ?? '').slice(0, 512) + (SAMPLES.Chinese ?? '').repeat(50)
  expect(errorOf(estimateTokens(text), text)).toBeLessThan(MAX_ERROR)
})

test('every code unit has an estimate', () => {
  const all = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
  for (const unit of all) expect(Number.isSafeInteger(count(unit))).toBe(true)
})

describe('the density of a body', () => {
  const bodyOf = (content: string) => ({
    model: 'vendor/m',
    stream: true,
    messages: [
      { role: 'user', content },
      { role: 'assistant', content: null },
    ],
  })

  for (const [name, text] of Object.entries(SAMPLES)) {
    test(`with ${name} is that of the text`, () => {
      const density = textDensity(bodyOf(text))
      expect(Math.abs(density / (encode(text).length / text.length) - 1)).toBeLessThan(0.25)
    })
  }

  test('of many turns is that of all of them', () => {
    const texts = [SAMPLES.Chinese, SAMPLES.English, SAMPLES.Russian, SAMPLES.Python].map(
      (text) => text ?? '',
    )
    const density = textDensity({ messages: texts.map((content) => ({ role: 'user', content })) })
    const all = texts.join('\n')
    // Every turn counts the same here, however long it is.
    const mean = texts.reduce((sum, text) => sum + encode(text).length / text.length, 0) / texts.length
    expect(Math.abs(density / mean - 1)).toBeLessThan(MAX_ERROR)
    expect(all.length).toBeGreaterThan(1_000)
  })

  test('a picture in it says nothing about its texts', () => {
    const text = SAMPLES.English ?? ''
    const picture = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4'.repeat(100)}`
    const content = [
      { type: 'image_url', image_url: { url: picture } },
      { type: 'text', text },
    ]
    expect(textDensity({ messages: [{ role: 'user', content }] })).toBe(textDensity(bodyOf(text)))
  })

  test('a body without any text, or one that is very deep or long, has one', () => {
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    const long = Array.from({ length: 100_000 }, () => ({ content: 'Hello there, how are you?' }))
    for (const body of [null, {}, 7, 'x', deep, long]) {
      const density = textDensity(body)
      expect(density).toBeGreaterThan(0)
      expect(density).toBeLessThan(2)
    }
  })
})
