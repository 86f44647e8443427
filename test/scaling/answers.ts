import { type Answer, type AnswerPart, finishOf } from '../../src/conversation/answer.ts'
import { textPart } from '../../src/conversation/part.ts'
import { list } from './conversations.ts'

/** What a supplier can make long, in no format. */
export const ANSWERS: Readonly<Record<string, (items: number) => Answer>> = {
  choices: (items) => answer(list(items, (at) => [textPart(`choice ${at}`)])),
  'text parts': (items) => answer([list(items, (at) => textPart(`part ${at}`))]),
  thoughts: (items) =>
    answer([
      list(items, (at) => ({ type: 'thinking', text: `thought ${at}`, proof: null, isRedacted: false })),
    ]),
  'tool calls': (items) => answer([list(items, call)]),
  citations: (items) => answer([[{ ...textPart('words'), citations: list(items, citation) }]]),
  'log probabilities': (items) => {
    const plain = answer([[textPart('words')]])
    const logprobs = list(items, (at) => ({
      token: `t${at}`,
      logprob: -1,
      top: [{ token: 'a', logprob: -1 }],
    }))
    return { ...plain, choices: plain.choices.map((choice) => ({ ...choice, logprobs })) }
  },
  'long text': (items) => answer([[textPart('words and more '.repeat(items))]]),
  'white space': (items) => answer([[textPart(`a${' \n'.repeat(items * 8)}b`)]]),
  'long input': (items) =>
    answer([[{ ...call(0), input: JSON.stringify({ text: 'words '.repeat(items) }) }]]),
}

function answer(choices: readonly (readonly AnswerPart[])[]): Answer {
  return {
    id: 'answer_1',
    choices: choices.map((parts, index) => ({
      index,
      parts,
      finish: finishOf(parts.some(({ type }) => type === 'tool-call') ? 'tool-call' : 'stop'),
      logprobs: null,
    })),
    usage: null,
  }
}

function call(at: number): AnswerPart & { readonly type: 'tool-call' } {
  return {
    type: 'tool-call',
    id: `call_${at}`,
    name: 'tool_0',
    kind: 'function',
    input: '{"city":"here"}',
    namespace: null,
    proof: null,
  }
}

function citation(at: number) {
  return { url: `https://pages.example/${at}`, title: `Page ${at}`, citedText: 'words', start: 0, end: 5 }
}
