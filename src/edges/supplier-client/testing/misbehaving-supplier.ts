import type { Socket } from 'bun'

/** What a supplier does wrong with some of its answers. `said` is the correct answer. */
export interface Fault {
  readonly name: string
  /** Answers one request; `later` runs something that many milliseconds from now. */
  answer(said: string, send: (bytes: string) => void, later: (ms: number, then: () => void) => void): void
}

export function answerWith(text: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const lateBy = (ms: number): Fault => ({
  name: `the same answer once more ${ms} ms later`,
  answer: (said, send, later) => {
    send(answerWith(said))
    later(ms, () => send(answerWith(said)))
  },
})

const bodiless = (status: number, ms: number): Fault => ({
  name: `${status} with an answer for a body ${ms} ms later`,
  answer: (said, send, later) => {
    const stray = answerWith(said)
    send(`HTTP/1.1 ${status} None\r\ncontent-length: ${stray.length}\r\n\r\n`)
    later(ms, () => send(stray))
  },
})

export const FAULTS: readonly Fault[] = [
  lateBy(0),
  lateBy(1),
  lateBy(3),
  lateBy(12),
  bodiless(204, 0),
  bodiless(304, 2),
  {
    name: 'the same answer twice in one piece',
    answer: (said, send) => send(answerWith(said) + answerWith(said)),
  },
  {
    name: 'an interim head and then an answer, late',
    answer: (said, send, later) => {
      send(answerWith(said))
      later(1, () => send('HTTP/1.1 100 Continue\r\n\r\n'))
      later(4, () => send(answerWith(said)))
    },
  },
  {
    name: 'half of another answer, and the rest of it late',
    answer: (said, send, later) => {
      const again = answerWith(said)
      send(answerWith(said) + again.slice(0, 30))
      later(3, () => send(again.slice(30)))
    },
  },
  {
    name: 'more body than it said, which is an answer',
    answer: (said, send, later) => {
      send(answerWith(said))
      later(0, () => send('\r\n'))
      later(2, () => send(answerWith(said)))
    },
  },
  {
    name: 'a refusal, and the answer to the refused request late',
    answer: (said, send, later) => {
      send('HTTP/1.1 429 Wait\r\ncontent-length: 0\r\n\r\n')
      later(2, () => send(answerWith(said)))
    },
  },
]

interface State {
  received: string
}

export interface Misbehaviour {
  /** Called for each whole request: what to do wrong with it, null for nothing. */
  faultFor(count: number): Fault | null
  /** How long a right answer takes. */
  readonly workMs: number
}

/** Answers `{"prompt": …}` with the prompt, and now and then sends stray bytes. */
export function startMisbehavingSupplier({ faultFor, workMs }: Misbehaviour) {
  let count = 0
  const answer = (socket: Socket<State>, prompt: string) => {
    const send = (bytes: string) => void socket.write(bytes)
    const later = (ms: number, then: () => void) => {
      if (ms === 0) setImmediate(then)
      else setTimeout(then, ms)
    }
    const fault = faultFor(count++)
    if (fault === null) later(workMs, () => send(answerWith(prompt)))
    else fault.answer(prompt, send, later)
  }
  const listener = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { received: '' }
      },
      data: (socket, bytes) => {
        socket.data.received += bytes.toString('latin1')
        const prompt = /\r\n\r\n\{"prompt":"([^"]*)"\}$/.exec(socket.data.received)?.[1]
        if (prompt === undefined) return
        socket.data.received = ''
        answer(socket, prompt)
      },
    },
  })
  return { url: `http://127.0.0.1:${listener.port}/v1`, stop: () => listener.stop(true) }
}
