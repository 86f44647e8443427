import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** All bytes that came, as latin1 so that none is lost. */
  readonly text: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** How the connection stood at the end of waiting. */
  readonly ending: 'closed' | 'reset' | 'open'
  readonly elapsedMs: number
}

export interface RawOptions {
  /** How long to wait for the connection to end. */
  readonly patienceMs?: number
  /** Stops waiting once this many answers are whole; a connection may stay open after them. */
  readonly answers?: number
}

/** Sends bytes as they are over a plain socket, and gives all that came back. */
export async function sendRaw(
  port: number,
  parts: Iterable<string | Uint8Array>,
  { patienceMs = 10_000, answers = 1 }: RawOptions = {},
): Promise<RawAnswer> {
  const startedAtMs = performance.now()
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const ending = await new Promise<RawAnswer['ending']>((resolve) => {
    const timer = setTimeout(() => resolve('open'), patienceMs)
    const end = (how: RawAnswer['ending']) => {
      clearTimeout(timer)
      resolve(how)
    }
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes)
      if (countAnswers(Buffer.concat(chunks).toString('latin1')) >= answers) end('open')
    })
    socket.on('error', () => end('reset'))
    socket.on('close', () => end('closed'))
    void writeAll(socket, parts)
  })
  socket.destroy()
  const text = Buffer.concat(chunks).toString('latin1')
  return { text, ...parseAnswer(text), ending, elapsedMs: performance.now() - startedAtMs }
}

async function writeAll(socket: Socket, parts: Iterable<string | Uint8Array>): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return
    if (socket.write(part)) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.once('drain', resolve).once('close', resolve)
    await promise
  }
}

/** Whole answers with a content length, which all errors and whole replies have. */
function countAnswers(text: string): number {
  let count = 0
  for (let start = 0; ; count += 1) {
    const headEnd = text.indexOf('\r\n\r\n', start)
    if (headEnd < 0) return count
    const head = text.slice(start, headEnd)
    const isInterim = /^HTTP\/1\.1 1\d\d/.test(head)
    const length = Number(
      /content-length: (\d+)/i.exec(head)?.[1] ?? (isInterim || / 204 /.test(head) ? 0 : Number.NaN),
    )
    if (Number.isNaN(length) || text.length < headEnd + 4 + length) return count
    start = headEnd + 4 + length
    if (isInterim) count -= 1
  }
}

function parseAnswer(text: string): Pick<RawAnswer, 'status' | 'headers' | 'body'> {
  const headEnd = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, Math.max(0, headEnd)).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return {
    status: Number(first.split(' ')[1] ?? 0),
    headers,
    body: headEnd < 0 ? '' : text.slice(headEnd + 4),
  }
}

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A request as bytes; the body's length is declared unless a header says otherwise. */
export function writeRequest({
  method = 'POST',
  path = '/v1/chat/completions',
  headers = {},
  body = '',
}: RawRequest): (string | Uint8Array)[] {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const lines = [`${method} ${path} HTTP/1.1`]
  if (!names.has('host')) lines.push('Host: gateway.test')
  if (body.length > 0 && !names.has('content-length') && !names.has('transfer-encoding')) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return [`${lines.join('\r\n')}\r\n\r\n`, body]
}
