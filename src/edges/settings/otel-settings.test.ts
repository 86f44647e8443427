import { expect, test } from 'bun:test'
import { readSettings } from './read-settings.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318/' }
const read = (environment: Record<string, string>) => readSettings(environment).otel

test('is off without an endpoint, and when it is disabled', () => {
  expect(read({})).toBeNull()
  // Meant for other programs.
  expect(read({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SERVICE_NAME: 'x' })).toBeNull()
  expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeNull()
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }
  expect(read({ ...ENDPOINT, ...none })).toBeNull()
})

test('the endpoint is followed by the path of the signal, and one of a signal is used as it is', () => {
  const settings = read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.test/in' })
  expect(settings?.traces?.url).toBe('http://collector.test:4318/v1/traces')
  expect(settings?.metrics?.url).toBe('http://collector.test:4318/v1/metrics')
  expect(settings?.logs?.url).toBe('https://logs.test/in')
  const alone = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces.test/v1/traces' })
  expect([alone?.traces?.url, alone?.metrics, alone?.logs]).toEqual([
    'http://traces.test/v1/traces',
    null,
    null,
  ])
})

test('headers of a signal win over those for all, and are percent-decoded', () => {
  const settings = read({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-one=1',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-one=2',
  })
  expect(settings?.traces?.headers).toEqual({ authorization: 'Basic abc', 'x-one': '1' })
  expect(settings?.metrics?.headers).toEqual({ authorization: 'Basic abc', 'x-one': '2' })
})

test.each([
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; it must be one of http/protobuf.',
  ],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG is "2"; it must be a number from 0 to 1.'],
  [{ OTEL_PROPAGATORS: 'b3' }, 'OTEL_PROPAGATORS is "b3"; it must be tracecontext or none.'],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: 'hush' },
    'OTEL_EXPORTER_OTLP_HEADERS is invalid; it must be name=value,name=value.',
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is invalid; it must be an http or https address, such as http://127.0.0.1:4318.',
  ],
])('%p stops the start', (environment, message) => {
  expect(() => read({ ...ENDPOINT, ...(environment as Record<string, string>) })).toThrow(message)
})
