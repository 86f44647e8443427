import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventsOf } from '../support/stream-reader.ts'
import {
  findEventProblems,
  findProblems,
  findWholeProblems,
  PUBLISHED_FORMATS,
  type PublishedFormat,
} from './published-schemas.ts'
import { askRaw } from './raw-calls.ts'
import { PIXEL } from './scenarios.ts'
import { findMissingFields } from './sdk-fields.ts'
import { openStage, type Stage } from './stage.ts'
import { MODES, type Mode, TEXT_FORMATS, type TextFormat } from './talk.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterEach(() => stage.gateway.sandbox.faults.clear())
afterAll(() => stage.stop())

type Fields = Readonly<Record<string, unknown>>

interface Scene {
  readonly model?: string
  readonly text: string
  /** More members of the body, by format. */
  readonly fields?: Readonly<Record<PublishedFormat, Fields>>
  /** Found in every answer, so that a scene cannot pass without what it is for. */
  readonly shows: Readonly<Record<PublishedFormat, string>> | string
}

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const IMAGE_URL = `data:image/png;base64,${PIXEL.data}`

const SCENES: Readonly<Record<string, Scene>> = {
  text: { text: 'say: Grüße, 世界! 😀', shows: '世界' },
  tools: {
    model: 'sandbox-tools',
    text: 'What is the weather?',
    fields: {
      'chat-completion': {
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }],
      },
      responses: { tools: [{ type: 'function', name: 'get_weather', parameters: PARAMETERS }] },
      messages: { tools: [{ name: 'get_weather', input_schema: PARAMETERS }] },
    },
    shows: 'get_weather',
  },
  thinking: {
    model: 'sandbox-reasoner',
    text: 'say: thought over',
    fields: {
      'chat-completion': { reasoning_effort: 'low' },
      responses: { reasoning: { effort: 'low', summary: 'auto' } },
      messages: { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 1_024 } },
    },
    shows: { 'chat-completion': 'thought', responses: '"reasoning"', messages: '"thinking"' },
  },
  'a length limit': {
    text: 'count to 100',
    fields: {
      'chat-completion': { max_tokens: 16 },
      responses: { max_output_tokens: 16 },
      messages: { max_tokens: 16 },
    },
    shows: { 'chat-completion': '"length"', responses: '"incomplete"', messages: '"max_tokens"' },
  },
  'a refusal': {
    text: 'Please refuse.',
    // Suppliers of some formats say that they stopped the answer, and nothing else.
    shows: { 'chat-completion': '"refusal"', responses: '"output"', messages: '"refusal"' },
  },
  'an image': {
    text: '',
    fields: {
      'chat-completion': {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: IMAGE_URL } }] }],
      },
      responses: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: IMAGE_URL }] }] },
      messages: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: PIXEL.mediaType, data: PIXEL.data } },
            ],
          },
        ],
      },
    },
    shows: 'image',
  },
  'a JSON format': {
    text: 'Make one.',
    fields: {
      'chat-completion': {
        response_format: { type: 'json_schema', json_schema: { name: 'place', schema: PARAMETERS } },
      },
      responses: { text: { format: { type: 'json_schema', name: 'place', schema: PARAMETERS } } },
      messages: { output_config: { format: { type: 'json_schema', schema: PARAMETERS } } },
    },
    shows: 'city',
  },
}

interface Case {
  readonly client: PublishedFormat
  readonly supplier: TextFormat
  readonly mode: Mode
}

const CASES: readonly Case[] = PUBLISHED_FORMATS.flatMap((client) =>
  TEXT_FORMATS.flatMap((supplier) => MODES.map((mode) => ({ client, supplier, mode }))),
)

async function ask({ client, supplier, mode }: Case, { text, model, fields }: Scene): Promise<string> {
  const response = await askRaw({
    url: stage.gateway.url,
    key: stage.keyFor(supplier),
    client,
    text,
    mode,
    ...(model !== undefined && { model }),
    ...(fields !== undefined && { fields: fields[client] }),
  })
  const answer = await response.text()
  expect(response.status, answer).toBe(200)
  return answer
}

/** Everything that contradicts the schemas, in a whole answer or in any event of a stream. */
function problemsOf({ client, mode }: Case, answer: string): readonly string[] {
  if (mode === 'whole') {
    const value = JSON.parse(answer)
    return [...findWholeProblems(client, value), ...findMissingFields(client, value)]
  }
  const events = eventsOf(answer).filter((data) => data !== '[DONE]')
  expect(events.length).toBeGreaterThan(1)
  return events
    .map((data) => JSON.parse(data))
    .flatMap((event) => [...findEventProblems(client, event), ...findMissingFields(client, event)])
}

describe.each(Object.entries(SCENES))('answers with %s', (_name, scene) => {
  test.each(CASES)('$client from $supplier, $mode', async (asked) => {
    const answer = await ask(asked, scene)
    expect(answer).toContain(typeof scene.shows === 'string' ? scene.shows : scene.shows[asked.client])
    expect(problemsOf(asked, answer)).toEqual([])
  })
})

describe('a stream that fails', () => {
  const pairs = TEXT_FORMATS.map((supplier) => [supplier] as const)
  const failingStream = async (client: PublishedFormat, supplier: TextFormat): Promise<Fields[]> => {
    stage.gateway.sandbox.faults.set({ times: 1, fault: { type: 'error-in-stream', afterPieces: 5 } })
    const answer = await ask({ client, supplier, mode: 'streamed' }, { text: 'count to 30', shows: '' })
    return eventsOf(answer).map((data) => JSON.parse(data))
  }

  test.each(pairs)('responses from %s: a failed response and an error', async (supplier) => {
    const events = await failingStream('responses', supplier)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['response.failed', 'error'])
    for (const event of events) {
      expect(findEventProblems('responses', event)).toEqual([])
      expect(findMissingFields('responses', event)).toEqual([])
    }
  })

  test.each(pairs)('messages from %s: an error with the request id', async (supplier) => {
    const last = (await failingStream('messages', supplier)).at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { type: expect.any(String), message: expect.any(String) },
      request_id: expect.stringMatching(/./),
    })
  })

  test.each(pairs)('chat-completion from %s: an error object', async (supplier) => {
    const last = (await failingStream('chat-completion', supplier)).at(-1)
    expect(findProblems('chat-completion', 'ErrorResponse', last)).toEqual([])
  })
})

describe('a refused request', () => {
  test.each(PUBLISHED_FORMATS)('%s', async (client) => {
    const response = await askRaw({
      url: stage.gateway.url,
      key: stage.keyFor('messages'),
      client,
      text: 'hello',
      fields: { temperature: 'warm' },
    })
    expect(response.status).toBe(400)
    const body = (await response.json()) as Fields
    expect(findProblems('chat-completion', 'ErrorResponse', body)).toEqual([])
    if (client === 'messages')
      expect(body).toMatchObject({ type: 'error', request_id: response.headers.get('x-request-id') })
  })
})
