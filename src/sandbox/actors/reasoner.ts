import { type Ask, lastUserText } from '../performance/ask.ts'
import { takeCharacters } from '../performance/tokens.ts'
import type { Actor } from './actor.ts'
import { tools } from './tools.ts'

export const reasoner: Actor = {
  model: 'sandbox-reasoner',
  summary: 'Thinks aloud first, then answers or calls the first offered tool.',
  speak: (ask, choice) => {
    const action = tools.speak(ask, choice)
    return ask.thinking ? [{ type: 'think', text: composeThought(ask) }, ...action] : action
  },
}

function composeThought(ask: Ask): string {
  const subject = takeCharacters(lastUserText(ask), 80)
  const result = ask.turns.at(-1)?.role === 'tool' ? ' A tool has answered, so I can conclude.' : ''
  return `Let me think about "${subject}". There are ${ask.turns.length} messages to consider.${result}`
}
