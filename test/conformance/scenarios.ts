import { expect } from 'bun:test'
import { Compile } from 'typebox/schema'
import { carriesProof } from './carries-proof.ts'
import type { Journey } from './journey.ts'
import {
  MODES,
  type Mode,
  type Opening,
  type SdkReply,
  type TextFormat,
  type ToolOffer,
  type ToolResult,
} from './talk.ts'

/** What one client format and one supplier format are tried with. Each is written once and played by every SDK. */
export interface Scenario {
  readonly id: string
  readonly title: string
  readonly modes: readonly Mode[]
  readonly plot: Plot
}

export type Plot =
  | { readonly type: 'dialogue'; readonly opening: Opening; readonly steps: readonly Step[] }
  /** The supplier reports an error after the client has seen the first words. */
  | { readonly type: 'broken-stream'; readonly opening: Opening }
  /** The client leaves: a stream after its first words, a whole answer before it has come. */
  | { readonly type: 'client-leaves'; readonly opening: Opening }
  /** A tool loop with thinking whose turns are served by different suppliers. */
  | ({ readonly type: 'journey' } & Journey)

/** One question and what its answer must be. */
export interface Step {
  /** What is added to the conversation before asking; the first step has its opening. */
  readonly before?: Before
  readonly expected: Partial<{ readonly [field in keyof SdkReply]: unknown }>
  readonly check?: (seen: Seen) => void
}

export type Before =
  | { readonly type: 'results'; readonly results: readonly Omit<ToolResult, 'id' | 'name'>[] }
  | { readonly type: 'say'; readonly text: string }
  /** The same conversation is begun once more. */
  | { readonly type: 'again' }

export interface Seen {
  readonly reply: SdkReply
  readonly supplier: TextFormat
  readonly client: TextFormat
  /** What the supplier was sent. */
  readonly sent: unknown
}

const WEATHER_SCHEMA = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
}
const fitsWeather = Compile(WEATHER_SCHEMA)

const WEATHER: ToolOffer = {
  name: 'get_weather',
  description: 'Current weather of a city.',
  schema: WEATHER_SCHEMA,
}
const TIME: ToolOffer = {
  name: 'get_time',
  description: 'The time it is.',
  schema: { type: 'object', properties: {} },
}
const PARIS = { city: 'Paris', unit: 'celsius' }

/** A real image of one pixel. */
export const PIXEL = {
  type: 'bytes',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
} as const
const PIXEL_SEEN = 'I see 1 image: image/png of 70 bytes.'

const REFUSAL = 'I am sorry, but I cannot help with that.'

/** Stands in an opening for something no other cell says, so that prompt caches do not help each other. */
export const CELL_NAME = '{cell}'

const someUsage = (seen: Seen) => {
  expect(seen.reply.usage.prompt).toBeGreaterThan(0)
  expect(seen.reply.usage.output).toBeGreaterThan(0)
}

const THOUGHTFUL: Opening = {
  model: 'sandbox-reasoner',
  text: 'What is the weather?',
  tools: [WEATHER],
  thinks: true,
}

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'text',
    title: 'Text',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'say: Grüße, 世界! 😀 and some more words' },
      steps: [
        { expected: { text: 'Grüße, 世界! 😀 and some more words', finish: 'stop' }, check: someUsage },
        { before: { type: 'say', text: 'ping' }, expected: { text: 'pong', finish: 'stop' } },
      ],
    },
  },
  {
    id: 'tools',
    title: 'Tool loop',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-tools', text: 'What is the weather?', tools: [WEATHER] },
      steps: [
        {
          expected: {
            calls: [{ id: expect.any(String), name: 'get_weather', input: PARIS }],
            finish: 'tool-call',
          },
        },
        {
          before: { type: 'results', results: [{ text: '18 degrees' }] },
          expected: { text: 'get_weather returned: 18 degrees', calls: [], finish: 'stop' },
        },
      ],
    },
  },
  {
    id: 'parallel-tools',
    title: 'Parallel tools',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-tools', text: 'Do both in parallel', tools: [WEATHER, TIME] },
      steps: [
        {
          expected: {
            calls: [
              { id: expect.any(String), name: 'get_weather', input: PARIS },
              { id: expect.any(String), name: 'get_time', input: {} },
            ],
            finish: 'tool-call',
          },
        },
        {
          before: { type: 'results', results: [{ text: '18 degrees' }, { text: 'noon' }] },
          expected: { text: 'get_weather returned: 18 degrees\nget_time returned: noon', finish: 'stop' },
        },
      ],
    },
  },
  {
    id: 'tool-result-image',
    title: 'Tool result with an image',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-tools', text: 'Look at the clock', tools: [TIME] },
      steps: [
        { expected: { calls: [{ id: expect.any(String), name: 'get_time', input: {} }] } },
        {
          before: { type: 'results', results: [{ text: 'here', image: PIXEL }] },
          expected: { text: expect.stringContaining('get_time returned: here'), finish: 'stop' },
          check: ({ reply }) => expect(reply.text).toContain(PIXEL_SEEN),
        },
      ],
    },
  },
  {
    id: 'thinking',
    title: 'Thinking, its signatures returned',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: THOUGHTFUL,
      steps: [
        {
          expected: {
            thoughts: 'Let me think about "What is the weather?". There are 1 messages to consider.',
            calls: [{ id: expect.any(String), name: 'get_weather', input: PARIS }],
            finish: 'tool-call',
          },
          check: ({ reply }) => expect(reply.usage.reasoning).toBeGreaterThan(0),
        },
        {
          before: { type: 'results', results: [{ text: '18 degrees' }] },
          expected: { text: 'get_weather returned: 18 degrees', finish: 'stop' },
          check: ({ supplier, sent, reply }) => {
            expect(reply.thoughts).toContain('A tool has answered, so I can conclude.')
            expect(carriesProof(supplier, sent)).toBe(true)
          },
        },
        {
          before: { type: 'say', text: 'And now?' },
          expected: { calls: [{ id: expect.any(String), name: 'get_weather', input: PARIS }] },
        },
      ],
    },
  },
  {
    id: 'other-formats',
    title: 'Thinking, moved to suppliers of the other formats and back',
    modes: MODES,
    plot: { type: 'journey', opening: THOUGHTFUL, to: 'other-formats' },
  },
  {
    id: 'stranger',
    title: 'Thinking, moved to a stranger of the same format and back',
    modes: MODES,
    plot: { type: 'journey', opening: THOUGHTFUL, to: 'stranger' },
  },
  {
    id: 'structured-output',
    title: 'Structured output',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'Weather, please', schema: WEATHER_SCHEMA },
      steps: [
        {
          expected: { finish: 'stop' },
          check: ({ reply }) => expect(fitsWeather.Check(JSON.parse(reply.text))).toBe(true),
        },
      ],
    },
  },
  {
    id: 'vision',
    title: 'Vision',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'What is this?', images: [PIXEL] },
      steps: [{ expected: { text: `You said: "What is this?". ${PIXEL_SEEN}`, finish: 'stop' } }],
    },
  },
  {
    id: 'stop',
    title: 'Stop sequence',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'count to 100', stop: [' 4'] },
      steps: [{ expected: { text: '1 2 3', finish: 'stop' } }],
    },
  },
  {
    id: 'length',
    title: 'Length limit',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'count to 1000', maxTokens: 16 },
      steps: [
        {
          expected: { text: expect.stringMatching(/^1 2 3 4 5 /), finish: 'length' },
          check: ({ reply }) => expect(reply.usage.output).toBe(16),
        },
      ],
    },
  },
  {
    id: 'refusal',
    title: 'Refusal',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: 'Please refuse this' },
      steps: [{ expected: {}, check: expectRefusal }],
    },
  },
  {
    id: 'cached-usage',
    title: 'Usage with a cached prompt',
    modes: MODES,
    plot: {
      type: 'dialogue',
      opening: { model: 'sandbox-chat', text: `${CELL_NAME} `.repeat(200) },
      steps: [
        {
          expected: {},
          check: ({ reply }) => expect(reply.usage).toMatchObject({ cached: 0, reasoning: 0 }),
        },
        { before: { type: 'again' }, expected: {}, check: expectCached },
      ],
    },
  },
  {
    id: 'mid-stream-error',
    title: 'Error in mid-stream',
    modes: ['streamed'],
    plot: { type: 'broken-stream', opening: { model: 'sandbox-chat', text: 'count to 30' } },
  },
  {
    id: 'abort',
    title: 'Client aborts',
    modes: MODES,
    plot: { type: 'client-leaves', opening: { model: 'sandbox-chat', text: 'count to 30' } },
  },
]

/** The AI SDK has one surface for all formats, so the ways of its users are fewer. */
export const AI_SDK_SCENARIOS = SCENARIOS.filter(({ id }) =>
  ['text', 'tools', 'parallel-tools', 'thinking'].includes(id),
)

/**
 * A refusal in the model's own words has a place in every format but content-generation, whose clients read them as
 * text. Of the suppliers, only those of chat-completion and responses give words as an answer.
 */
function expectRefusal({ reply, client, supplier }: Seen): void {
  const hasWords = supplier === 'chat-completion' || supplier === 'responses'
  expect(reply.finish).toBe(hasWords && client === 'content-generation' ? 'stop' : 'declined')
  expect(hasWords ? (reply.refusal ?? reply.text) : reply.text).toBe(hasWords ? REFUSAL : '')
}

function expectCached({ reply: { usage } }: Seen): void {
  expect(usage.cached).toBeGreaterThanOrEqual(1024)
  expect(usage.prompt).toBeGreaterThanOrEqual(usage.cached)
  expect(usage.output).toBeGreaterThan(0)
}
