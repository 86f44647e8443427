import { describe, expect, test } from 'bun:test'
import type { Ask } from './ask.ts'
import { type Line, type Performance, perform, performEndlessly } from './performance.ts'

const NO_PROMPT = { input: 0, cachedInput: 0, writtenInput: 0 }

describe('perform', () => {
  test('says everything when nothing limits it', () => {
    const performance = perform(ask({}), [[say('one two three')]], {
      input: 7,
      cachedInput: 2,
      writtenInput: 1,
    })
    expect(read(performance)).toEqual([['one two three', 'stop']])
    expect(performance.usage).toEqual({ input: 7, cachedInput: 2, writtenInput: 1, output: 4, reasoning: 0 })
  })

  test('stops before the first stop sequence that occurs', () => {
    const performance = perform(
      ask({ stopSequences: ['three', 'two', ''] }),
      [[say('one two three')]],
      NO_PROMPT,
    )
    expect(read(performance)).toEqual([['one ', 'stop']])
    expect(performance.usage?.output).toBe(1)
    expect(performance.choices[0]?.stopSequence).toBe('two')
  })

  test('was not stopped by a sequence that its limit kept it from reaching', () => {
    const performance = perform(
      ask({ stopSequences: ['three'], maxOutputTokens: 1 }),
      [[say('one two three')]],
      NO_PROMPT,
    )
    expect(performance.choices[0]).toMatchObject({ finish: 'length', stopSequence: null })
  })

  test('finishes with a refusal when it declined', () => {
    expect(read(perform(ask({}), [[{ type: 'refuse', text: 'No.' }]], NO_PROMPT))).toEqual([
      ['No.', 'refusal'],
    ])
  })

  test('finishes for length when the limit cuts it', () => {
    const performance = perform(ask({ maxOutputTokens: 2 }), [[say('one two three')]], NO_PROMPT)
    expect(read(performance)).toEqual([['one two ', 'length']])
    expect(performance.usage?.output).toBe(2)
  })

  test('does not call an answer cut that just fits', () => {
    const performance = perform(ask({ maxOutputTokens: 2 }), [[say('12345678')]], NO_PROMPT)
    expect(read(performance)).toEqual([['12345678', 'stop']])
  })

  test('lets thinking use up the limit', () => {
    const lines: Line[] = [{ type: 'think', text: 'hmmm' }, say('answer')]
    const performance = perform(ask({ maxOutputTokens: 1 }), [lines], NO_PROMPT)
    expect(performance.choices[0]?.steps.map((step) => step.type)).toEqual(['think'])
    expect(performance.choices[0]?.finish).toBe('length')
    expect(performance.usage).toEqual({ ...NO_PROMPT, output: 1, reasoning: 1 })
  })

  test('finishes with a tool call when it made one', () => {
    const line: Line = { type: 'call', tool: 'f', input: 'json', text: '{"stop":1}' }
    const performance = perform(ask({ stopSequences: ['stop'] }), [[line]], NO_PROMPT)
    expect(read(performance)).toEqual([['{"stop":1}', 'tool-call']])
  })

  test('counts the output of all choices', () => {
    const performance = perform(ask({}), [[say('1234')], [say('5678')]], NO_PROMPT)
    expect(performance.usage?.output).toBe(2)
  })
})

test('performEndlessly makes its pieces one by one', () => {
  const performance = performEndlessly(1_000_000_000, 8, NO_PROMPT)
  const [first] = performance.choices[0]?.steps[0]?.pieces ?? []
  expect(first).toBe('xxxxxxxx')
  expect(performance.usage?.output).toBe(2_000_000_000)
})

function say(text: string): Line {
  return { type: 'say', text }
}

function read(performance: Performance): [text: string, finish: string][] {
  return performance.choices.map(({ steps, finish }) => [
    steps.flatMap((step) => [...step.pieces]).join(''),
    finish,
  ])
}

function ask(fields: Partial<Ask>): Ask {
  return {
    model: 'm',
    instructions: [],
    turns: [],
    tools: [],
    toolChoice: { type: 'auto' },
    parallelTools: true,
    thinking: 'unsaid',
    maxOutputTokens: null,
    stopSequences: [],
    choices: 1,
    shape: { type: 'text' },
    ...fields,
  }
}
