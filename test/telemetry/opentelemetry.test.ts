import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addHousehold } from '../console-api/support/account-stage.ts'
import { chat, say } from '../support/chat.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'
const TRACE_STATE = 'vendor=opaque,other=1'

interface Observed {
  readonly receiver: OtlpReceiver
  readonly suppliers: TwoSuppliers
}

/** Runs requests at a gateway that exports, and stops it, which sends what waits. */
async function observe(
  environment: Readonly<Record<string, string>>,
  run: (suppliers: TwoSuppliers) => Promise<unknown>,
): Promise<Observed> {
  const receiver = startOtlpReceiver()
  const suppliers = await startTwoSuppliers({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...environment },
  })
  try {
    await run(suppliers)
  } finally {
    await suppliers.stop()
    await receiver.stop()
  }
  return { receiver, suppliers }
}

const ask = async ({ gateway, key }: TwoSuppliers, fields: object, headers: Record<string, string> = {}) => {
  const response = await chat(gateway.url, { model: 'pair', ...fields }, { key, headers })
  await response.text()
  return response
}

function spanOf(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name)
  if (found.length !== 1) throw new Error(`${found.length} spans are called ${name}`)
  return found[0] as ReceivedSpan
}

/** The spans of the request with this id, which the gateway names in `x-request-id`. */
function spansOf({ receiver }: Observed, response: Response | undefined): readonly ReceivedSpan[] {
  const id = response?.headers.get('x-request-id')
  const own = receiver.spans.find(({ attributes }) => attributes['turnpike.request.id'] === id)
  return receiver.spans.filter(({ traceId }) => traceId === own?.traceId)
}

describe('requests are exported', () => {
  let observed: Observed
  const answers: Record<string, Response> = {}
  beforeAll(async () => {
    const environment = {
      OTEL_SERVICE_NAME: 'gateway-under-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }
    observed = await observe(environment, async (suppliers) => {
      const settings = { temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'], max_tokens: 100 }
      const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: TRACE_STATE }
      answers.whole = await ask(
        suppliers,
        { ...say('hello there'), ...settings },
        { ...headers, 'x-session-id': 'session-1' },
      )
      answers.stream = await ask(suppliers, { ...say('one two three four five'), stream: true })
      suppliers.first.faults.set({ times: 1, fault: { type: 'status', status: 500 } })
      answers.failover = await ask(suppliers, say('second try'))
      answers.refused = await ask(suppliers, { model: 'no-such-model' })
      suppliers.first.faults.set({ fault: { type: 'status', status: 500 } })
      suppliers.second.faults.set({ fault: { type: 'status', status: 503 } })
      answers.failed = await ask(suppliers, say('never'))
    })
  })

  test('a whole reply', () => {
    const spans = spansOf(observed, answers.whole)
    const server = spanOf(spans, 'POST /v1/chat/completions')
    const model = spanOf(spans, 'chat pair')
    const attempt = spanOf(spans, 'POST')
    expect(spans).toHaveLength(3)
    expect(server).toMatchObject({
      kind: 'SPAN_KIND_SERVER',
      traceId: TRACE_ID,
      parentSpanId: PARENT_ID,
      traceState: TRACE_STATE,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': 200,
        'turnpike.request.id': answers.whole?.headers.get('x-request-id'),
      },
    })
    expect(server.attributes).not.toContainKey('error.type')
    expect(server.resource).toMatchObject({
      'service.name': 'gateway-under-test',
      'deployment.environment.name': 'test',
    })
    expect(model).toMatchObject({
      kind: 'SPAN_KIND_CLIENT',
      traceId: TRACE_ID,
      parentSpanId: server.spanId,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'first',
        'gen_ai.request.model': 'pair',
        'gen_ai.response.model': 'sandbox-chat',
        'gen_ai.conversation.id': 'session-1',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.top_p': 0.9,
        'gen_ai.request.seed': 7,
        'gen_ai.request.stop_sequences': ['END'],
        'gen_ai.request.max_tokens': 100,
        'gen_ai.response.finish_reasons': ['stop'],
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(observed.suppliers.first.url).port),
        'turnpike.supplier.id': 'first',
        'turnpike.outcome': 'completed',
      },
    })
    expect(model.attributes['gen_ai.response.id']).toBeString()
    const input = Number(model.attributes['gen_ai.usage.input_tokens'])
    const output = Number(model.attributes['gen_ai.usage.output_tokens'])
    expect(input).toBeGreaterThan(0)
    expect(output).toBeGreaterThan(0)
    expect(model.attributes['turnpike.amount']).toBeCloseTo((input * 1 + output * 2) / 1e6, 12)
    for (const absent of ['gen_ai.request.stream', 'gen_ai.response.time_to_first_chunk', 'error.type'])
      expect(model.attributes).not.toContainKey(absent)
    expect(model.events.map(({ name }) => name)).toEqual([
      'turnpike.admitted',
      'turnpike.held',
      'turnpike.settled',
    ])
    expect(model.events[2]?.attributes['turnpike.amount']).toBe(model.attributes['turnpike.amount'])
    expect(attempt).toMatchObject({
      kind: 'SPAN_KIND_CLIENT',
      traceId: TRACE_ID,
      parentSpanId: model.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'turnpike.supplier.id': 'first',
        'turnpike.attempt.result': 'answered',
      },
    })
    for (const span of spans) expect(span.endMs).toBeGreaterThanOrEqual(span.startMs)
  })

  test('the supplier is told the span of its attempt', () => {
    const attempt = spanOf(spansOf(observed, answers.whole), 'POST')
    const parent = `00-${TRACE_ID}-${attempt.spanId}-01`
    expect(observed.suppliers.first.calls[0]?.trace).toEqual({ parent, state: TRACE_STATE })
  })

  test('a stream', () => {
    const spans = spansOf(observed, answers.stream)
    const { attributes } = spanOf(spans, 'chat pair')
    expect(attributes['gen_ai.request.stream']).toBe(true)
    expect(attributes['gen_ai.response.time_to_first_chunk']).toBeNumber()
    expect(attributes['gen_ai.response.finish_reasons']).toEqual(['stop'])
    expect(attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
    expect(spanOf(spans, 'POST /v1/chat/completions').parentSpanId).toBe('')
  })

  test('two attempts, of which the second answers', () => {
    const spans = spansOf(observed, answers.failover)
    const model = spanOf(spans, 'chat pair')
    const attempts = spans.filter(({ name }) => name === 'POST')
    expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual([model.spanId, model.spanId])
    expect(attempts[0]).toMatchObject({
      status: { code: 'STATUS_CODE_ERROR' },
      attributes: { 'error.type': '500', 'http.response.status_code': 500, 'turnpike.supplier.id': 'first' },
    })
    expect(attempts[1]?.attributes).toMatchObject({
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'turnpike.supplier.id': 'second',
    })
    expect(model.attributes['gen_ai.provider.name']).toBe('second')
    expect(model.attributes).not.toContainKey('error.type')
  })

  test('a refused request has one span, which is no error of the server', () => {
    const spans = spansOf(observed, answers.refused)
    expect(spans).toHaveLength(1)
    expect(spans[0]?.attributes).toMatchObject({
      'http.response.status_code': 404,
      'error.type': 'model_not_found',
    })
    expect(spans[0]?.attributes['turnpike.account.id']).toStartWith('acc_')
    expect(spans[0]?.status.code ?? 'STATUS_CODE_UNSET').toBe('STATUS_CODE_UNSET')
  })

  test('a request that no supplier answers', () => {
    const spans = spansOf(observed, answers.failed)
    const model = spanOf(spans, 'chat pair')
    expect(model.status.code).toBe('STATUS_CODE_ERROR')
    expect(model.attributes).toMatchObject({ 'error.type': '503', 'turnpike.outcome': 'supplier_failed' })
    expect(spanOf(spans, 'POST /v1/chat/completions').status.code).toBe('STATUS_CODE_ERROR')
  })

  test('metrics', () => {
    const { metrics } = observed.receiver
    const place = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'pair' }
    const pointsOf = (name: string, attributes: object) =>
      (metrics.get(name)?.points ?? []).filter((point) => Bun.deepMatch(attributes, point.attributes))
    const first = { ...place, 'gen_ai.provider.name': 'first', 'gen_ai.response.model': 'sandbox-chat' }
    for (const name of ['gen_ai.client.operation.duration', 'gen_ai.server.request.duration']) {
      expect(metrics.get(name)).toMatchObject({ unit: 's', isHistogram: true })
      expect(pointsOf(name, first)).toMatchObject([{ count: 2 }])
      expect(pointsOf(name, { ...place, 'error.type': '503' })).toMatchObject([{ count: 1 }])
      expect(pointsOf(name, first)[0]?.bounds?.slice(0, 3)).toEqual([0.01, 0.02, 0.04])
    }
    expect(pointsOf('gen_ai.client.operation.time_to_first_chunk', first)).toMatchObject([{ count: 1 }])
    expect(pointsOf('gen_ai.client.operation.time_per_output_chunk', first)[0]?.count).toBeGreaterThan(0)
    expect(pointsOf('gen_ai.server.time_to_first_token', first)).toMatchObject([{ count: 2 }])
    expect(pointsOf('gen_ai.server.time_per_output_token', first)).toMatchObject([{ count: 1 }])
    const spans = observed.receiver.spans.filter(({ name }) => name === 'chat pair')
    const total = (name: string) =>
      spans
        .filter(({ attributes }) => attributes['gen_ai.provider.name'] === 'first')
        .reduce((sum, { attributes }) => sum + Number(attributes[name]), 0)
    const usage = (type: string) =>
      pointsOf('gen_ai.client.token.usage', { ...first, 'gen_ai.token.type': type })
    expect(usage('input')).toMatchObject([{ count: 2, sum: total('gen_ai.usage.input_tokens') }])
    expect(usage('output')).toMatchObject([{ count: 2, sum: total('gen_ai.usage.output_tokens') }])
    expect(pointsOf('turnpike.cost', first)[0]?.value).toBeCloseTo(total('turnpike.cost'), 12)
    expect(pointsOf('turnpike.amount', first)[0]?.value).toBeCloseTo(total('turnpike.amount'), 12)
  })

  test('log lines, with the ids of their traces', () => {
    const { logs } = observed.receiver
    const of = (response: Response | undefined, body: string) =>
      logs.filter(
        (line) => line.body === body && line.attributes.requestId === response?.headers.get('x-request-id'),
      )
    const [line, ...others] = of(answers.whole, 'request')
    expect(others).toEqual([])
    expect(line).toMatchObject({
      severityText: 'INFO',
      traceId: TRACE_ID,
      attributes: {
        model: 'pair',
        supplier: 'first',
        attempts: 1,
        status: 200,
        path: '/v1/chat/completions',
      },
    })
    expect(of(answers.failover, 'attempt failed')).toMatchObject([
      { severityText: 'WARN', attributes: { supplier: 'first', status: 500 } },
    ])
    expect(of(answers.failed, 'request')).toMatchObject([{ severityText: 'WARN' }])
    expect(of(answers.refused, 'request')).toMatchObject([
      { severityText: 'INFO', attributes: { errorCode: 'model_not_found' } },
    ])
  })

  test('headers and compression are as set', () => {
    const { headers } = observed.receiver
    expect(headers.length).toBeGreaterThan(2)
    for (const one of headers) expect(one.get('x-tenant')).toBe('one two')
    expect(headers.some((one) => one.get('content-encoding') === 'gzip')).toBe(true)
  })

  test('without prompts, answers and keys', () => {
    const { spans, logs, metrics } = observed.receiver
    const all = JSON.stringify([spans, logs, [...metrics.values()]])
    for (const secret of ['hello there', 'one two three', observed.suppliers.key, 'sk-sandbox'])
      expect(all).not.toContain(secret)
  })
})

describe('sampling', () => {
  const REQUESTS = 40
  const sampled = async (ratio: string, sampler = 'parentbased_traceidratio', flags = '01') => {
    const environment = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }
    const own: string[] = []
    const { receiver, suppliers } = await observe(environment, async (both) => {
      for (let place = 0; place < REQUESTS; place += 1) {
        // Trace ids that are spread over all that there are.
        const id = Bun.hash(String(place)).toString(16).padStart(16, '0')
        own.push(id + id.split('').reverse().join(''))
        const headers = sampler.startsWith('parent')
          ? {}
          : { traceparent: `00-${own[place]}-${PARENT_ID}-${flags}` }
        await ask(both, say('x'), headers)
      }
    })
    const traces = new Set(receiver.spans.map(({ traceId }) => traceId))
    const told = suppliers.first.calls.map(({ trace }) => trace?.parent ?? '')
    return { traces, told, metrics: receiver.metrics }
  }

  test('nothing, and metrics all the same', async () => {
    const { traces, told, metrics } = await sampled('0')
    expect(traces.size).toBe(0)
    expect(told).toHaveLength(REQUESTS)
    for (const header of told) expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(metrics.get('gen_ai.client.operation.duration')?.points).toMatchObject([{ count: REQUESTS }])
  })

  test('everything', async () => {
    const { traces, told } = await sampled('1')
    expect(traces.size).toBeGreaterThanOrEqual(REQUESTS)
    for (const header of told) expect(header).toEndWith('-01')
  })

  test('a tenth, whatever clients ask for', async () => {
    const { traces, told } = await sampled('0.1', 'traceidratio')
    const chosen = told.filter((header) => header.endsWith('-01'))
    expect(chosen.length).toBeGreaterThan(0)
    expect(chosen.length).toBeLessThan(REQUESTS / 3)
    for (const header of chosen) expect(traces).toContain(header.split('-')[1] ?? '')
  })
})

describe('content', () => {
  const PROMPT = 'say: the quick brown fox'
  const messages = [
    { role: 'system', content: 'Answer in English.' },
    { role: 'user', content: PROMPT },
  ]
  const spanWith = async (content: string, storesBodies: boolean) => {
    const { receiver } = await observe({ TURNPIKE_OTEL_CONTENT: content }, async (suppliers) => {
      const key = storesBodies ? await openStoringKey(suppliers) : suppliers.key
      await ask({ ...suppliers, key }, { messages, stream: true })
    })
    return spanOf(receiver.spans, 'chat pair').attributes
  }

  test('is in the span when it is set', async () => {
    const attributes = await spanWith('all', false)
    expect(JSON.parse(String(attributes['gen_ai.system_instructions']))).toEqual([
      { type: 'text', content: 'Answer in English.' },
    ])
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: PROMPT }] },
    ])
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'the quick brown fox' }],
        finish_reason: 'stop',
      },
    ])
  })

  test('of accounts that store their bodies', async () => {
    expect(await spanWith('kept', true)).toContainKey('gen_ai.input.messages')
    expect(await spanWith('kept', false)).not.toContainKey('gen_ai.input.messages')
    expect(await spanWith('off', true)).not.toContainKey('gen_ai.input.messages')
  })
})

/** A key of an account that stores its bodies. */
async function openStoringKey({ gateway }: TwoSuppliers): Promise<string> {
  const { owner, accountId, secret } = await addHousehold(gateway, 'House')
  await owner.call(`PUT /accounts/${accountId}/body-storage`, { body: { enabled: true } })
  return secret
}

test('suppliers are told nothing when that is set', async () => {
  const { suppliers } = await observe({ TURNPIKE_OTEL_TRACEPARENT: 'off' }, (both) => ask(both, say('x')))
  expect(suppliers.first.calls).toMatchObject([{ trace: null }])
})

test('without an endpoint nothing is traced, and a client is served all the same', async () => {
  const suppliers = await startTwoSuppliers()
  try {
    await ask(suppliers, say('x'), { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` })
    expect(suppliers.first.calls).toMatchObject([{ trace: null }])
    expect(suppliers.gateway.log.requests.at(-1)?.findings?.trace).toBeUndefined()
  } finally {
    await suppliers.stop()
  }
})

describe('a receiver that fails', () => {
  let receiver: OtlpReceiver
  let suppliers: TwoSuppliers
  beforeAll(async () => {
    receiver = startOtlpReceiver()
    receiver.failWith = 400
    suppliers = await startTwoSuppliers({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '1' },
    })
  })
  afterAll(async () => {
    await receiver.stop()
  })

  test('changes nothing for clients, and is reported once', async () => {
    for (let place = 0; place < 5; place += 1) expect((await ask(suppliers, say('x'))).status).toBe(200)
    await suppliers.stop()
    const notices = suppliers.gateway.log.notices.filter((what) => what === 'telemetry could not be sent')
    expect(notices.length).toBeGreaterThan(0)
    expect(notices.length).toBeLessThanOrEqual(3)
    expect(suppliers.gateway.log.troubles).toEqual([])
  })
})
