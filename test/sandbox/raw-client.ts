import net from 'node:net'

/** What came over the wire, before any client library could smooth it over. */
export interface RawAnswer {
  /** 0 when the connection closed before a status line. */
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** The body as it was cut into HTTP chunks; one chunk when the length was declared. */
  readonly chunks: readonly Buffer[]
  readonly text: string
  /** False when the connection closed before the declared end of the body. */
  readonly isComplete: boolean
}

export interface RawCall {
  /** Resolves when the connection has closed. */
  readonly answer: Promise<RawAnswer>
  /** Resolves once this text has arrived. */
  arrived(text: string): Promise<void>
  received(): string
  leave(): void
}

/** Posts a chat request over a bare socket. */
export function callRaw(port: number, body: object, headers: Record<string, string> = {}): RawCall {
  const socket = net.connect(port, '127.0.0.1')
  let bytes = Buffer.alloc(0)
  const watchers: (() => void)[] = []
  socket.on('data', (data) => {
    bytes = Buffer.concat([bytes, Buffer.from(data)])
    for (const watch of watchers) watch()
  })
  // A reset is one of the endings under test; the close that follows it reports the outcome.
  socket.on('error', () => {})
  socket.write(renderRequest(body, headers))
  return {
    answer: new Promise((resolve) => socket.on('close', () => resolve(parseAnswer(bytes)))),
    arrived: (text) =>
      new Promise((resolve) => {
        const watch = () => {
          if (bytes.includes(text)) resolve()
        }
        watchers.push(watch)
        watch()
      }),
    received: () => bytes.toString(),
    leave: () => socket.destroy(),
  }
}

function renderRequest(body: object, headers: Record<string, string>): string {
  const text = JSON.stringify(body)
  const all = {
    host: '127.0.0.1',
    authorization: 'Bearer sk-sandbox-test',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(0, headEnd)).toString().split('\r\n')
  const headers = new Map(lines.map((line) => splitHeader(line)))
  const rest = bytes.subarray(headEnd + 4)
  const length = headers.get('content-length')
  const { chunks, isComplete } =
    length === undefined ? parseChunks(rest) : { chunks: [rest], isComplete: rest.length === Number(length) }
  const status = Number(statusLine.split(' ')[1] ?? 0)
  return { status, headers, chunks, text: Buffer.concat(chunks).toString(), isComplete }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function parseChunks(bytes: Buffer): { chunks: Buffer[]; isComplete: boolean } {
  const chunks: Buffer[] = []
  let position = 0
  for (;;) {
    const sizeEnd = bytes.indexOf('\r\n', position)
    if (sizeEnd === -1) return { chunks, isComplete: false }
    const size = Number.parseInt(bytes.subarray(position, sizeEnd).toString(), 16)
    if (size === 0) return { chunks, isComplete: true }
    chunks.push(bytes.subarray(sizeEnd + 2, sizeEnd + 2 + size))
    position = sizeEnd + 2 + size + 2
  }
}
