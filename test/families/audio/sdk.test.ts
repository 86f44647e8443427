import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { experimental_generateSpeech as generateSpeech, experimental_transcribe as transcribe } from 'ai'
import { wavFile } from '../../../src/wire/audio/testing/audio-files.ts'
import { createLoneKey } from '../../support/accounts.ts'
import { OPENAI_SDKS } from '../../support/sdk-clients.ts'
import { onlySettlementOf } from '../../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { speech } from '../drivers/speech.ts'
import { transcriptions } from '../drivers/transcriptions.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const SAID = 'The first sentence. And a second one!'
const recording = () => new File([wavFile(2_500)], 'meeting.wav')

describe.each(OPENAI_SDKS)('the official client, %s', (_name, Client, connect) => {
  async function open() {
    const key = await createLoneKey(gateway)
    const client = connect({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    return { client, settlement: () => onlySettlementOf(gateway, key.id) }
  }

  test('a transcription as JSON, charged by the length that the supplier reports', async () => {
    const { client, settlement } = await open()
    const result = await client.audio.transcriptions.create({
      model: 'sandbox-transcribe',
      file: recording(),
      language: 'en',
      temperature: 0.2,
      prompt: 'Turnpike',
    })
    expect(result.text).toContain('bytes')
    expect(result.usage).toEqual({ type: 'duration', seconds: 3 })
    expect(await settlement()).toMatchObject({
      outcome: 'completed',
      provenance: 'supplier',
      usage: { input: 0, output: 0, details: { audio_ms: 3_000 } },
      // 3 seconds at 0.006 a minute.
      amount: '0.0003',
    })
  })

  test('a transcription in detail', async () => {
    const { client, settlement } = await open()
    const result = await client.audio.transcriptions.create({
      model: 'sandbox-transcribe',
      file: recording(),
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
    })
    expect(result).toMatchObject({ task: 'transcribe', duration: 2.5 })
    expect(result.segments?.length).toBe(2)
    expect(await settlement()).toMatchObject({
      provenance: 'supplier',
      usage: { details: { audio_ms: 3_000 } },
    })
  })

  test.each([
    ['text', /^This recording has/, 'text/plain'],
    ['srt', /^1\n00:00:00,000 --> /, 'application/x-subrip'],
    ['vtt', /^WEBVTT\n\n00:00:00\.000 --> /, 'text/vtt'],
  ] as const)('a transcription as %s, charged by our own count', async (format, pattern, contentType) => {
    const { client, settlement } = await open()
    const call = { model: 'sandbox-transcribe', file: recording(), response_format: format } as const
    const { data, response } = await client.audio.transcriptions.create(call).withResponse()
    expect(data as unknown).toMatch(pattern)
    expect(response.headers.get('content-type')).toStartWith(contentType)
    expect(await settlement()).toMatchObject({
      provenance: 'counted',
      usage: { details: { audio_ms: 2_500 } },
    })
  })

  test('a streamed transcription, charged by tokens', async () => {
    const { client, settlement } = await open()
    const stream = await client.audio.transcriptions.create({
      model: 'sandbox-transcribe-tokens',
      file: recording(),
      stream: true,
    })
    let text = ''
    let whole = ''
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') text += event.delta
      if (event.type === 'transcript.text.done') whole = event.text
    }
    expect(text).toContain('recording')
    expect(whole).toBe(text)
    expect(await settlement()).toMatchObject({
      outcome: 'completed',
      provenance: 'supplier',
      usage: { input: 25, output: Math.ceil(text.length / 4), details: { audio_input: 25 } },
    })
  })

  test('a translation', async () => {
    const { client, settlement } = await open()
    const result = await client.audio.translations.create({ model: 'sandbox-transcribe', file: recording() })
    expect(result.text).toStartWith('In English: ')
    expect(await settlement()).toMatchObject({
      outcome: 'completed',
      usage: { details: { audio_ms: 3_000 } },
    })
  })

  test('speech, charged by its characters, that can be written down again', async () => {
    const { client, settlement } = await open()
    const call = {
      model: 'sandbox-speech',
      input: `${SAID} 🎙`,
      voice: 'alloy',
      response_format: 'wav',
    } as const
    const response = await client.audio.speech.create(call)
    expect(response.headers.get('content-type')).toBe('audio/wav')
    const audio = await response.arrayBuffer()
    const characters = [...call.input].length
    expect(audio.byteLength).toBeGreaterThan(characters * 2_880)
    expect(await settlement()).toMatchObject({
      outcome: 'completed',
      provenance: 'counted',
      usage: { input: 0, output: 0, details: { characters } },
    })
    const file = new File([audio], 'spoken.wav')
    const { text } = await client.audio.transcriptions.create({ model: 'sandbox-transcribe', file })
    expect(text).toBe(call.input)
  })

  test('speech in events, charged by tokens', async () => {
    const { client, settlement } = await open()
    const response = await client.audio.speech.create({
      model: 'sandbox-speech-tokens',
      input: SAID,
      voice: { id: 'voice_1' },
      response_format: 'pcm',
      stream_format: 'sse',
      instructions: 'Slowly.',
    })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const events = await response.text()
    expect(events).toContain('speech.audio.delta')
    const done = /^data: (.*speech\.audio\.done.*)$/m.exec(events)?.[1] ?? '{}'
    const { usage } = JSON.parse(done)
    expect(usage.output_tokens).toBe(Math.ceil(SAID.length * 0.06 * 20))
    expect(await settlement()).toMatchObject({
      provenance: 'supplier',
      usage: {
        input: usage.input_tokens,
        output: usage.output_tokens,
        details: { audio_output: usage.output_tokens, characters: SAID.length },
      },
    })
  })

  test('speech of a model that is priced by tokens, counted by us', async () => {
    const { client, settlement } = await open()
    const call = {
      model: 'sandbox-speech-tokens',
      input: SAID,
      voice: 'alloy',
      response_format: 'pcm',
    } as const
    await (await client.audio.speech.create(call)).arrayBuffer()
    expect(await settlement()).toMatchObject({
      provenance: 'counted',
      usage: { output: Math.ceil(SAID.length * 0.06 * 20), details: { characters: SAID.length } },
    })
  })

  test("the supplier's complaint reaches the client", async () => {
    const { client } = await open()
    const call = { model: 'sandbox-speech', input: SAID, voice: 'alloy', response_format: 'opus' } as const
    const refusal = await client.audio.speech.create(call).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Client.APIError)
    expect(refusal).toMatchObject({ status: 400, param: 'response_format' })
  })
})

test.each([transcriptions, speech])('the request of the driver for $name is answered', async (driver) => {
  const { secret } = await createLoneKey(gateway)
  const { path, body } = driver.request()
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const headers = { authorization: `Bearer ${secret}`, ...type }
  await driver.check(await fetch(gateway.url + path, { method: 'POST', headers, body }))
})

describe('the AI SDK', () => {
  const provider = () => createOpenAI({ apiKey: 'sk-bootstrap-key-for-tests', baseURL: `${gateway.url}/v1` })

  test('speaks, and writes down what was spoken', async () => {
    const { audio } = await generateSpeech({
      model: provider().speech('sandbox-speech'),
      text: SAID,
      voice: 'nova',
      outputFormat: 'wav',
    })
    expect(audio.mediaType).toStartWith('audio/')
    const { text, durationInSeconds } = await transcribe({
      model: provider().transcription('sandbox-transcribe'),
      audio: audio.uint8Array,
    })
    expect(text).toBe(SAID)
    if (durationInSeconds !== undefined) expect(durationInSeconds).toBeGreaterThan(0)
  })
})
