/** A supplier of one endless chat stream, which tells how much of it was taken. */
export interface EndlessSupplier {
  readonly baseUrl: string
  readonly piecesTaken: number
  readonly hasBeenLeft: boolean
  stop(): Promise<void>
}

const TURNS_OF_STILLNESS = 20
const TURN_MS = 5

export function startEndlessSupplier(): EndlessSupplier {
  const piece = new TextEncoder().encode(
    `data: ${JSON.stringify({
      id: 'endless',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'endless',
      choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) }, finish_reason: null }],
    })}\n\n`,
  )
  const state = { piecesTaken: 0, hasBeenLeft: false }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            state.piecesTaken += 1
            controller.enqueue(piece)
            await new Promise((resolve) => setImmediate(resolve))
          },
          cancel: () => {
            state.hasBeenLeft = true
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    get piecesTaken() {
      return state.piecesTaken
    },
    get hasBeenLeft() {
      return state.hasBeenLeft
    },
    stop: () => server.stop(true),
  }
}

/** Resolves when every buffer between supplier and client is full, so that nothing is taken any more. */
export async function waitForStandstill(supplier: EndlessSupplier): Promise<void> {
  let seen = -1
  for (let still = 0; still < TURNS_OF_STILLNESS; still++) {
    if (supplier.piecesTaken !== seen || seen === 0) still = 0
    seen = supplier.piecesTaken
    await Bun.sleep(TURN_MS)
  }
}
