import type { AnswerEvent } from '../../src/conversation/answer-event.ts'
import type { Conversation, Turn } from '../../src/conversation/conversation.ts'
import type { Part } from '../../src/conversation/part.ts'

/** How a conversation departs from the normal form, in words; empty when it does not. */
export function departures({ instructions, turns }: Conversation): string[] {
  const found = instructions.flatMap(({ text }, index) =>
    text === '' ? [`instruction ${index} is empty`] : [],
  )
  if (turns[0]?.role === 'system') found.push('the first turn is a system turn')
  turns.forEach((turn, index) => {
    if (turn.parts.length === 0) found.push(`turn ${index} has no parts`)
    if (turn.role === turns[index - 1]?.role) found.push(`turn ${index} has the role of the one before`)
    if (turn.parts.some(isEmptyText)) found.push(`turn ${index} has an empty text`)
    found.push(...misplacedResults(turn, turns[index - 1]).map((what) => `turn ${index} ${what}`))
  })
  return found
}

function isEmptyText(part: Part): boolean {
  if (part.type === 'tool-result') return part.parts.some(isEmptyText)
  return (part.type === 'text' || part.type === 'refusal') && part.text === ''
}

function misplacedResults({ role, parts }: Turn, before: Turn | undefined): string[] {
  const results = parts.filter((part) => part.type === 'tool-result')
  if (results.length === 0) return []
  if (role !== 'user') return ['has tool results but is not a user turn']
  const isFirst = parts.slice(0, results.length).every(({ type }) => type === 'tool-result')
  if (!isFirst) return ['has tool results after other parts']
  const calls = before?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])) ?? []
  const places = results.map(({ callId }) => calls.indexOf(callId)).filter((place) => place !== -1)
  const isInOrder = places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1))
  return isInOrder ? [] : ['has tool results in another order than their calls']
}

/** How a row of events breaks the grammar of an answer, in words; empty when it does not. */
export function grammarFaults(events: readonly AnswerEvent[]): string[] {
  const choices = new Set(events.flatMap((event) => ('choice' in event ? [event.choice] : [])))
  return [
    ...frameFaults(events, 'answer-start', 0),
    ...frameFaults(events, 'answer-end', events.length - 1),
    ...[...choices].flatMap((choice) => choiceFaults(events, choice)),
  ]
}

function frameFaults(events: readonly AnswerEvent[], type: AnswerEvent['type'], place: number): string[] {
  const places = events.flatMap((event, index) => (event.type === type ? [index] : []))
  return places.length === 1 && places[0] === place ? [] : [`${type} stands at ${places} instead of ${place}`]
}

function choiceFaults(events: readonly AnswerEvent[], choice: number): string[] {
  const faults: string[] = []
  let state: 'between' | 'in-part' | 'ended' = 'between'
  for (const [index, event] of events.entries()) {
    if (!('choice' in event) || event.choice !== choice) continue
    const needed = event.type === 'part-start' || event.type === 'choice-end' ? 'between' : 'in-part'
    const isLoose = event.type === 'part-logprobs' && state !== 'ended'
    if (state !== needed && !isLoose)
      faults.push(`event ${index}: ${event.type} while choice ${choice} is ${state}`)
    if (event.type === 'part-start') state = 'in-part'
    if (event.type === 'part-end') state = 'between'
    if (event.type === 'choice-end') state = 'ended'
  }
  return state === 'ended' ? faults : [...faults, `choice ${choice} never ends`]
}
