import { afterEach, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { eventually } from '../support/eventually.ts'
import { startBalancer } from './support/balancer.ts'
import { checkLedger } from './support/check-ledger.ts'
import { Fleet, openAccount } from './support/fleet.ts'

const isPossible = Boolean(process.env.TEST_DATABASE_URL) && Bun.which('redis-server') !== null
const CLIENTS = 24
// A stream of the slow model takes seconds.
const PATIENCE_MS = 100_000

let fleet: Fleet | null = null
afterEach(() => fleet?.stop())

test.skipIf(!isPossible)(
  'restarting all nodes one by one under streaming load is invisible to clients',
  async () => {
    fleet = await Fleet.start({
      size: 3,
      environment: { TURNPIKE_DRAIN_SECONDS: '1', TURNPIKE_LOG_LEVEL: 'warn' },
    })
    if (fleet === null) throw new Error('PostgreSQL or Redis is missing')
    const nodes = fleet
    const { secret } = await openAccount(nodes.first, {})
    const balancer = await startBalancer(() => nodes.urls)
    const load = new StreamLoad(balancer.url, secret)
    try {
      await eventually('streams', () => load.whole > CLIENTS, PATIENCE_MS)
      for (const index of nodes.nodes.keys()) {
        const before = load.whole
        nodes.node(index).signal('SIGTERM')
        expect(await nodes.node(index).exited).toBe(0)
        await nodes.restart(index)
        await eventually('a balancer that knows of it', () => balancer.ready === 3)
        await eventually('more streams', () => load.whole > before + CLIENTS, PATIENCE_MS)
      }
      await load.stop()
      console.log(
        `${load.whole} whole streams over the restart of three nodes, ${load.troubles.length} troubles`,
      )
      expect(load.troubles).toEqual([])
      await checkLedger(nodes, load.requestIds)
    } finally {
      await load.stop()
      await balancer.stop()
    }
  },
)

/** Clients of the official SDK, as it comes, that read one stream after the other. */
class StreamLoad {
  whole = 0
  readonly troubles: string[] = []
  readonly requestIds: string[] = []
  readonly #clients: Promise<void>[]
  #isOver = false

  constructor(url: string, key: string) {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1` })
    this.#clients = Array.from({ length: CLIENTS }, () => this.#read(client))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  async #read(client: OpenAI): Promise<void> {
    while (!this.#isOver) {
      try {
        const { data, request_id } = await client.chat.completions
          .create({ model: 'sandbox-slow', stream: true, messages: [{ role: 'user', content: 'go on' }] })
          .withResponse()
        let reason: string | null = null
        for await (const chunk of data) reason = chunk.choices[0]?.finish_reason ?? reason
        if (reason === null) throw new Error('the stream had no end')
        this.whole += 1
        this.requestIds.push(request_id ?? '')
      } catch (error) {
        this.troubles.push(String(error))
      }
    }
  }
}
