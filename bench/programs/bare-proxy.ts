/**
 * The yardstick: the least a Bun program can do between a client and a supplier.
 * A whole reply is parsed once each way, as any gateway must; a stream is copied without a look inside.
 */

const upstream = process.env.UPSTREAM
if (upstream === undefined) throw new Error('UPSTREAM is not set')

function copyStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel(reason) {
      await reader.cancel(reason)
    },
  })
}

export const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const text = await request.text()
    const asked = JSON.parse(text) as { stream?: boolean }
    const reply = await fetch(`${upstream}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
      body: text,
    })
    const headers = { 'content-type': reply.headers.get('content-type') ?? 'application/json' }
    if (asked.stream === true && reply.body !== null) return new Response(copyStream(reply.body), { headers })

    const answer = await reply.text()
    JSON.parse(answer)
    return new Response(answer, { status: reply.status, headers })
  },
})

console.log(`listening ${server.port}`)
