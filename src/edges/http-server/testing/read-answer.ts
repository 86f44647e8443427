/** One answer of a server, read as strictly as the protocol allows: a server of one's own is forgiven nothing. */
export interface RawAnswer {
  readonly version: string
  readonly status: number
  readonly reason: string
  /** Lower-case names; the values of a repeated one are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>
  readonly headerLines: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** How its end is known. */
  readonly framing: 'none' | 'length' | 'chunked' | 'close'
}

export interface AnswerContext {
  /** The answer to HEAD has no body, whatever its headers say. */
  readonly isToHead: boolean
  /** Whether the server has closed its side: only then is an answer without a length whole. */
  readonly hasEnded: boolean
}

type Head = Omit<RawAnswer, 'body' | 'framing'>

interface Found<T> {
  readonly value: T
  readonly end: number
}

/** The first answer in the bytes, or null when it is not whole yet. Throws when it breaks the protocol. */
export function readAnswer(bytes: Buffer, context: AnswerContext): Found<RawAnswer> | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = readHead(bytes.toString('latin1', 0, headEnd))
  const start = headEnd + 4
  const framing = framingOf(head, context)
  const body = readBody(bytes.subarray(start), framing, { head, context })
  if (body === null) return null
  return { value: { ...head, framing, body: body.value }, end: start + body.end }
}

export function readHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const match = /^(HTTP\/1\.[01]) (\d{3}) ([\t -~]*)$/.exec(first)
  if (match === null) throw new Error(`not a status line: ${JSON.stringify(first)}`)
  const [, version = '', status, reason = ''] = match
  const headerLines = lines.map(readHeaderLine)
  const headers: Record<string, string> = {}
  for (const [name, value] of headerLines) {
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return { version, status: Number(status), reason, headers, headerLines }
}

function readHeaderLine(line: string): readonly [string, string] {
  const match = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line)
  if (match === null) throw new Error(`not a header line: ${JSON.stringify(line)}`)
  return [(match[1] ?? '').toLowerCase(), match[2] ?? '']
}

function framingOf({ status, headers }: Head, { isToHead }: AnswerContext): RawAnswer['framing'] {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding !== undefined && length !== undefined) throw new Error('an answer with two kinds of length')
  if (status < 200 || status === 204) {
    if (coding !== undefined || length !== undefined) throw new Error(`a ${status} with a length`)
    return 'none'
  }
  if (status === 304 || isToHead) return 'none'
  if (coding === undefined) return length === undefined ? 'close' : 'length'
  if (coding !== 'chunked') throw new Error(`an answer coded as ${coding}`)
  return 'chunked'
}

function readBody(
  bytes: Buffer,
  framing: RawAnswer['framing'],
  { head, context }: { readonly head: Head; readonly context: AnswerContext },
): Found<Buffer> | null {
  switch (framing) {
    case 'none':
      return { value: Buffer.alloc(0), end: 0 }
    case 'close':
      return context.hasEnded ? { value: bytes, end: bytes.length } : null
    case 'length':
      return readLength(bytes, head.headers['content-length'] ?? '')
    case 'chunked': {
      const chunks = readChunks(bytes)
      return chunks.isWhole ? chunks : null
    }
  }
}

function readLength(bytes: Buffer, text: string): Found<Buffer> | null {
  if (!/^\d+$/.test(text)) throw new Error(`not a length: ${JSON.stringify(text)}`)
  const end = Number(text)
  return bytes.length < end ? null : { value: bytes.subarray(0, end), end }
}

/** What has come so far, and whether it is all. */
export function readChunks(bytes: Buffer): Found<Buffer> & { readonly isWhole: boolean } {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const soFar = () => ({ value: Buffer.concat(chunks), end: at, isWhole: false })
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return soFar()
    const line = bytes.toString('latin1', at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`not the size of a chunk: ${JSON.stringify(line)}`)
    const start = lineEnd + 2
    const end = start + Number.parseInt(line, 16)
    if (bytes.length < end + 2) return soFar()
    if (bytes.toString('latin1', end, end + 2) !== '\r\n') throw new Error('a chunk longer than its size')
    if (end === start) return { value: Buffer.concat(chunks), end: end + 2, isWhole: true }
    chunks.push(bytes.subarray(start, end))
    at = end + 2
  }
}
