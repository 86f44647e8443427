import type { TestGateway } from '../../../support/test-gateway.ts'

/** A call as the supplier received it. */
export interface ReceivedCall {
  readonly path: string
  readonly body: string
  readonly form: Awaited<ReturnType<Request['formData']>> | null
  readonly signal: AbortSignal
}

export interface ScriptedAudio {
  readonly url: string
  readonly calls: ReceivedCall[]
  answer: (call: ReceivedCall) => Response
  stop(): Promise<void>
}

/** A supplier of audio that answers as the test says. */
export function startScriptedAudio(): ScriptedAudio {
  const calls: ReceivedCall[] = []
  const scripted = {
    calls,
    answer: (_: ReceivedCall) => new Response('nothing is scripted', { status: 500 }),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const path = new URL(request.url).pathname
      const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false
      const form = isForm ? await request.formData() : null
      const call = { path, form, body: isForm ? '' : await request.text(), signal: request.signal }
      calls.push(call)
      return scripted.answer(call)
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return Object.assign(scripted, { url, stop: () => server.stop(true) })
}

interface AudioModel {
  readonly kind: 'transcription' | 'speech' | 'text'
  readonly suppliers: readonly string[]
  readonly price: Readonly<Record<string, string>>
  readonly capabilities?: Readonly<Record<string, unknown>>
}

/** A supplier of every audio format at this address. */
export async function addAudioSupplier(gateway: TestGateway, id: string, url: string): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, {
    type: 'openai-compatible',
    base_url: `${url}/v1`,
    formats: ['transcriptions', 'speech', 'chat-completion'],
    enabled: true,
  })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-sandbox-test' })
}

export async function addAudioModel(
  gateway: TestGateway,
  id: string,
  { kind, suppliers, price, capabilities = {} }: AudioModel,
): Promise<void> {
  await gateway.operator('PUT', `/models/${id}`, { owned_by: 'tests', kinds: [kind], capabilities })
  for (const [index, supplier] of suppliers.entries()) {
    await gateway.operator('PUT', `/models/${id}/routes/${supplier}`, {
      upstream_model: `upstream-${id}`,
      price: { input: '0', output: '0', ...price },
      priority: index + 1,
      enabled: true,
    })
  }
}
