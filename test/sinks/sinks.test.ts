import { afterEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLoneKey } from '../support/accounts.ts'
import { chat, say } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  makeDataFolder,
  OPERATOR_TOKEN,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { startCollector } from './collector.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(options: Parameters<typeof startTestGateway>[0] = {}) {
  const gateway = await startTestGateway(options)
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await gateway.stop()
    isStopped = true
  }
  cleanUps.push(stop)
  return { gateway, stop }
}

function collect() {
  const collector = startCollector()
  cleanUps.push(() => collector.stop())
  return collector
}

interface SinkShown {
  readonly secret: string
  readonly progress: {
    readonly waiting: number
    readonly sent: number
    readonly lost: number
    readonly failures: number
    readonly last_failure: string | null
  }
}

/** Sends until the expectation holds, which is soon after the journal has been written to the database. */
async function untilSent(gateway: TestGateway, expectation: () => unknown): Promise<void> {
  await eventually('that sinks get everything', async () => {
    await gateway.sinks.send()
    try {
      await expectation()
      return true
    } catch {
      return false
    }
  })
}

async function addSink(gateway: TestGateway, target: string, fields: object = {}) {
  const body = { target, wait_seconds: 0, ...fields }
  return gateway.operator<SinkShown>('PUT', '/sinks/warehouse', body)
}

const progressOf = async (gateway: TestGateway) =>
  (await gateway.operator<SinkShown>('GET', '/sinks/warehouse')).progress

async function metricsOf({ url }: TestGateway): Promise<string> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  return (await fetch(`${url}/metrics`, { headers })).text()
}

async function ask(gateway: TestGateway, key: string): Promise<string> {
  const response = await chat(gateway.url, { model: 'sandbox-chat', ...say('hi') }, { key })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
  return response.headers.get('x-request-id') ?? ''
}

test('settlements and events are sent signed, in the order in which they were stored', async () => {
  const { gateway } = await start()
  const collector = collect()
  const { secret } = await createLoneKey(gateway)
  await ask(gateway, secret)
  // Reading the settlements stores them first.
  await gateway.operator('GET', '/settlements')
  const sink = await addSink(gateway, collector.url)
  collector.state.secret = sink.secret
  expect(sink.secret).toStartWith('whsec_')
  const ids: string[] = []
  for (let call = 0; call < 5; call++) ids.push(await ask(gateway, secret))
  await gateway.operator('POST', '/accounts', { name: 'Another' })
  await untilSent(gateway, () => expect(collector.requestIds()).toHaveLength(5))
  expect(collector.requestIds()).toEqual(ids)
  await untilSent(gateway, () =>
    expect(collector.batches.flatMap(({ lines }) => lines.map(({ action }) => action))).toContain(
      'account.created',
    ),
  )
  expect(collector.batches.every(({ isSigned }) => isSigned)).toBe(true)
  for (const { lines, stream } of collector.batches)
    expect(new Set(lines.map(({ type }) => `${type}s`))).toEqual(new Set([stream ?? '']))
  const [line] = collector.batches.flatMap(({ lines }) => lines).filter(({ type }) => type === 'settlement')
  expect(line).toMatchObject({ model: 'sandbox-chat', outcome: 'completed', amount: expect.any(String) })
  await untilSent(gateway, async () => expect((await progressOf(gateway)).waiting).toBe(0))
  const shown = JSON.stringify(await gateway.operator('GET', '/sinks'))
  expect(shown).not.toContain(sink.secret)
  const audit = JSON.stringify(await gateway.operator('GET', '/audit?limit=200'))
  expect(audit).toContain('sink.created')
  expect(audit).not.toContain('token=hidden')
  expect(audit).not.toContain(sink.secret)
})

test('a sink that is away for a day, over a restart, loses nothing', async () => {
  const dataFolder = makeDataFolder()
  cleanUps.push(() => removeDataFolder(dataFolder))
  const clock = createMovableClock()
  const collector = collect()
  collector.state.mood = 'away'
  const first = await start({ clock, dataFolder })
  const { secret } = await createLoneKey(first.gateway)
  await addSink(first.gateway, collector.url, { events: false })
  const ids: string[] = []
  for (let hour = 0; hour < 12; hour++) {
    ids.push(await ask(first.gateway, secret))
    clock.advance(60 * 60 * 1_000)
  }
  await untilSent(first.gateway, async () =>
    expect(await progressOf(first.gateway)).toMatchObject({
      waiting: 12,
      last_failure: 'The receiver answered 503.',
    }),
  )
  await first.stop()
  const { gateway } = await start({ clock, dataFolder })
  for (let hour = 0; hour < 12; hour++) {
    ids.push(await ask(gateway, secret))
    clock.advance(60 * 60 * 1_000)
  }
  collector.state.mood = 'there'
  await untilSent(gateway, () => {
    clock.advance(60_000)
    expect(new Set(collector.requestIds()).size).toBe(24)
  })
  expect(collector.requestIds()).toEqual(ids)
  await untilSent(gateway, async () =>
    expect(await progressOf(gateway)).toMatchObject({ waiting: 0, sent: 24, lost: 0, failures: 0 }),
  )
})

test('a sink that is away for ten minutes loses nothing, and requests go on', async () => {
  const clock = createMovableClock()
  const collector = collect()
  const { gateway } = await start({ clock })
  const { secret } = await createLoneKey(gateway)
  await addSink(gateway, collector.url, { events: false })
  collector.state.mood = 'away'
  const ids: string[] = []
  for (let seconds = 0; seconds < 600; seconds += 30) {
    // A refused request would have failed `ask`, and one that waited for the sink would never end.
    ids.push(await ask(gateway, secret))
    // The list waits until everything settled is stored, and only then is there something to send.
    await gateway.operator('GET', '/settlements')
    clock.advance(30_000)
    await gateway.sinks.send()
  }
  // It waits longer after each failure, so that a sink that comes back is not buried under calls.
  expect(collector.state.refused).toBeWithin(3, 12)
  expect(await progressOf(gateway)).toMatchObject({ waiting: 20, sent: 0, lost: 0 })
  clock.advance(15_000)
  await gateway.sinks.send()
  const metrics = await metricsOf(gateway)
  expect(metrics).toContain('turnpike_sink_waiting_lines{sink="warehouse"} 20\n')
  expect(metrics).toMatch(/^turnpike_sink_oldest_seconds\{sink="warehouse"\} [1-9]/m)
  expect(metrics).toContain(
    `turnpike_sink_failed_attempts_total{sink="warehouse"} ${collector.state.refused}\n`,
  )
  expect(metrics).toContain('turnpike_refusals_dropped_total 0\n')
  await gateway.sinks.sweep()
  collector.state.mood = 'there'
  clock.advance(5 * 60_000)
  await untilSent(gateway, () => expect(collector.requestIds()).toHaveLength(20))
  expect(collector.requestIds()).toEqual(ids)
  expect(await progressOf(gateway)).toMatchObject({ waiting: 0, sent: 20, lost: 0, failures: 0 })
  expect(await metricsOf(gateway)).toContain('turnpike_sink_sent_lines_total{sink="warehouse"} 20\n')
})

test('a slow sink does not delay requests', async () => {
  const { gateway } = await start()
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => promise.then(() => new Response()),
  })
  cleanUps.push(() => server.stop(true), resolve)
  const { secret } = await createLoneKey(gateway)
  await addSink(gateway, `http://127.0.0.1:${server.port}/`)
  await ask(gateway, secret)
  for (let call = 0; call < 10; call++) await ask(gateway, secret)
  // Nothing was taken, and everything was answered.
  void gateway.sinks.send()
  await eventually('that all wait', async () => (await progressOf(gateway)).waiting >= 11)
})

test('a folder gets JSON Lines by day', async () => {
  const clock = createMovableClock()
  const { gateway } = await start({ clock })
  const { secret } = await createLoneKey(gateway)
  const sink = await addSink(gateway, 'folder://archive', { events: false })
  expect(sink.secret).toBeNull()
  const id = await ask(gateway, secret)
  await untilSent(gateway, async () => {
    clock.advance(1_000)
    expect((await progressOf(gateway)).sent).toBe(1)
  })
  const folder = join(gateway.dataFolder, 'sinks', 'archive', 'settlements', '2026-06-10')
  const [file = ''] = readdirSync(folder)
  expect(file).toEndWith('.jsonl')
  expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toMatchObject({
    type: 'settlement',
    request_id: id,
  })
})

test('wrong targets are refused, and a deleted sink leaves nothing', async () => {
  const { gateway } = await start()
  for (const target of ['ftp://x', 'folder://../up', 's3://bucket/x', 'http://user:pass@host/', 'nonsense'])
    expect(addSink(gateway, target)).rejects.toThrow('target')
  await addSink(gateway, 'http://127.0.0.1:9/')
  await gateway.operator('DELETE', '/sinks/warehouse')
  expect(gateway.operator('GET', '/sinks/warehouse')).rejects.toThrow('404')
})
