import { TEST_PRICE } from '../support/supply.ts'
import { BOOTSTRAP_KEY, type TestGateway } from '../support/test-gateway.ts'

export interface SeenCall {
  readonly path: string
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A server with scripted answers, for what real vendors do and the sandbox does not. */
export interface QuirkySupplier {
  readonly url: string
  /** Every call since the last script was set. */
  readonly calls: readonly SeenCall[]
  play(script: (call: SeenCall) => Response): void
  stop(): Promise<void>
}

export function startQuirkySupplier(): QuirkySupplier {
  const calls: SeenCall[] = []
  let script: (call: SeenCall) => Response = () => new Response(null, { status: 500 })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: async (request) => {
      const text = await request.text()
      const call = {
        path: new URL(request.url).pathname,
        headers: request.headers,
        text,
        body: JSON.parse(text),
      }
      calls.push(call)
      return script(call)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    play: (next) => {
      calls.length = 0
      script = next
    },
    stop: () => server.stop(true),
  }
}

/** Server-sent events with these data, as they stand; a string is taken as it is. */
export function events(...data: readonly (object | string)[]): Response {
  const body = data
    .map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
    .join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

export function chunk(choices: readonly unknown[], more: object = {}): object {
  return {
    id: 'up-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'up',
    choices,
    ...more,
  }
}

export interface QuirkyRoute {
  readonly supplier: QuirkySupplier
  readonly id: string
  readonly type?: string
  readonly formats?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  readonly capabilities?: Readonly<Record<string, unknown>>
}

/** A supplier, a credential, a model of the same name and its route. */
export async function addQuirky(gateway: TestGateway, route: QuirkyRoute): Promise<void> {
  const { id, supplier, type = 'openai-compatible', formats = ['chat-completion'], options = {} } = route
  const base = type === 'anthropic' || type === 'google' ? supplier.url : `${supplier.url}/v1`
  await gateway.operator('PUT', `/suppliers/${id}`, { type, base_url: base, formats, options, enabled: true })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: `up-secret-of-${id}` })
  await gateway.operator('PUT', `/models/${id}`, {
    owned_by: 'tests',
    output_token_limit: 4096,
    ...(route.capabilities && { capabilities: route.capabilities }),
  })
  await gateway.operator('PUT', `/models/${id}/routes/${id}`, {
    upstream_model: 'up',
    price: TEST_PRICE,
    priority: 1,
    enabled: true,
  })
}

/** One request as a client writes it. */
export interface Posting {
  readonly path: string
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export function post(gateway: TestGateway, { path, body, headers = {} }: Posting): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
