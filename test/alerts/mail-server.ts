import { createServer, type Socket } from 'node:net'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Header and body as they came. */
  readonly text: string
}

/** An SMTP server that accepts every mail, unless it is told otherwise. */
export interface MailServer {
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  isRefusing: boolean
  stop(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const state = { isRefusing: false }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serveSession(socket, { mails, state })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    get isRefusing() {
      return state.isRefusing
    },
    set isRefusing(isRefusing) {
      state.isRefusing = isRefusing
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface Store {
  readonly mails: ReceivedMail[]
  readonly state: { readonly isRefusing: boolean }
}

function serveSession(socket: Socket, store: Store): void {
  const session = new MailSession(store)
  let buffered = ''
  socket.write('220 test ESMTP\r\n')
  socket.on('data', (bytes) => {
    buffered += bytes.toString('utf8')
    for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
      const answer = session.take(buffered.slice(0, end))
      buffered = buffered.slice(end + 2)
      if (answer !== null) socket.write(`${answer}\r\n`)
      if (answer?.startsWith('221')) socket.end()
    }
  })
}

class MailSession {
  readonly #store: Store
  #from = ''
  #to: string[] = []
  #content: string | null = null

  constructor(store: Store) {
    this.#store = store
  }

  /** The answer to a line; null to a line of a mail. */
  take(line: string): string | null {
    if (this.#content !== null) return this.#takeContent(this.#content, line)
    const [verb = ''] = line.toUpperCase().split(' ')
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    switch (verb) {
      case 'MAIL':
        this.#from = address
        this.#to = []
        return this.#store.state.isRefusing ? '451 try later' : '250 ok'
      case 'RCPT':
        this.#to.push(address)
        return '250 ok'
      case 'DATA':
        this.#content = ''
        return '354 go ahead'
      case 'QUIT':
        return '221 bye'
      default:
        return ['EHLO', 'HELO', 'RSET', 'NOOP'].includes(verb) ? '250 ok' : '502 unknown'
    }
  }

  #takeContent(content: string, line: string): string | null {
    if (line !== '.') {
      this.#content = `${content}${line.replace(/^\.\./, '.')}\n`
      return null
    }
    this.#store.mails.push({ from: this.#from, to: this.#to, text: content })
    this.#content = null
    return '250 stored'
  }
}
