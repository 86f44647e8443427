import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chatRequest } from '../robustness/support/chat-load.ts'
import { makeFolder, removeFolder } from '../robustness/support/gateway-process.ts'
import { eventually } from '../support/eventually.ts'
import { type Crew, startCrew, stopCrew } from './support/crew.ts'

const PATIENCE_MS = 300_000
const METRICS_TOKEN = 'metrics-token-for-tests-0123456789'

let folder = ''
let crew: Crew | null = null

beforeEach(() => {
  folder = makeFolder()
})

afterEach(async () => {
  await stopCrew(crew)
  crew = null
  removeFolder(folder)
})

/** Over a new connection each time, so that the kernel chooses a worker again. */
async function scrape(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    keepalive: false,
  })
  expect(response.status).toBe(200)
  return response.text()
}

function readSeries(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

const SETTLED =
  'turnpike_settlements_total{model="sandbox-chat",supplier="sandbox-openai",outcome="completed"}'

async function ask(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    ...chatRequest({ model: 'sandbox-chat' }),
    keepalive: false,
  })
  expect(response.status).toBe(200)
  await response.text()
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

test(
  'every worker shows the sum of all, which no end of a worker lowers',
  async () => {
    const metricsPort = freePort()
    crew = await startCrew(folder, 2, {
      TURNPIKE_METRICS_TOKEN: METRICS_TOKEN,
      TURNPIKE_METRICS_PORT: String(metricsPort),
    })
    const { url } = crew
    const parentUrl = `http://127.0.0.1:${metricsPort}`
    let asked = 0
    await eventually('requests at both workers', async () => {
      await ask(url)
      asked += 1
      return crew?.slotsThatLogged('"msg":"request"').length === 2
    })
    await eventually('all of them counted', async () => readSeries(await scrape(url), SETTLED) === asked)
    for (let scraped = 0; scraped < 6; scraped += 1) {
      const text = await scrape(url)
      expect(readSeries(text, SETTLED)).toBe(asked)
      expect(readSeries(text, 'turnpike_processes')).toBe(2)
    }
    expect(readSeries(await scrape(parentUrl), SETTLED)).toBe(asked)
    expect((await fetch(`${parentUrl}/metrics`)).status).toBe(401)

    const [killed = 0, left = 0] = crew.workers()
    process.kill(killed, 'SIGKILL')
    await eventually('a new worker', () => crew?.workers().length === 2 && !crew.workers().includes(killed))
    await eventually(
      'two that answer',
      async () => readSeries(await scrape(parentUrl), 'turnpike_processes') === 2,
    )
    expect(readSeries(await scrape(parentUrl), SETTLED)).toBe(asked)

    // One that leaves in order reports what it has counted since it was asked last.
    for (let more = 0; more < 5; more += 1) await ask(url)
    process.kill(left, 'SIGTERM')
    await eventually(
      'another new worker',
      () => crew?.workers().length === 2 && !crew.workers().includes(left),
    )
    await eventually(
      'all are counted',
      async () => readSeries(await scrape(parentUrl), SETTLED) === asked + 5,
    )
  },
  PATIENCE_MS,
)
