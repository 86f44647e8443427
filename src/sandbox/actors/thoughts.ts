import { type Ask, lastUserText, trailingResults } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'
import { takeCharacters } from '../performance/tokens.ts'

/** What a model thinks before it acts. A user who speaks of redacting gets a thought that nobody may read, too. */
export function thinkAbout(ask: Ask): readonly Line[] {
  const thought: Line = { type: 'think', text: composeThought(ask) }
  if (!/redact/i.test(lastUserText(ask))) return [thought]
  return [
    thought,
    { type: 'think', isRedacted: true, text: 'This part of the thought is for nobody to read.' },
  ]
}

function composeThought(ask: Ask): string {
  const subject = takeCharacters(lastUserText(ask), 80)
  const result = trailingResults(ask.turns).length > 0 ? ' A tool has answered, so I can conclude.' : ''
  return `Let me think about "${subject}". There are ${ask.turns.length} messages to consider.${result}`
}
