import { expect, test } from 'bun:test'
import type { Question } from '../../../../parts/wire/question.ts'
import { turnsOf } from '../conversation.ts'
import { USUAL_SETTINGS } from '../settings.tsx'
import { roundsOf } from './question-rounds.ts'

const CALL = { id: 'c1', name: 'weather', arguments: '{}' }
const ASKED: Question = {
  ...USUAL_SETTINGS,
  format: 'messages',
  model: 'm',
  turns: [
    { role: 'user', text: 'one' },
    { role: 'assistant', text: '', calls: [CALL] },
    { role: 'tool', results: [{ call: CALL, output: 'rain' }] },
    { role: 'assistant', text: 'two' },
    { role: 'user', text: 'three' },
  ],
}

test('the last message waits to be sent again, and those before it stay as they were', () => {
  const { rounds, draft } = roundsOf(ASKED)
  expect(draft).toEqual({ text: 'three', files: [] })
  expect(turnsOf(rounds, 'm')).toMatchObject(ASKED.turns.slice(0, -1))
  expect(rounds).toHaveLength(1)
})

test('a conversation that ends with results of calls waits for them again', () => {
  const { rounds, draft } = roundsOf({ ...ASKED, turns: ASKED.turns.slice(0, 3) })
  expect(draft.text).toBe('')
  expect(rounds[0]?.replies[0]?.steps.at(-1)?.answer.calls).toHaveLength(1)
})
