import { describe, expect, test } from 'bun:test'
import type { Ask, Tool, Turn } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'
import { reasoner, tools } from './tools.ts'

const FIRST: Tool = { name: 'first', input: { type: 'json', schema: { type: 'object' } } }
const WRITE: Tool = { name: 'fs.write-file', namespace: 'fs', input: { type: 'json', schema: {} } }
const PATCH: Tool = { name: 'patch', input: { type: 'text' } }

const turn = (role: Turn['role'], text: string): Turn => ({ role, text, images: [], toolName: null })
const user = (text: string) => turn('user', text)
const result = (text: string): Turn => ({ ...turn('tool', text), toolName: 'patch' })

function act(turns: readonly Turn[], asked: Partial<Ask> = {}): readonly Line[] {
  const ask: Ask = {
    model: 'sandbox-tools',
    instructions: [],
    turns,
    tools: [FIRST, WRITE, PATCH],
    toolChoice: { type: 'auto' },
    parallelTools: true,
    thinking: 'declined',
    maxOutputTokens: null,
    stopSequences: [],
    choices: 1,
    shape: { type: 'text' },
    ...asked,
  }
  expect(reasoner.speak(ask, 0)).toEqual(tools.speak(ask, 0))
  return tools.speak(ask, 0)
}

const callOf = (tool: string, text: string) => [expect.objectContaining({ type: 'call', tool, text })]

describe('a user can name the call', () => {
  test('with the arguments as they are', () => {
    const said = 'use tool fs.write-file with {"path":"a}\\"b","lines":[{"n":1}]}'
    expect(act([user(said)])).toEqual([
      {
        type: 'call',
        tool: 'fs.write-file',
        namespace: 'fs',
        input: 'json',
        text: '{"path":"a}\\"b","lines":[{"n":1}]}',
      },
    ])
  })

  test('with free text for a tool that takes it', () => {
    expect(act([user('Use tool patch with "line 1\\nsay \\"x\\""')])).toEqual(
      callOf('patch', 'line 1\nsay "x"'),
    )
  })

  test('among words of others, before and behind', () => {
    const said = '<reminder>{"use tool"}</reminder>\nPlease use tool patch with "p", "q" and } be brief.'
    expect(act([user(said)])).toEqual(callOf('patch', 'p'))
  })
})

describe('several calls', () => {
  const said = user('use tool patch with "one" and then use tool fs.write-file with {} and stop')

  test('are made one after the other, then comes the answer', () => {
    const once = [said, turn('assistant', ''), result('1')]
    const twice = [...once, turn('assistant', ''), result('2')]
    expect(act([said])).toEqual(callOf('patch', 'one'))
    expect(act(once)).toEqual(callOf('fs.write-file', '{}'))
    expect(act(twice)).toEqual([{ type: 'say', text: 'patch returned: 2' }])
  })

  test('are not begun again by what an agent adds behind a result', () => {
    const turns = [said, result('1'), user('<reminder>Be brief.</reminder>')]
    expect(act(turns)).toEqual(callOf('fs.write-file', '{}'))
  })

  test('are history once the model has answered', () => {
    const turns = [said, turn('assistant', ''), result('1'), turn('assistant', 'Done.'), user('And now?')]
    expect(act(turns)).toEqual(callOf('first', '{}'))
  })

  test('of an earlier question are forgotten with a new script', () => {
    expect(act([said, result('1'), user('use tool patch with "new"')])).toEqual(callOf('patch', 'new'))
  })
})

describe('what cannot be called', () => {
  test.each([
    ['a tool that is not offered', 'use tool gone with {}'],
    ['free text for a tool that takes arguments', 'use tool first with "x"'],
    ['arguments for a tool that takes free text', 'use tool patch with {}'],
  ])('%s is only talked about', (_, said) => {
    expect(act([user(said)])).toEqual([expect.objectContaining({ type: 'say' })])
  })

  test.each([['use tool patch with "open'], [`use tool fs.write-file with {"a":${'}'.repeat(5000)}`]])(
    'a value without end is no script',
    (said) => {
      expect(act([user(said)])).toEqual([expect.objectContaining({ type: 'call', tool: 'first' })])
    },
  )

  test('a choice the caller forces comes before the script', () => {
    const said = [user('use tool patch with "p"')]
    expect(act(said, { toolChoice: { type: 'named', name: 'first' } })).toEqual(callOf('first', '{}'))
    expect(act(said, { toolChoice: { type: 'none' } })).toEqual([expect.objectContaining({ type: 'say' })])
  })
})
