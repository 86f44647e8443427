import { join } from 'node:path'
import { awaitHttp, findFreePort, type StartedProcess } from '../process-group.ts'
import { CHAT_PATH, MODEL, type Target, type TargetContext } from './target.ts'

const PROGRAM = join(import.meta.dirname, '../../src/main.ts')
const OPERATOR_TOKEN = 'bench-operator-token-0123456789abcdef'
const API_KEY = `sk-${'bench0'.repeat(8)}`

/**
 * The gateway as it ships: authentication, limits, holds, journal, ledger and metrics all on.
 * It is given its own settings and no tuning of the runtime: what a user has to set by hand is not measured as ours.
 */
export async function startGateway({ processes, upstreamPort, folder }: TargetContext): Promise<Target> {
  const port = await findFreePort()
  const started = processes.start({
    name: 'gateway',
    command: [process.execPath, PROGRAM],
    environment: {
      NODE_ENV: 'production',
      PORT: String(port),
      TURNPIKE_DATA: join(folder, 'data'),
      TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TURNPIKE_BOOTSTRAP_KEY: API_KEY,
      TURNPIKE_SANDBOX: 'off',
    },
  })
  await awaitHttp(started, `http://127.0.0.1:${port}/healthz`)
  await configure(new Operator(port, started), upstreamPort)
  return {
    name: 'gateway',
    process: started,
    port,
    path: CHAT_PATH,
    headers: { authorization: `Bearer ${API_KEY}` },
  }
}

async function configure(operator: Operator, upstreamPort: number): Promise<void> {
  await operator.call('PUT', '/suppliers/bench', {
    type: 'openai-compatible',
    base_url: `http://127.0.0.1:${upstreamPort}/v1`,
    formats: ['chat-completion'],
    enabled: true,
  })
  await operator.call('POST', '/suppliers/bench/credentials', { secret: 'sk-upstream' })
  await operator.call('PUT', `/models/${MODEL}`, {
    owned_by: 'bench',
    display_name: 'Bench',
    description: 'Answers at once',
    kinds: ['text'],
    input_token_limit: 1_000_000,
    output_token_limit: 100_000,
  })
  await operator.call('PUT', `/models/${MODEL}/routes/bench`, {
    upstream_model: MODEL,
    price: { input: '1.25', output: '10' },
    priority: 1,
    enabled: true,
  })
  // Limits stay on and are counted; they are only set where the load cannot reach them.
  const { data } = (await operator.call('GET', '/accounts')) as { data: { id: string }[] }
  for (const { id } of data) {
    const limits = { tier: 'Enterprise', rpm: 100_000_000, tpm: 2_000_000_000, reason: 'bench' }
    await operator.call('PUT', `/accounts/${id}/tier`, limits)
  }
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
      const told = `the gateway refused ${method} ${path} with ${reply.status}: ${text}`
      throw new Error(`${told}\nIt printed:\n${this.#started.tail()}`)
    }
    return text === '' ? null : JSON.parse(text)
  }
}
