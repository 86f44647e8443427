import { generateJson } from '../json/generate-json.ts'
import { type Ask, lastUserText, lastUserTurn, type SeenImage, trailingResults } from '../performance/ask.ts'
import { takeCharacters } from '../performance/tokens.ts'
import type { Actor } from './actor.ts'

const LONGEST_QUOTE = 2000

export const chat: Actor = {
  model: 'sandbox-chat',
  summary: 'Talks back: echoes the last message and knows a few simple answers.',
  speak: (ask, choice) => {
    if (isToRefuse(ask)) return [{ type: 'refuse', text: 'I am sorry, but I cannot help with that.' }]
    return [{ type: 'say', text: composeAnswer(ask, choice) }]
  },
}

const EXACT_WORDS = /^say:\s*(.+)$/is

function isToRefuse(ask: Ask): boolean {
  const text = lastUserText(ask)
  return /refuse/i.test(text) && !EXACT_WORDS.test(text)
}

/** The answer in the shape that is wanted of it. `words` are what it says in place of small talk. */
export function composeAnswer(ask: Ask, choice: number, words = composeText(ask, choice)): string {
  switch (ask.shape.type) {
    case 'text':
      return words
    case 'json-object':
      return JSON.stringify({ reply: words })
    case 'json-schema':
      return JSON.stringify(generateJson(ask.shape.schema, lastUserText(ask)))
  }
}

// Words given to be said exactly are not commented on, so that a test can put any text on the wire.
function composeText(ask: Ask, choice: number): string {
  const exact = EXACT_WORDS.exec(lastUserText(ask))?.[1]
  if (exact !== undefined) return exact
  const remarks = [
    answer(ask),
    describeImages(imagesSeen(ask)),
    describeInstructions(ask),
    describeChoice(choice),
  ]
  return remarks.filter((remark) => remark !== '').join(' ')
}

function answer(ask: Ask): string {
  const text = lastUserText(ask)
  if (SUMMARY_WANTED.test(text)) return summarize(ask)
  if (text === '') return 'You said nothing.'
  const quote = takeCharacters(text, LONGEST_QUOTE)
  return answerSmallTalk(text) ?? `You said: "${quote}${quote === text ? '' : '…'}".`
}

// Agents and gateways ask for a summary when a conversation has become too long.
const SUMMARY_WANTED = /\bsummari[sz]e (?:the|this) conversation\b/i

/** What a summary says of an order is no order: whoever reads it later must not carry it out again. */
const ORDER = /\buse tool\b/gi

function summarize({ turns }: Ask): string {
  const lines = turns.map(({ role, text }) => `${role}: ${text.split(SUMMARY_WANTED, 1)[0]?.trim() ?? ''}`)
  const said = lines.filter((line) => !/^\w+: $/.test(line)).join('\n')
  const quote = takeCharacters(said.replaceAll(ORDER, 'used tool'), LONGEST_QUOTE)
  return `Summary of ${count(turns.length, 'turn')}:\n${quote}`
}

// Those of the question and those that tools have returned since.
function imagesSeen(ask: Ask): readonly SeenImage[] {
  return [lastUserTurn(ask), ...trailingResults(ask.turns)].flatMap((turn) => turn?.images ?? [])
}

export function describeImages(images: readonly SeenImage[]): string {
  if (images.length === 0) return ''
  return `I see ${count(images.length, 'image')}: ${images.map(describeImage).join(', ')}.`
}

function describeImage({ mediaType, bytes }: SeenImage): string {
  return mediaType === null ? 'one by link' : `${mediaType} of ${count(bytes ?? 0, 'byte')}`
}

function describeInstructions(ask: Ask): string {
  return ask.instructions.length === 0 ? '' : `I follow ${count(ask.instructions.length, 'instruction')}.`
}

function describeChoice(choice: number): string {
  return choice === 0 ? '' : `This is choice ${choice + 1}.`
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

const HIGHEST_COUNT = 10_000

type Answerer = (match: RegExpExecArray) => string | null

const SMALL_TALK: readonly (readonly [question: RegExp, answer: Answerer])[] = [
  [/^(hi|hello|hey)\b[\s!.,]*$/i, () => 'Hello! I am a simulated model. Ask me anything.'],
  [/^ping[\s!.]*$/i, () => 'pong'],
  [/^who are you\b/i, () => 'I am a sandbox model: I only simulate thinking.'],
  [/capital of france/i, () => 'The capital of France is Paris.'],
  [/^count to (\d{1,5})\b/i, ([, last]) => countTo(Number(last))],
  [/(-?\d{1,9})\s*([+\-*x])\s*(-?\d{1,9})/i, ([, left, operator, right]) => solve(left, operator, right)],
]

/** A fixed answer to a simple question; null when the question is not one of those. */
export function answerSmallTalk(text: string): string | null {
  for (const [question, answer] of SMALL_TALK) {
    const match = question.exec(text)
    const reply = match === null ? null : answer(match)
    if (reply !== null) return reply
  }
  return null
}

function countTo(last: number): string | null {
  if (last < 1 || last > HIGHEST_COUNT) return null
  return Array.from({ length: last }, (_, index) => index + 1).join(' ')
}

function solve(left = '', operator = '', right = ''): string {
  return `${left} ${operator} ${right} = ${calculate(Number(left), operator, Number(right))}.`
}

function calculate(left: number, operator: string, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    default:
      return left * right
  }
}
