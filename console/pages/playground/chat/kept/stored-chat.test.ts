import { describe, expect, test } from 'bun:test'
import { NO_ANSWER } from '../../../../parts/wire/ask.ts'
import type { Question } from '../../../../parts/wire/question.ts'
import { USUAL_SETTINGS } from '../settings.tsx'
import { exportJson, exportMarkdown } from './export-chat.ts'
import { type ChatContent, fromStored, titleOf, toStored } from './stored-chat.ts'

const CALL = { index: 0, id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }
const RESULTS = [{ call: CALL, output: 'rain' }]
const SAID = { text: 'Is it raining?', files: [] }

function question(turns: Question['turns']): Question {
  return { ...USUAL_SETTINGS, format: 'messages', model: 'a', turns }
}

const FIRST = { role: 'user', text: SAID.text } as const
const ASKED = { role: 'assistant', text: '', calls: [CALL] } as const
const CHAT: ChatContent = {
  format: 'messages',
  models: ['a'],
  settings: USUAL_SETTINGS,
  rounds: [
    {
      id: 1,
      said: SAID,
      replies: [
        {
          model: 'a',
          steps: [
            {
              results: [],
              question: question([FIRST]),
              answer: { ...NO_ANSWER, phase: 'done', calls: [CALL] },
            },
            {
              results: RESULTS,
              question: question([FIRST, ASKED, { role: 'tool', results: RESULTS }]),
              answer: { ...NO_ANSWER, phase: 'done', text: 'Yes.' },
            },
          ],
        },
      ],
    },
    {
      id: 2,
      said: { text: 'And now?', files: [] },
      replies: [
        {
          model: 'a',
          steps: [
            {
              results: [],
              question: question([
                FIRST,
                ASKED,
                { role: 'tool', results: RESULTS },
                { role: 'assistant', text: 'Yes.' },
                { role: 'user', text: 'And now?' },
              ]),
              answer: { ...NO_ANSWER, phase: 'done', text: 'Still.' },
            },
          ],
        },
      ],
    },
  ],
}

describe('a kept chat', () => {
  test('comes back as it was, with every question', () => {
    expect(fromStored(JSON.parse(JSON.stringify(toStored('x', CHAT))))).toMatchObject(CHAT)
  })

  test('stores each message once', () => {
    const stored = JSON.stringify(toStored('x', CHAT))
    expect(stored.split(SAID.text)).toHaveLength(2)
  })

  test('shows what was interrupted as stopped', () => {
    const running = { ...NO_ANSWER, phase: 'answering' as const, text: 'Y' }
    const steps = [{ results: [], question: question([FIRST]), answer: running }]
    const rounds = [{ id: 1, said: SAID, replies: [{ model: 'a', steps }] }]
    const restored = fromStored(toStored('x', { ...CHAT, rounds }))
    expect(restored.rounds[0]?.replies[0]?.steps[0]?.answer).toMatchObject({ phase: 'stopped', text: 'Y' })
  })

  test('has the first words as its title', () => {
    expect(titleOf(CHAT.rounds)).toBe('Is it raining?')
    expect(
      titleOf([{ id: 1, said: { text: `${'word '.repeat(40)}`, files: [] }, replies: [] }]),
    ).toHaveLength(80)
    expect(titleOf([])).toBe('Untitled chat')
  })
})

describe('export', () => {
  test('to Markdown holds messages, calls and replies', () => {
    const { name, text } = exportMarkdown('Is it raining?', CHAT)
    expect(name).toBe('is-it-raining.md')
    for (const part of ['Is it raining?', 'Calls weather', 'rain', 'Yes.', 'And now?', 'Still.']) {
      expect(text).toContain(part)
    }
  })

  test('to JSON can be read again', () => {
    const { text } = exportJson('Rain', 'x', CHAT)
    expect(JSON.parse(text)).toMatchObject({ title: 'Rain', id: 'x', models: ['a'] })
    expect(exportJson('../..', 'x', CHAT).name).toBe('chat.json')
  })
})
