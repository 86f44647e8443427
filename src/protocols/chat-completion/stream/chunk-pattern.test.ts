import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { EventPattern } from '../../../wire/event-pattern.ts'
import { asObject, tryParseJson } from '../../../wire/json-values.ts'
import { findAddedText } from './tap-usage.ts'

const encoder = new TextEncoder()

interface Choice {
  readonly delta: Readonly<Record<string, unknown>>
}

function eventOf(delta: object, rest: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, logprobs: null }]
  return `data: ${JSON.stringify({ id: 'c-1', model: 'm', choices, ...rest })}\n\n`
}

function learn(event: string): EventPattern {
  const pattern = new EventPattern()
  const added = findAddedText(asObject(tryParseJson(event.slice(event.indexOf('{')))) ?? {})
  if (added !== null) pattern.learn(encoder.encode(event), added, 'obfuscation')
  return pattern
}

function match(pattern: EventPattern, event: string): number | null {
  const bytes = encoder.encode(event)
  return pattern.match(bytes, 0, bytes.length)
}

test('counts any text as a parser would', () => {
  const pattern = learn(eventOf({ content: 'Hé' }, { usage: null, obfuscation: 'aB3' }))
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.toWellFormed())
  fc.assert(
    fc.property(
      text,
      fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'u', 'é', '😀') }),
      (content, obfuscation) => {
        expect(match(pattern, eventOf({ content }, { usage: null, obfuscation }))).toBe(content.length)
      },
    ),
    { numRuns: 500, seed: 14 },
  )
})

test('a matching event parses to the learned one except for the two strings', () => {
  const learnt = eventOf({ content: 'ab"\\' }, { obfuscation: 'xy' })
  const pattern = learn(learnt)
  const fragment = fc.constantFrom(
    '"',
    '\\',
    'u',
    '0041',
    '\\u00e9',
    '\\n',
    ',',
    '}',
    '{"a":1}',
    '\n',
    'é',
    ',"error":{}',
    ']',
  )
  const seen = { matched: 0, other: 0 }
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 6 }), fc.nat(learnt.length), (fragments, at) => {
      const event = learnt.slice(0, at) + fragments.join('') + learnt.slice(at)
      const characters = match(pattern, event)
      seen[characters === null ? 'other' : 'matched']++
      if (characters === null) return
      const parsed = JSON.parse(event.slice('data: '.length)) as { choices: Choice[]; obfuscation: string }
      const content = String(parsed.choices[0]?.delta.content)
      expect(content.length).toBe(characters)
      expect(parsed).toEqual(
        JSON.parse(eventOf({ content }, { obfuscation: parsed.obfuscation }).slice('data: '.length)),
      )
    }),
    { numRuns: 4000, seed: 15 },
  )
  expect(Math.min(seen.matched, seen.other)).toBeGreaterThan(300)
})

describe('learns from', () => {
  test.each([
    ['text', { content: 'a' }],
    ['text with role', { role: 'assistant', content: 'a' }],
    ['text that equals its name', { content: 'content' }],
    ['thinking', { content: null, reasoning_content: 'a' }],
    ['thinking under its other name', { reasoning: 'a' }],
  ])('%s', (_name, delta) => {
    const length = Object.values(delta).findLast((value) => value !== null)?.length
    expect(match(learn(eventOf(delta)), eventOf(delta))).toBe(length ?? -1)
  })
})

test('counts an event with the same other lines', () => {
  const withLines = (content: string) => `: ka\nevent: chunk\n${eventOf({ content })}`
  const pattern = learn(withLines('a'))
  expect(match(pattern, withLines('bcd'))).toBe(3)
  expect(match(pattern, eventOf({ content: 'bcd' }))).toBeNull()
})

describe('does not learn from', () => {
  const choice = { index: 0, delta: { content: 'a' } }
  test.each([
    ['empty text', eventOf({ content: '' })],
    ['a tool call', eventOf({ tool_calls: [{ function: { arguments: 'a' } }] })],
    ['text and thinking', eventOf({ content: 'a', reasoning_content: 'b' })],
    ['a finish', `data: ${JSON.stringify({ choices: [{ ...choice, finish_reason: 'stop' }] })}\n\n`],
    ['usage', eventOf({ content: 'a' }, { usage: { prompt_tokens: 1 } })],
    ['two choices', `data: ${JSON.stringify({ choices: [choice, choice] })}\n\n`],
    ['a repeated name', 'data: {"choices":[{"index":0,"delta":{"content":"b","content":"a"}}]}\n\n'],
    ['a name within another', 'data: {"choices":[{"delta":{"a\\"content":"b","c\\u006fntent":"b"}}]}\n\n'],
    ['no text', `data: ${JSON.stringify({ choices: [] })}\n\n`],
  ])('%s', (_name, event) => {
    expect(tryParseJson(event.slice(event.indexOf('{')))).toBeDefined()
    expect(match(learn(event), event)).toBeNull()
  })
})

describe('does not match', () => {
  const pattern = learn(eventOf({ content: 'a' }))
  test.each([
    ['a finish', eventOf({ content: 'a' }).replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['more members', eventOf({ content: 'a', refusal: 'b' })],
    ['an error', eventOf({ content: 'a' }, { error: { message: 'x' } })],
    ['a missing end', eventOf({ content: 'a' }).slice(0, -1)],
    ['more after it', `${eventOf({ content: 'a' })}x`],
    ['a line break in the text', eventOf({ content: 'QQ' }).replace('QQ', '\n')],
    ['an unknown escape', eventOf({ content: 'QQ' }).replace('QQ', '\\x')],
    ['a broken escape', eventOf({ content: 'QQ' }).replace('QQ', '\\u12')],
    ['nothing', ''],
  ])('%s', (_name, event) => expect(match(pattern, event)).toBeNull())
})
