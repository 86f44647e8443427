import { formatCount, formatDuration } from '../../parts/text/format.ts'
import { ask } from '../../parts/wire/ask.ts'
import type { ChatFormat } from '../../parts/wire/question.ts'
import { failureOf, parse } from '../../parts/wire/read-answer.ts'
import { keyHeaders, writeRequest } from '../../parts/wire/write-request.ts'

export interface Step {
  readonly name: string
  readonly state: 'waiting' | 'running' | 'good' | 'bad'
  readonly result: string
}

export const STEPS: readonly Step[] = [
  { name: 'API key', state: 'waiting', result: '' },
  { name: 'GET /v1/models', state: 'waiting', result: '' },
  { name: 'A short request', state: 'waiting', result: '' },
]

export interface Connection {
  readonly format: ChatFormat
  readonly model: string
  /** Returns the key to test with. */
  readonly findKey: () => Promise<{ secret: string; result: string }>
  readonly signal: AbortSignal
  readonly onChange: (steps: readonly Step[]) => void
}

const MAX_TOKENS = 64
const LONGEST_SHOWN = 120

/** Tests a connection step by step, as a program would use it. Stops at the first failure. */
export async function testConnection(connection: Connection): Promise<void> {
  let steps = STEPS
  const note = (index: number, change: Partial<Step>) => {
    steps = steps.map((step, at) => (at === index ? { ...step, ...change } : step))
    connection.onChange(steps)
  }
  let secret = ''
  const acts = [
    async () => {
      const key = await connection.findKey()
      secret = key.secret
      return key.result
    },
    () => listModels(connection, secret),
    () => generate(connection, secret),
  ]
  for (const [index, act] of acts.entries()) {
    note(index, { state: 'running' })
    try {
      note(index, { state: 'good', result: await act() })
    } catch (error) {
      note(index, { state: 'bad', result: error instanceof Error ? error.message : String(error) })
      return
    }
  }
}

interface ModelList {
  readonly data?: readonly { readonly id: string; readonly gateway?: { readonly routeable?: boolean } }[]
}

async function listModels({ format, model, signal }: Connection, secret: string): Promise<string> {
  const sentAtMs = performance.now()
  const response = await fetch('/v1/models', {
    headers: keyHeaders(format, secret),
    credentials: 'omit',
    signal,
  })
  const value = parse(await response.text())
  if (!response.ok) {
    throw new Error(failureOf(value) ?? `The gateway returned status ${response.status}.`)
  }
  const { data = [] } = (value ?? {}) as ModelList
  const found = data.find(({ id }) => id === model)
  if (found === undefined) throw new Error(`This key cannot use ${model}. Choose another model or key.`)
  if (found.gateway?.routeable === false) throw new Error(`No supplier can serve ${model} right now.`)
  const took = formatDuration(performance.now() - sentAtMs)
  return `${formatCount(data.length, 'model')}, including ${model}, in ${took}.`
}

async function generate({ format, model, signal }: Connection, secret: string): Promise<string> {
  const request = writeRequest({
    format,
    model,
    system: '',
    turns: [{ role: 'user', text: 'Say hello.' }],
    temperature: null,
    maxTokens: MAX_TOKENS,
    effort: '',
    isStreamed: true,
  })
  const answer = await ask({ format, request, secret, signal })
  if (answer.phase !== 'done') throw new Error(answer.failure ?? 'Stopped.')
  const words = answer.text.length > LONGEST_SHOWN ? `${answer.text.slice(0, LONGEST_SHOWN)}…` : answer.text
  const route = answer.headers['x-gateway-route'] ?? 'a supplier'
  const took = formatDuration(answer.durationMs ?? 0)
  return `${words === '' ? 'An empty response' : `“${words}”`} from ${route} in ${took}.`
}
