import type { Question, Turn } from '../../parts/wire/question.ts'
import { parse } from '../../parts/wire/read-answer.ts'

const LONGEST_LIST = 5
const BASE64_SHOWN = 60
const BASE64 = /^(data:[\w/+.-]+;base64,)?[\w+/=-]{200,}$/

/** Images and vectors have up to millions of characters, which browsers are slow to lay out. */
export function shortenBody(body: string): string {
  const value = parse(body)
  return value === null || typeof value !== 'object' ? body : JSON.stringify(value, shortenValue)
}

function shortenValue(_name: string, value: unknown): unknown {
  if (typeof value === 'string' && BASE64.test(value)) return `${value.slice(0, BASE64_SHOWN)}…`
  if (!Array.isArray(value) || value.length <= LONGEST_LIST || typeof value[0] !== 'number') return value
  return [...value.slice(0, LONGEST_LIST), `… ${value.length} numbers in all`]
}

/** The same question with the names of files in place of what is in them, for code to read. */
export function withoutData(question: Question): Question {
  return { ...question, turns: question.turns.map(withoutFileData) }
}

function withoutFileData(turn: Turn): Turn {
  if (turn.role !== 'user' || turn.files === undefined) return turn
  const files = turn.files.map((file) =>
    file.kind === 'text' ? file : { ...file, data: `<Base64 of ${file.name}>` },
  )
  return { ...turn, files }
}
