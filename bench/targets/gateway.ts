import { join } from 'node:path'
import { bundleWhenStale } from '../../scripts/bundle-gateway.ts'
import { awaitHttp, findFreePort, type StartedProcess } from '../process-group.ts'
import {
  BUN_ENVIRONMENT,
  CHAT_PATH,
  MODEL,
  type Target,
  type TargetContext,
  TRANSLATED_MODEL,
} from './target.ts'

const OPERATOR_TOKEN = 'bench-operator-token-0123456789abcdef'
const LIMITS = { tier: 'Enterprise', rpm: 100_000_000, tpm: 2_000_000_000, reason: 'bench' }
const API_KEY = `sk-${'bench0'.repeat(8)}`

export interface GatewayPlan {
  readonly name: string
  /** Besides what every gateway of the benchmark has. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether another gateway on the same database has set up the supply. */
  readonly isConfigured?: boolean
  /** A module to load before the gateway. */
  readonly preload?: string
}

/**
 * The gateway as it ships: authentication, limits, holds, journal, ledger and metrics all on.
 * It is started as `npm start` does it: what a user has to set by hand is not measured as ours.
 */
export async function startGateway(
  { processes, upstreamPort, folder }: TargetContext,
  { name, environment, isConfigured = false, preload }: GatewayPlan = { name: 'gateway', environment: {} },
): Promise<Target> {
  const port = await findFreePort()
  const started = processes.start({
    name,
    command: [
      process.execPath,
      ...(preload === undefined ? [] : ['--preload', preload]),
      await bundleWhenStale(),
    ],
    environment: {
      ...BUN_ENVIRONMENT,
      PORT: String(port),
      TURNPIKE_DATA: dataFolderOf(folder, name),
      TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TURNPIKE_BOOTSTRAP_KEY: API_KEY,
      TURNPIKE_SANDBOX: 'off',
      ...environment,
    },
  })
  await awaitHttp(started, `http://127.0.0.1:${port}/healthz`)
  if (!isConfigured) await configure(new Operator(port, started), upstreamPort)
  return {
    name,
    process: started,
    port,
    path: CHAT_PATH,
    headers: { authorization: `Bearer ${API_KEY}` },
  }
}

/** Where the gateway of this name keeps its data. */
export function dataFolderOf(folder: string, name: string): string {
  return join(folder, name === 'gateway' ? 'data' : `data-${name}`)
}

async function configure(operator: Operator, upstreamPort: number): Promise<void> {
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`
  const chat = { id: 'bench', type: 'openai-compatible', format: 'chat-completion' }
  const messages = { id: 'bench-messages', type: 'anthropic', format: 'messages' }
  await addModel(operator, MODEL, { ...chat, baseUrl })
  await addModel(operator, TRANSLATED_MODEL, { ...messages, baseUrl })
  // Limits stay on and are counted; they are only set where the load cannot reach them.
  const { data } = (await operator.call('GET', '/accounts')) as { data: { id: string }[] }
  for (const { id } of data) await operator.call('PUT', `/accounts/${id}/tier`, LIMITS)
}

/** The same gateway, called by so many accounts in turn. */
export async function withAccounts(target: Target, count: number): Promise<Target> {
  const operator = new Operator(target.port, target.process)
  const moreHeaders: Record<string, string>[] = []
  for (let number = 1; number <= count; number++) {
    const { id } = (await operator.call('POST', '/accounts', { name: `Account ${number}` })) as { id: string }
    await operator.call('PATCH', `/accounts/${id}`, { credit_line: '1000000' })
    await operator.call('PUT', `/accounts/${id}/tier`, LIMITS)
    const issued = (await operator.call('POST', `/accounts/${id}/keys`, { name: 'Key' })) as {
      secret: string
    }
    moreHeaders.push({ authorization: `Bearer ${issued.secret}` })
  }
  return { ...target, name: `${target.name}, ${count} accounts`, moreHeaders }
}

interface SupplierPlan {
  readonly id: string
  readonly type: string
  readonly format: string
  readonly baseUrl: string
}

/** A model with one route, to its own supplier. */
async function addModel(operator: Operator, model: string, supplier: SupplierPlan): Promise<void> {
  await operator.call('PUT', `/suppliers/${supplier.id}`, {
    type: supplier.type,
    base_url: supplier.baseUrl,
    formats: [supplier.format],
    enabled: true,
  })
  await operator.call('POST', `/suppliers/${supplier.id}/credentials`, { secret: 'sk-upstream' })
  await operator.call('PUT', `/models/${model}`, {
    owned_by: 'bench',
    display_name: 'Bench',
    description: 'Answers at once',
    kinds: ['text'],
    input_token_limit: 1_000_000,
    output_token_limit: 100_000,
  })
  await operator.call('PUT', `/models/${model}/routes/${supplier.id}`, {
    upstream_model: MODEL,
    price: { input: '1.25', output: '10' },
    priority: 1,
    enabled: true,
  })
}

class Operator {
  readonly #port: number
  readonly #started: StartedProcess

  constructor(port: number, started: StartedProcess) {
    this.#port = port
    this.#started = started
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}/operator/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) {
      const message = `the gateway refused ${method} ${path} with ${reply.status}: ${text}`
      throw new Error(`${message}\nIt printed:\n${this.#started.tail()}`)
    }
    return text === '' ? null : JSON.parse(text)
  }
}
