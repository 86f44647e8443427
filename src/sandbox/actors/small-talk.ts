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
