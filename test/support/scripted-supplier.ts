/** What is sent as it stands, or something to wait for before going on. */
export type Cue = string | Promise<unknown>

/** A supplier with scripted streams, for behaviour the sandbox has no fault for. */
export interface ScriptedSupplier {
  readonly url: string
  /** The script of every call from now on. */
  perform(cues: readonly Cue[]): void
  stop(): Promise<void>
}

export function startScriptedSupplier(): ScriptedSupplier {
  let script: readonly Cue[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: () => new Response(openBody(script), { headers: { 'content-type': 'text/event-stream' } }),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    perform: (cues) => {
      script = cues
    },
    stop: () => server.stop(true),
  }
}

function openBody(script: readonly Cue[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const rest = script.values()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (const cue of rest) {
        if (typeof cue === 'string') return controller.enqueue(encoder.encode(cue))
        await cue
      }
      controller.close()
    },
  })
}

/** One chunk of a chat-completion stream. */
export function chunkOf(delta: object, more: object = {}): string {
  const choice = { index: 0, delta, finish_reason: null }
  const chunk = { id: 'scripted', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] }
  return `data: ${JSON.stringify({ ...chunk, ...more })}\n\n`
}

export const FINISH_CHUNK = chunkOf({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
export const DONE = 'data: [DONE]\n\n'

export function never(): Promise<never> {
  return new Promise(() => undefined)
}
