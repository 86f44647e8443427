import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLoneKey } from '../support/accounts.ts'
import type { Fault } from '../support/faults.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addImageModel, asFile, drawPng, readPng } from './image-requests.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await addImageModel(gateway, 'by-parts', { suppliers: ['sandbox-google'], formats: ['content-generation'] })
})
afterAll(() => gateway.stop())

const SOURCE = asFile(drawPng({ width: 64, height: 64 }, (x, y) => [x * 3, y * 3, 90, 255]))
const ASKED = { model: 'sandbox-image-base64', prompt: 'a fox', size: '256x256', stream: true } as const
const strike = (fault: Fault, model = 'sandbox-image-base64') =>
  gateway.sandbox.faults.set({ model, fault, times: 1 })

describe.each(OPENAI_SDKS)('%s', (_name, _class, connect) => {
  const open = async () => {
    const key = await createLoneKey(gateway)
    const client = connect({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    return { client, settled: () => onlySettlementOf(gateway, key.id) }
  }

  test('partial images come before the final one, which has the usage', async () => {
    const { client, settled } = await open()
    const events = await Array.fromAsync(await client.images.generate({ ...ASKED, partial_images: 2 }))
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
    expect(events[1]).toMatchObject({ partial_image_index: 1 })
    const last = events.at(-1)
    if (last?.type !== 'image_generation.completed') throw new Error('no image')
    expect(readPng(Buffer.from(last.b64_json, 'base64')).width).toBe(256)
    expect(last.usage.output_tokens).toBeGreaterThan(200)
    expect(await settled()).toMatchObject({
      outcome: 'completed',
      provenance: 'supplier',
      usage: { output: last.usage.output_tokens, images: 1 },
    })
  })

  test('an edit has events of its own', async () => {
    const { client, settled } = await open()
    const asked = { ...ASKED, image: SOURCE, partial_images: 1 } as const
    const events = await Array.fromAsync(await client.images.edit(asked))
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    expect((await settled()).usage).toMatchObject({ images: 1 })
  })

  test.each(['sandbox-image', 'by-parts'])('%s, which cannot stream, sends each image', async (model) => {
    const { client, settled } = await open()
    const { data, response } = await client.images
      .generate({ ...ASKED, model, n: 2, partial_images: 2, size: '1024x1024' })
      .withResponse()
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(response.headers.get('x-gateway-dropped-params')).toBe('partial_images')
    const events = await Array.fromAsync(data)
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.completed',
      'image_generation.completed',
    ])
    for (const { b64_json } of events) expect(readPng(Buffer.from(b64_json, 'base64')).width).toBe(1024)
    expect((await settled()).usage).toMatchObject({ images: 2 })
  })

  test('an edit by a supplier that cannot stream is an event too', async () => {
    const { client } = await open()
    const asked = { ...ASKED, model: 'sandbox-image', image: SOURCE } as const
    const events = await Array.fromAsync(await client.images.edit(asked))
    expect(events.map(({ type }) => type)).toEqual(['image_edit.completed'])
  })

  test('a whole reply to a request for a stream becomes one', async () => {
    const { client, settled } = await open()
    strike({ type: 'plain-json' })
    const events = await Array.fromAsync(await client.images.generate(ASKED))
    expect(events).toMatchObject([{ type: 'image_generation.completed', size: '256x256' }])
    expect((await settled()).provenance).toBe('supplier')
  })

  test('an error in mid-stream is thrown, and nothing is charged', async () => {
    const { client, settled } = await open()
    strike({ type: 'error-in-stream', afterPieces: 2 })
    // The error may arrive together with the first event, and is then the answer itself.
    const read = async () => Array.fromAsync(await client.images.generate({ ...ASKED, partial_images: 3 }))
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'provider_error' })
    expect(await settled()).toMatchObject({ outcome: 'supplier_failed', usage: { output: 0, images: 0 } })
  })

  test('a stream that breaks off before the image has failed', async () => {
    const { client, settled } = await open()
    strike({ type: 'cut', afterPieces: 2 })
    const read = async () => Array.fromAsync(await client.images.generate({ ...ASKED, partial_images: 3 }))
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(await settled()).toMatchObject({ outcome: 'supplier_failed', amount: '0' })
  })

  test('a client that leaves after a partial image pays for an image', async () => {
    const { client, settled } = await open()
    strike({ type: 'latency', beforeFirstByteMs: 0, betweenPiecesMs: 50 })
    const stream = await client.images.generate({ ...ASKED, quality: 'low', partial_images: 3 })
    for await (const _event of stream) break
    const { outcome, provenance, usage } = await settled()
    expect([outcome, provenance]).toEqual(['client_left', 'counted'])
    expect(usage).toMatchObject({ images: 1 })
    expect(usage.output).toBeGreaterThanOrEqual(372)
  })

  test('images without usage are counted', async () => {
    const { client, settled } = await open()
    strike({ type: 'missing-usage' })
    await Array.fromAsync(await client.images.generate(ASKED))
    expect(await settled()).toMatchObject({ provenance: 'counted', usage: { images: 1, output: 0 } })
  })
})

test('a stream has no addresses', async () => {
  const key = await createLoneKey(gateway)
  const response = await fetch(`${gateway.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ASKED, response_format: 'url' }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'response_format' } })
})
