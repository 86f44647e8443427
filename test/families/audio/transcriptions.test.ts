import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { mp3File, wavFile, webmFile } from '../../../src/wire/audio/testing/audio-files.ts'
import { createKey, createLoneKey, openAccount } from '../../support/accounts.ts'
import { eventually } from '../../support/eventually.ts'
import { onlySettlementOf } from '../../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import {
  addAudioModel,
  addAudioSupplier,
  type ReceivedCall,
  type ScriptedAudio,
  startScriptedAudio,
} from './support/scripted-audio.ts'

let gateway: TestGateway
let supplier: ScriptedAudio

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startScriptedAudio()
  await addAudioSupplier(gateway, 'first', supplier.url)
  await addAudioSupplier(gateway, 'second', supplier.url)
  const kind = 'transcription'
  await addAudioModel(gateway, 'minutes', { kind, suppliers: ['first'], price: { audio_minute: '0.006' } })
  await addAudioModel(gateway, 'tokens', {
    kind,
    suppliers: ['first'],
    price: { audio_input: '6', output: '10' },
  })
  await addAudioModel(gateway, 'pair', {
    kind,
    suppliers: ['first', 'second'],
    price: { audio_minute: '0.006' },
  })
})
afterEach(() => {
  supplier.calls.length = 0
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop()
})

type Fields = readonly (readonly [name: string, value: string])[]

interface Upload {
  readonly model?: string
  readonly file?: Uint8Array<ArrayBuffer> | null
  readonly name?: string
  readonly fields?: Fields
  readonly path?: string
}

async function send({
  model = 'minutes',
  file = wavFile(3_000),
  name = 'a.wav',
  fields = [],
  path = 'transcriptions',
}: Upload = {}) {
  const key = await createLoneKey(gateway)
  const form = new FormData()
  for (const [field, value] of [['model', model] as const, ...fields]) form.append(field, value)
  if (file !== null) form.append('file', new File([file], name))
  const headers = { authorization: `Bearer ${key.secret}` }
  const response = await fetch(`${gateway.url}/v1/audio/${path}`, { method: 'POST', headers, body: form })
  return { response, settlement: () => onlySettlementOf(gateway, key.id) }
}

const say = (body: object) => () => Response.json(body)
const events =
  (...lines: readonly string[]) =>
  () =>
    new Response(lines.map((line) => `data: ${line}\n\n`).join(''), { headers: EVENTS })
const EVENTS = { 'content-type': 'text/event-stream' }
async function* writeApart(first: string, rest: readonly string[], gate: Promise<void>) {
  yield `data: ${first}\n\n`
  await gate
  for (const line of rest) yield `data: ${line}\n\n`
}
const DELTA = JSON.stringify({ type: 'transcript.text.delta', delta: 'Hello ' })

describe('a request', () => {
  test('reaches the supplier with all of its fields, its own model and a file name that fits', async () => {
    supplier.answer = say({ text: 'Hello', usage: { type: 'duration', seconds: 3 }, extra: { kept: true } })
    const fields: Fields = [
      ['language', 'de'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['my_own_field', 'größer'],
    ]
    const { response } = await send({ fields, name: 'Dr. Müller über Krebs.wav' })
    expect(await response.json()).toEqual({
      text: 'Hello',
      usage: { type: 'duration', seconds: 3 },
      extra: { kept: true },
    })
    const form = supplier.calls[0]?.form
    const file = form?.get('file') as File
    form?.delete('file')
    expect([...(form ?? [])]).toEqual([['model', 'upstream-minutes'], ...fields] as [string, string][])
    expect(file.name).toBe('audio.wav')
    expect(await file.bytes()).toEqual(wavFile(3_000))
  })

  test.each([
    [{ file: null }, 'file', /required/],
    [{ file: new Uint8Array(0) }, 'file', /empty/],
    [{ fields: [['response_format', 'docx']] as Fields }, 'response_format', /one of/],
    [{ fields: [['temperature', 'hot']] as Fields }, 'temperature', /number/],
    [
      {
        fields: [
          ['language', 'de'],
          ['language', 'en'],
        ] as Fields,
      },
      'language',
      /once/,
    ],
    [{ fields: [['timestamp_granularities[]', 'hour']] as Fields }, 'timestamp_granularities', /word/],
    [{ fields: [['model[]', 'x']] as Fields }, 'model', /one value/],
    [{ fields: [['file', 'text']] as Fields, file: null }, 'file', /with a file name/],
    [{ model: 'sandbox-chat' }, 'model', /cannot transcribe audio/],
  ] as const)('%j is refused', async (upload, param, words) => {
    const { response } = await send(upload)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { param: string; message: string } }
    expect(error.message).toMatch(words)
    expect(error.param).toBe(param)
    expect(supplier.calls).toEqual([])
  })

  test('is sent again, whole, when the first supplier fails', async () => {
    const large = wavFile(30_000)
    const sizes: number[] = []
    supplier.answer = ({ form }: ReceivedCall) => {
      const file = form?.get('file')
      if (file instanceof File) sizes.push(file.size)
      return sizes.length === 1 ? new Response('{}', { status: 503 }) : Response.json({ text: 'Again.' })
    }
    const { response, settlement } = await send({ model: 'pair', file: large })
    expect(await response.json()).toEqual({ text: 'Again.' })
    expect(sizes).toEqual([large.length, large.length])
    expect((await settlement()).attempts.map(({ result }) => result)).toEqual(['failed', 'answered'])
    await eventually(
      'no upload to be left',
      async () => readdirSync(join(gateway.dataFolder, 'uploads')).length === 0,
    )
  })

  test('needs a balance that covers its length, and no more', async () => {
    supplier.answer = say({ text: 'x', usage: { type: 'duration', seconds: 600 } })
    // Ten minutes cost 0.06.
    const statusWith = async (balance: string) => {
      const accountId = await openAccount(gateway, balance)
      const key = await createKey(gateway, accountId)
      const form = new FormData()
      form.append('model', 'minutes')
      form.append('file', new File([wavFile(600_000, 1_000)], 'long.wav'))
      const headers = { authorization: `Bearer ${key.secret}` }
      return (await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form }))
        .status
    }
    expect(await statusWith('0.0599')).toBe(403)
    expect(await statusWith('0.0601')).toBe(200)
  })
})

describe('what is charged', () => {
  const tokens = { usage: { type: 'tokens', input_tokens: 5, output_tokens: 2 } }
  const silent = webmFile(null)

  test.each([
    { what: 'the reported length', more: { usage: { type: 'duration', seconds: 3 } }, ms: 3_000 },
    { what: 'the length in a detailed reply', more: { duration: 2.97 }, ms: 2_970 },
  ])('$what', async ({ more, ms }) => {
    supplier.answer = say({ text: 'Hello', ...more })
    const { response, settlement } = await send()
    await response.text()
    expect(await settlement()).toMatchObject({ provenance: 'supplier', usage: { details: { audio_ms: ms } } })
  })

  test.each([
    { what: 'the length of the file, when nothing is reported', file: wavFile(3_000), ms: 3_000 },
    { what: 'its size, when it does not tell its length', file: silent, ms: Math.ceil(silent.length / 4) },
    { what: 'the length, when only tokens are reported', file: mp3File(100), more: tokens, ms: 2_612 },
  ])('our own count: $what', async ({ file, more = {}, ms }) => {
    supplier.answer = say({ text: 'Hello', ...more })
    const { response, settlement } = await send({ file })
    await response.text()
    expect(await settlement()).toMatchObject({ provenance: 'counted', usage: { details: { audio_ms: ms } } })
  })

  test.each([
    ['a length that the file cannot have', { usage: { type: 'duration', seconds: 90_000 } }],
    ['a negative length', { usage: { type: 'duration', seconds: -5 } }],
  ])('our own count instead of %s', async (_what, more) => {
    supplier.answer = say({ text: 'Hello', ...more })
    const { response, settlement } = await send()
    await response.text()
    expect(await settlement()).toMatchObject({
      provenance: 'counted',
      notes: ['implausible_usage'],
      usage: { details: { audio_ms: 3_000 } },
    })
  })

  test('tokens by our own count, when they are what is paid and the reply is plain text', async () => {
    supplier.answer = () => new Response('Hello there, this is a test.\n')
    const { response, settlement } = await send({ model: 'tokens', fields: [['response_format', 'text']] })
    expect(await response.text()).toBe('Hello there, this is a test.\n')
    const { usage, provenance } = await settlement()
    expect(usage).toMatchObject({ input: 30, details: { audio_input: 30, audio_ms: 3_000 } })
    expect(usage.output).toBeWithin(6, 12)
    expect(provenance).toBe('counted')
  })
})

describe('a stream', () => {
  const stream: Upload = { model: 'tokens', fields: [['stream', 'true']] }

  test('is relayed unchanged', async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 31,
      output_tokens: 3,
      input_token_details: { audio_tokens: 30 },
    }
    const done = JSON.stringify({ type: 'transcript.text.done', text: 'Hello there', usage })
    supplier.answer = events(DELTA, DELTA, done)
    const { response, settlement } = await send(stream)
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(await response.text()).toBe([DELTA, DELTA, done].map((line) => `data: ${line}\n\n`).join(''))
    expect(await settlement()).toMatchObject({
      provenance: 'supplier',
      usage: { input: 31, output: 3, details: { audio_input: 30 } },
    })
  })

  test('of chunks like those of a chat ends with its marker', async () => {
    const chunk = (delta: object, finish_reason: string | null) =>
      JSON.stringify({ object: 'transcription.chunk', choices: [{ delta, finish_reason }] })
    supplier.answer = events(chunk({ content: 'Hello' }, null), chunk({}, 'stop'), '[DONE]')
    const { response, settlement } = await send(stream)
    expect(await response.text()).toEndWith('data: [DONE]\n\n')
    expect(await settlement()).toMatchObject({
      outcome: 'completed',
      provenance: 'counted',
      usage: { input: 30 },
    })
  })

  test.each([
    ['that ends without its last event', [DELTA]],
    [
      'with an error in it',
      [DELTA, JSON.stringify({ type: 'error', error: { message: 'boom', code: 'x' } })],
    ],
  ] as const)('%s has failed', async (_what, lines) => {
    const [first = '', ...rest] = lines
    const { promise: arrived, resolve } = Promise.withResolvers<void>()
    supplier.answer = () => new Response(writeApart(first, rest, arrived), { headers: EVENTS })
    const { response, settlement } = await send(stream)
    resolve()
    const text = await response.text()
    expect(text).toStartWith(`data: ${DELTA}\n\n`)
    expect(text).toContain('event: error\ndata: {"error":')
    expect(await settlement()).toMatchObject({
      outcome: 'supplier_failed',
      provenance: 'counted',
      usage: { input: 30, details: { audio_ms: 3_000 } },
    })
  })

  test('that the supplier answers as a whole is a whole reply', async () => {
    supplier.answer = say({ text: 'Hello' })
    const { response } = await send(stream)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ text: 'Hello' })
  })
})

test('a reply that is none fails, and is not charged', async () => {
  supplier.answer = () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })
  for (const format of ['json', 'text', 'vtt']) {
    const { response, settlement } = await send({ fields: [['response_format', format]] })
    expect(response.status).toBe(502)
    expect(await settlement()).toMatchObject({ outcome: 'supplier_failed', amount: '0' })
  }
})

test('Azure is called at the address of its deployment', async () => {
  await gateway.operator('PUT', '/suppliers/azure', {
    type: 'azure-openai',
    base_url: supplier.url,
    options: { api_version: '2025-04-01-preview' },
    formats: ['transcriptions', 'speech'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/azure/credentials', { secret: 'azure-key' })
  await addAudioModel(gateway, 'deployed', { kind: 'transcription', suppliers: ['azure'], price: {} })
  supplier.answer = say({ text: 'Hello' })
  const { response } = await send({ model: 'deployed', path: 'translations' })
  expect(await response.json()).toEqual({ text: 'Hello' })
  expect(supplier.calls[0]?.path).toBe('/openai/deployments/upstream-deployed/audio/translations')
  expect(supplier.calls[0]?.form?.get('model')).toBe('upstream-deployed')
})
