import { createHmac } from 'node:crypto'

export interface Line {
  readonly type: 'settlement' | 'event'
  readonly request_id: string
  readonly account_id: string
  readonly id: string
  readonly action: string
}

interface Batch {
  readonly lines: readonly Line[]
  readonly isSigned: boolean
  readonly stream: string | null
}

/** `away`: refuses. `silent`: keeps what it gets, and never answers. */
type Mood = 'there' | 'away' | 'silent'

export type Collector = ReturnType<typeof startCollector>

/** A collector as an operator would write one. */
export function startCollector() {
  const batches: Batch[] = []
  const state: { mood: Mood; secret: string; refused: number } = { mood: 'there', secret: '', refused: 0 }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const text = await request.text()
      const header = request.headers.get('turnpike-signature') ?? ''
      const [, time = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
      const expected = createHmac('sha256', state.secret).update(`${time}.${text}`).digest('hex')
      if (state.mood === 'away') {
        state.refused += 1
        return new Response(null, { status: 503 })
      }
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
      batches.push({
        lines,
        isSigned: signature === expected,
        stream: request.headers.get('turnpike-stream'),
      })
      return state.mood === 'silent' ? new Promise<Response>(() => {}) : new Response()
    },
  })
  const settlements = () => batches.flatMap(({ lines }) => lines.filter(({ type }) => type === 'settlement'))
  return {
    url: `http://127.0.0.1:${server.port}/lines?token=hidden`,
    batches,
    state,
    settlements,
    requestIds: () => settlements().map(({ request_id }) => request_id),
    stop: () => server.stop(true),
  }
}
