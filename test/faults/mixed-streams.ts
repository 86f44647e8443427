import { strict as assert } from 'node:assert'
import { openAccount } from '../nodes/support/fleet.ts'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FaultContext, type FaultScenario, pick } from './scenario.ts'

const CLIENTS = 16
const REQUESTS_PER_CLIENT = 40

/** Tokens as a supplier reports them, cached ones included in the input. */
interface Tokens {
  readonly input: number
  readonly output: number
}

interface Family {
  readonly name: string
  path(stream: boolean): string
  body(prompt: string, stream: boolean): object
  /** From the last event or the whole answer that carries usage. */
  usage(text: string): Tokens
}

const number = (text: string, field: string): number =>
  Number([...text.matchAll(new RegExp(`"${field}"\\s*:\\s*(\\d+)`, 'g'))].at(-1)?.[1] ?? 0)

const FAMILIES: readonly Family[] = [
  {
    name: 'chat-completion',
    path: () => '/v1/chat/completions',
    body: (content, stream) => ({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content }],
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    }),
    usage: (text) => ({ input: number(text, 'prompt_tokens'), output: number(text, 'completion_tokens') }),
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    body: (input, stream) => ({ model: 'sandbox-chat', input, stream, store: false }),
    usage: (text) => ({ input: number(text, 'input_tokens'), output: number(text, 'output_tokens') }),
  },
  {
    name: 'messages',
    path: () => '/v1/messages',
    body: (content, stream) => ({
      model: 'sandbox-chat',
      max_tokens: 500,
      messages: [{ role: 'user', content }],
      stream,
    }),
    usage: (text) => ({
      input:
        number(text, 'input_tokens') +
        number(text, 'cache_read_input_tokens') +
        number(text, 'cache_creation_input_tokens'),
      output: number(text, 'output_tokens'),
    }),
  },
  {
    name: 'content-generation',
    path: (stream) =>
      `/v1beta/models/sandbox-chat:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    usage: (text) => ({
      input: number(text, 'promptTokenCount'),
      output: number(text, 'candidatesTokenCount') + number(text, 'thoughtsTokenCount'),
    }),
  },
]

interface Asked {
  readonly family: string
  readonly requestId: string
  /** null when the client left before the end. */
  readonly reported: Tokens | null
}

interface ShownSettlement {
  readonly outcome: string
  readonly provenance: string
  readonly usage: { input: number; cache_read: number; cache_write: number; output: number }
}

/** Many clients of every format at once, some of which leave, compared with what the supplier itself reported. */
export const mixedStreams: FaultScenario = {
  name: 'mixed-streams',
  about: 'clients of every format at once, some leaving; settlements equal the supplier’s own usage',
  async run(context) {
    const folder = makeFolder()
    const gateway = await startProcess(environmentOf(folder, { TURNPIKE_SUPPLY: 'off' }))
    try {
      const { secret } = await openAccount(gateway, {})
      const target = { url: gateway.url, secret }
      const clients = Array.from({ length: CLIENTS }, () => runClient(target, context))
      const asked = (await Promise.all(clients)).flat()
      let left = 0
      for (const one of asked) {
        const settlement = await settlementOf(gateway, one.requestId)
        if (one.reported === null) {
          left += 1
          assert(['client_left', 'completed'].includes(settlement.outcome), JSON.stringify(settlement))
        } else compare(one, settlement)
      }
      context.log(`${asked.length} requests settled as reported, ${left} of them left by their client`)
    } finally {
      await stopProcess(gateway)
      removeFolder(folder)
    }
  },
}

interface Target {
  readonly url: string
  readonly secret: string
}

async function runClient(target: Target, context: FaultContext): Promise<Asked[]> {
  const asked: Asked[] = []
  for (let turn = 0; turn < REQUESTS_PER_CLIENT * context.scale; turn += 1) {
    const family = FAMILIES[pick(context, FAMILIES.length)]
    if (family === undefined) continue
    asked.push(await ask(target, family, context))
  }
  return asked
}

async function ask({ url, secret }: Target, family: Family, context: FaultContext): Promise<Asked> {
  const isStream = context.random() < 0.6
  const leavesAfter = isStream && context.random() < 0.2 ? pick(context, 3) : Number.POSITIVE_INFINITY
  const prompt = 'Tell me about toll roads. '.repeat(1 + pick(context, 40))
  const leaving = new AbortController()
  const response = await fetch(`${url}${family.path(isStream)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(family.body(prompt, isStream)),
    signal: leaving.signal,
  })
  const requestId = response.headers.get('x-request-id') ?? ''
  assert.equal(response.status, 200, `${family.name} ${requestId}`)
  let text = ''
  let pieces = 0
  const decoder = new TextDecoder()
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      pieces += 1
      if (pieces > leavesAfter) leaving.abort()
    }
  } catch {
    return { family: family.name, requestId, reported: null }
  }
  return { family: family.name, requestId, reported: family.usage(text) }
}

function settlementOf(gateway: GatewayProcess, requestId: string): Promise<ShownSettlement> {
  return eventually(`a settlement of ${requestId}`, () =>
    gateway.operator<ShownSettlement>('GET', `/settlements/${requestId}`).catch(() => null),
  )
}

function compare(
  { family, requestId, reported }: Asked,
  { outcome, usage, provenance }: ShownSettlement,
): void {
  const settled = { input: usage.input + usage.cache_read + usage.cache_write, output: usage.output }
  assert.deepEqual(
    { outcome, provenance, ...settled },
    {
      outcome: 'completed',
      provenance: 'supplier',
      ...reported,
    },
    `${family} ${requestId}`,
  )
}
