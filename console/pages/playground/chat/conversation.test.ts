import { describe, expect, test } from 'bun:test'
import { type Answer, NO_ANSWER } from '../../../parts/wire/ask.ts'
import type { Question } from '../../../parts/wire/question.ts'
import {
  openCalls,
  type Reply,
  type Round,
  rewrite,
  type Step,
  turnsFor,
  turnsOf,
  upTo,
} from './conversation.ts'

const QUESTION: Question = {
  format: 'messages',
  model: 'a',
  system: '',
  turns: [],
  temperature: null,
  maxTokens: null,
  effort: '',
  isStreamed: true,
}
const CALL = { index: 0, id: 'c1', name: 'weather', arguments: '{}' }

function step(answer: Partial<Answer>, results: Step['results'] = []): Step {
  return { results, question: QUESTION, answer: { ...NO_ANSWER, phase: 'done', ...answer } }
}

function reply(model: string, ...steps: readonly Step[]): Reply {
  return { model, steps }
}

function round(id: number, ...replies: readonly Reply[]): Round {
  return { id, said: { text: `question ${id}`, files: [] }, replies }
}

const texts = (turns: ReturnType<typeof turnsOf>) =>
  turns.map((turn) => (turn.role === 'tool' ? turn.results.map(({ output }) => output).join() : turn.text))

describe('turnsOf', () => {
  test('each model sees its own answers, and those of another where it has none', () => {
    const rounds = [
      round(1, reply('a', step({ text: 'from a' })), reply('b', step({ text: 'from b' }))),
      round(2, reply('a', step({ text: 'more of a' }))),
    ]
    expect(texts(turnsOf(rounds, 'a'))).toEqual(['question 1', 'from a', 'question 2', 'more of a'])
    expect(texts(turnsOf(rounds, 'b'))).toEqual(['question 1', 'from b', 'question 2', 'more of a'])
    expect(texts(turnsOf(rounds, 'c'))).toEqual(['question 1', 'from a', 'question 2', 'more of a'])
  })

  test('leaves out what nobody answered', () => {
    const rounds = [
      round(1, reply('a', step({ phase: 'failed' }))),
      round(2, reply('a', step({ text: 'yes' }))),
    ]
    expect(texts(turnsOf(rounds, 'a'))).toEqual(['question 2', 'yes'])
  })

  test('gives every call a result', () => {
    const open = [round(1, reply('a', step({ calls: [CALL] })))]
    expect(turnsOf(open, 'a').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    const results = [{ call: CALL, output: 'rain' }]
    const closed = [round(1, reply('a', step({ calls: [CALL] }), step({ text: 'It rains' }, results)))]
    expect(texts(turnsOf(closed, 'a'))).toEqual(['question 1', '', 'rain', 'It rains'])
  })
})

test('turnsFor ends with the message, or with the results of the calls', () => {
  const rounds = [round(1, reply('a', step({ text: 'one' }))), round(2, reply('a', step({ calls: [CALL] })))]
  const place = { round: 2, model: 'a' }
  const results = [{ call: CALL, output: 'rain' }]
  expect(texts(turnsFor(rounds, place, results))).toEqual(['question 1', 'one', 'question 2', '', 'rain'])
  const fresh = [...upTo(rounds, 1), round(2, reply('a'))]
  expect(texts(turnsFor(fresh, place, []))).toEqual(['question 1', 'one', 'question 2'])
})

test('rewrite changes the last text and drops what follows', () => {
  const rounds = [round(1, reply('a', step({ text: 'one' }))), round(2, reply('a', step({ text: 'two' })))]
  expect(texts(turnsOf(rewrite(rounds, { round: 1, model: 'a' }, 'uno'), 'a'))).toEqual(['question 1', 'uno'])
})

test('calls wait for results only when the response is complete', () => {
  expect(openCalls(reply('a', step({ calls: [CALL] })))).toHaveLength(1)
  expect(openCalls(reply('a', step({ calls: [CALL], phase: 'answering' })))).toHaveLength(0)
  expect(openCalls(reply('a', step({ calls: [CALL] }), step({ text: 'done' })))).toHaveLength(0)
})
