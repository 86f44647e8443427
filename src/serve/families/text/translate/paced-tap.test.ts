import { expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import { OutputPacer } from './paced-tap.ts'

const TEXT = { type: 'text', text: '', citations: [], cache: null, proof: null } as const
const START: AnswerEvent = { type: 'part-start', choice: 0, part: TEXT }
const END: AnswerEvent = { type: 'part-end', choice: 0 }
const say = (text: string): AnswerEvent => ({ type: 'part-delta', choice: 0, text })

test('passes on what is allowed and holds back everything after it, in order', () => {
  const pacer = new OutputPacer(2)
  expect(pacer.push(START)).toEqual([START])
  expect(pacer.push(say('one two'))).toHaveLength(1)
  expect(pacer.push(say(' three'))).toEqual([])
  expect(pacer.push(END)).toEqual([])
  expect([pacer.outputTokens, pacer.wantedTokens]).toEqual([2, 4])
  expect(pacer.release(3)).toEqual([])
  expect(pacer.release(4)).toEqual([say(' three'), END])
  expect([pacer.outputTokens, pacer.wantedTokens]).toEqual([3, null])
})

test('holds back by characters where a supplier may count more tokens than we do', () => {
  const pacer = new OutputPacer(3)
  pacer.push(START)
  expect(pacer.push(say('international'))).toEqual([])
  expect([pacer.outputTokens, pacer.wantedTokens]).toEqual([0, 4])
  pacer.release(4)
  expect(pacer.outputTokens).toBeLessThan(4)
})

test('what is released may have to wait again', () => {
  const pacer = new OutputPacer(0)
  pacer.push(START)
  for (const text of ['one', ' two', ' three']) pacer.push(say(text))
  expect(pacer.release(2)).toEqual([say('one'), say(' two')])
  expect(pacer.wantedTokens).toBe(4)
})

test('ends what is open as cut by its length, and drops the rest', () => {
  const pacer = new OutputPacer(1)
  pacer.push(START)
  pacer.push(say('one'))
  pacer.push(say(' two three'))
  expect(pacer.endings().map((event) => event.type)).toEqual(['part-end', 'choice-end', 'answer-end'])
  expect([pacer.outputTokens, pacer.wantedTokens]).toEqual([1, null])
  const [ended] = new OutputPacer(0).endings()
  expect(ended).toMatchObject({ type: 'choice-end', choice: 0, finish: { reason: 'length' } })
})
