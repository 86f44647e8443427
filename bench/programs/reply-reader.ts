const CR_LF_CR_LF = Buffer.from('\r\n\r\n')
const LINE_FEED = 0x0a

type Framing =
  | { readonly kind: 'length'; left: number }
  | {
      readonly kind: 'chunked'
      state: 'size' | 'data' | 'data-end' | 'trailer'
      sizeLine: string
      left: number
    }
  | { readonly kind: 'until-close' }

/** Reads one HTTP/1.1 reply from a socket, keeping only what the measurement needs. */
export class ReplyReader {
  status = 0
  bodyBytes = 0
  /** Blank lines in the body: the number of server-sent events. */
  events = 0
  isComplete = false
  /** The server closes after this reply, so the connection cannot be used again. */
  closes = false

  #head: Buffer = Buffer.alloc(0)
  #framing: Framing | null = null
  #endsWithLineFeed = false

  push(bytes: Buffer): void {
    let rest = bytes
    if (this.#framing === null) {
      const body = this.#readHead(bytes)
      if (body === null) return
      rest = body
    }
    this.#readBody(rest)
  }

  /** The server closed the connection, which for a reply without a length is its end. */
  close(): void {
    if (this.#framing?.kind === 'until-close') this.isComplete = true
  }

  #readHead(bytes: Buffer): Buffer | null {
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf(CR_LF_CR_LF)
    if (end < 0) return null
    const head = this.#head.toString('latin1', 0, end).toLowerCase()
    this.status = Number(head.slice(9, 12))
    this.closes = /\r\nconnection: *close/.test(head)
    this.#framing = readFraming(head)
    return this.#head.subarray(end + CR_LF_CR_LF.length)
  }

  #readBody(bytes: Buffer): void {
    const framing = this.#framing
    switch (framing?.kind) {
      case 'length':
        this.#keep(bytes)
        framing.left -= bytes.length
        if (framing.left <= 0) this.isComplete = true
        return
      case 'chunked':
        this.#readChunks(framing, bytes)
        return
      case 'until-close':
        this.#keep(bytes)
        return
    }
  }

  #readChunks(framing: Extract<Framing, { kind: 'chunked' }>, bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (framing.state === 'data') {
        const taken = Math.min(framing.left, bytes.length - at)
        this.#keep(bytes.subarray(at, at + taken))
        framing.left -= taken
        at += taken
        if (framing.left === 0) framing.state = 'data-end'
        continue
      }
      const lineEnd = bytes.indexOf(LINE_FEED, at)
      const line = bytes.toString('latin1', at, lineEnd < 0 ? bytes.length : lineEnd)
      framing.sizeLine += line
      if (lineEnd < 0) return
      at = lineEnd + 1
      this.#endLine(framing)
    }
  }

  #endLine(framing: Extract<Framing, { kind: 'chunked' }>): void {
    const line = framing.sizeLine.trim()
    framing.sizeLine = ''
    if (framing.state === 'data-end') {
      framing.state = 'size'
    } else if (framing.state === 'trailer') {
      if (line === '') this.isComplete = true
    } else {
      framing.left = Number.parseInt(line, 16)
      framing.state = framing.left === 0 ? 'trailer' : 'data'
    }
  }

  #keep(bytes: Buffer): void {
    this.bodyBytes += bytes.length
    for (const byte of bytes) {
      const isLineFeed = byte === LINE_FEED
      if (isLineFeed && this.#endsWithLineFeed) this.events++
      this.#endsWithLineFeed = isLineFeed
    }
  }
}

function readFraming(head: string): Framing {
  if (/\r\ntransfer-encoding:[^\r]*chunked/.test(head)) {
    return { kind: 'chunked', state: 'size', sizeLine: '', left: 0 }
  }
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1]
  return length === undefined ? { kind: 'until-close' } : { kind: 'length', left: Number(length) }
}
