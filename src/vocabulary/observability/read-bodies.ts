import { choice, flag, id, integer, list, text, time } from '../field.ts'
import { shape, type Value } from '../shape.ts'

const PART_TYPES = ['text', 'thinking', 'tool_call', 'tool_result', 'image', 'refusal', 'other'] as const

const SaidPart = shape('SaidPart', {
  type: choice(PART_TYPES),
  text: text()
    .note('What it says: text, the input of a tool, its result, or what an image or other content is.')
    .example('Hello!'),
  name: text().nullable().note('The name of the tool; null for other parts.').example(null),
  callId: text().nullable().note('The call of a tool, and its result.').example(null),
  isError: flag().as('error').note('Whether the tool reported an error.').example(false),
})
export type SaidPart = Value<typeof SaidPart>

const SaidTurn = shape('SaidTurn', {
  role: choice(['system', 'user', 'assistant']),
  parts: list(SaidPart.field),
})
export type SaidTurn = Value<typeof SaidTurn>

const GivenAnswer = shape('GivenAnswer', {
  parts: list(SaidPart.field),
  finish: text().nullable().note('Why it ended; null when it was broken off.').example('stop'),
})

/** The stored bodies of a request as a conversation, whatever its format. */
export const ReadBodies = shape('ReadBodies', {
  turns: list(SaidTurn.field)
    .nullable()
    .note(
      'What the request says, instructions first; null when it cannot be read, for example because it was cut.',
    ),
  tools: list(text()).note('The names of the tools that the model was offered.').example(['get_weather']),
  answers: list(GivenAnswer.field)
    .nullable()
    .note(
      'The answers, put together from their events when they were streamed; null when there is none to read.',
    ),
  failure: text()
    .nullable()
    .note('Why the answer broke off, in the words that the client got.')
    .example(null),
})
export type ReadBodies = Value<typeof ReadBodies>

export const SHORTEST_SEARCH = 2

export const BodySearch = shape('BodySearch', {
  text: text(200, { min: SHORTEST_SEARCH })
    .note('Capital and small letters are the same.')
    .example('invoice'),
  fromMs: time().note('Stored at this RFC 3339 time or later.'),
  toMs: time().note('Stored before this RFC 3339 time.'),
  cursor: text(500).note('The `next_cursor` of the search before, to search on.'),
})

export const FoundBody = shape('FoundBody', {
  requestId: id('req'),
  createdAtMs: time(),
  place: choice(['request', 'response']),
  excerpt: text().note('The text around it.').example('…the invoice of March…'),
})
export type FoundBody = Value<typeof FoundBody>

export const FoundBodies = shape('FoundBodies', {
  data: list(FoundBody.field),
  searched: integer().note('How many stored requests this call has read, newest first.').example(200),
  total: integer().note('How many are stored in the range, counted up to 100,000.').example(1_200),
  nextCursor: text().nullable().note('To search on; null when all have been read.').example(null),
})
export type FoundBodies = Value<typeof FoundBodies>
