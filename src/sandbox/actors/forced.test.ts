import { describe, expect, test } from 'bun:test'
import { type AnswerShape, type Ask, lastUserText, type Turn } from '../performance/ask.ts'
import { createActors } from './index.ts'
import { specialists } from './specialists.ts'

const say = (role: Turn['role'], text: string): Turn => ({ role, text, images: [], toolName: null })
const ASK: Ask = {
  model: '',
  instructions: [],
  turns: [say('user', 'Hi')],
  tools: ['f', 'g'].map((name) => ({ name, input: { type: 'json', schema: { type: 'object' } } })),
  toolChoice: { type: 'auto' },
  parallelTools: true,
  thinking: 'declined',
  maxOutputTokens: null,
  stopSequences: [],
  choices: 1,
  shape: { type: 'text' },
}
const REMINDER = '<system-reminder>\nDo not mention this.\n</system-reminder>'
const talkers = createActors({ beforeFirstByteMs: 0, betweenPiecesMs: 0 }).filter(
  (actor) => !actor.paints && !specialists.includes(actor),
)

describe.each(talkers.map((actor) => [actor.model, actor] as const))('%s', (_model, actor) => {
  test('calls a tool when it must, and the one it must', () => {
    expect(actor.speak({ ...ASK, toolChoice: { type: 'required' } }, 0)).toMatchObject([
      { type: 'call', tool: 'f' },
    ])
    expect(actor.speak({ ...ASK, toolChoice: { type: 'named', name: 'g' } }, 0)).toMatchObject([
      { type: 'call', tool: 'g' },
    ])
  })

  test('answers in JSON when it is to, also after the result of a tool', () => {
    const turns = [say('user', 'Hi'), say('assistant', 'f'), say('tool', 'done')]
    const schema = { type: 'object', properties: { a: { type: 'integer' } } }
    const shapes: readonly AnswerShape[] = [{ type: 'json-object' }, { type: 'json-schema', schema }]
    for (const shape of shapes) {
      const [line] = actor.speak({ ...ASK, turns, shape }, 0)
      expect(line?.type).toBe('say')
      expect(JSON.parse(line?.text ?? '')).toBeObject()
    }
  })

  test('does not take a reminder for the question', () => {
    const asked = { ...ASK, tools: [] }
    const plain = actor.speak({ ...asked, turns: [say('user', 'count to 3')] }, 0)
    for (const turns of [
      [say('user', `count to 3\n${REMINDER}`)],
      [say('user', `${REMINDER}count to 3`)],
      [say('user', 'count to 3'), say('user', REMINDER)],
    ])
      expect(actor.speak({ ...asked, turns }, 0)).toEqual(plain)
  })
})

test('a reminder after the result of a tool belongs to the result', () => {
  const turns = [say('user', 'Look'), say('assistant', 'f'), say('tool', 'done'), say('user', REMINDER)]
  const actor = talkers.find(({ model }) => model === 'sandbox-tools')
  expect(actor?.speak({ ...ASK, turns }, 0)).toEqual([{ type: 'say', text: 'The tool returned: done' }])
  expect(lastUserText({ ...ASK, turns })).toBe('Look')
})
