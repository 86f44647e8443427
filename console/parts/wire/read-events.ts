export interface ServerEvent {
  /** Null if the event has none. */
  readonly name: string | null
  readonly data: string
}

/** Yields server-sent events as they arrive. Skips comments, such as heartbeats. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      yield* blocks.flatMap(readBlock)
      if (done) return
    }
  } finally {
    // Cancels the stream if the caller stops reading, so that the supplier stops too.
    await reader.cancel().catch(() => undefined)
  }
}

function readBlock(block: string): ServerEvent[] {
  let name: string | null = null
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? [] : [{ name, data: data.join('\n') }]
}
