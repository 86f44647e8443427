import { formatDuration } from '../../parts/text/format.ts'
import { ask } from '../../parts/wire/ask.ts'
import { failureOf, parse } from '../../parts/wire/read-answer.ts'
import { type ChatFormat, keyHeaders, writeRequest } from '../../parts/wire/write-request.ts'

export interface Step {
  readonly name: string
  readonly state: 'waiting' | 'running' | 'good' | 'bad'
  /** What was found. */
  readonly told: string
}

export const STEPS: readonly Step[] = [
  { name: 'A key', state: 'waiting', told: '' },
  { name: 'GET /v1/models', state: 'waiting', told: '' },
  { name: 'A small generation', state: 'waiting', told: '' },
]

export interface Connection {
  readonly format: ChatFormat
  readonly model: string
  /** Gives the key to test with. */
  readonly findKey: () => Promise<{ secret: string; told: string }>
  readonly signal: AbortSignal
  readonly onChange: (steps: readonly Step[]) => void
}

const MOST_TOKENS = 64
const LONGEST_SHOWN = 120

/** Tries a connection as a program would make it, step by step; what fails ends it. */
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
      return key.told
    },
    () => listModels(connection, secret),
    () => generate(connection, secret),
  ]
  for (const [index, act] of acts.entries()) {
    note(index, { state: 'running' })
    try {
      note(index, { state: 'good', told: await act() })
    } catch (error) {
      note(index, { state: 'bad', told: error instanceof Error ? error.message : String(error) })
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
    throw new Error(failureOf(value) ?? `The gateway answered with status ${response.status}.`)
  }
  const { data = [] } = (value ?? {}) as ModelList
  const found = data.find(({ id }) => id === model)
  if (found === undefined) throw new Error(`This key may not use ${model}. Choose another model or key.`)
  if (found.gateway?.routeable === false) throw new Error(`No supplier can serve ${model} right now.`)
  const took = formatDuration(performance.now() - sentAtMs)
  return `${data.length} models, ${model} among them, in ${took}.`
}

async function generate({ format, model, signal }: Connection, secret: string): Promise<string> {
  const request = writeRequest({
    format,
    model,
    system: '',
    turns: [{ role: 'user', text: 'Say hello.' }],
    temperature: null,
    maxTokens: MOST_TOKENS,
    effort: '',
    isStreamed: true,
  })
  const answer = await ask({ format, request, secret, signal })
  if (answer.phase !== 'done') throw new Error(answer.failure ?? 'Stopped.')
  const words = answer.text.length > LONGEST_SHOWN ? `${answer.text.slice(0, LONGEST_SHOWN)}…` : answer.text
  const route = answer.headers['x-gateway-route'] ?? 'a supplier'
  const took = formatDuration(answer.durationMs ?? 0)
  return `${words === '' ? 'An empty answer' : `“${words}”`} from ${route} in ${took}.`
}
