import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI as OpenAi7 } from 'openai'
import { OpenAI as OpenAi6 } from 'openai-6'
import { decodePng } from '../../src/sandbox/images/png.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { comparePixels, decodeBase64, makeMask, makeSource, SMALL, toFile } from './image-calls.ts'
import { failureOf } from './materials.ts'

const NOW_MS = 1_800_000_000_000

type Options = { apiKey: string; baseURL: string; maxRetries: number }

const SDKS = [
  ['openai 7', (options: Options) => new OpenAi7(options)],
  // The two versions differ in types this test does not touch, so one set of tests can drive both.
  ['openai 6', (options: Options) => new OpenAi6(options) as unknown as OpenAi7],
] as const

let sandbox: Sandbox
let nowMs = NOW_MS
beforeAll(() => {
  sandbox = startSandbox({ clock: { nowMs: () => nowMs } })
})
afterAll(() => sandbox.stop())

describe.each(SDKS)('%s', (_name, createClient) => {
  let client: OpenAi7
  beforeAll(() => {
    nowMs = NOW_MS
    client = createClient({ apiKey: 'sk-sandbox-test', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
  })

  const classic = { model: 'sandbox-image', prompt: 'a lighthouse', size: '256x256' as const }
  const base64Only = { model: 'sandbox-image-base64', prompt: 'a lighthouse' }
  const asBase64 = { response_format: 'b64_json' as const }

  test('generates by URL, which serves the image for an hour', async () => {
    const made = await client.images.generate(classic)
    expect(made).toMatchObject({ created: NOW_MS / 1000, data: [{ revised_prompt: expect.any(String) }] })
    expect(made.data).toHaveLength(1)
    expect(made.data?.[0]).not.toHaveProperty('b64_json')
    expect(made).not.toHaveProperty('usage')
    const url = made.data?.[0]?.url ?? ''
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sandbox\/pictures\/[\w-]{32}\.png$/)
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(decodePng(await response.bytes())).toMatchObject({ width: 256, height: 256 })
    nowMs += 3_600_000
    expect((await fetch(url)).status).toBe(404)
    nowMs = NOW_MS
  })

  test('generates as Base64, deterministically by prompt', async () => {
    const generate = async (fields: Partial<OpenAi7.ImageGenerateParamsNonStreaming>) => {
      const made = await client.images.generate({ ...classic, ...asBase64, ...fields })
      return made.data?.map(({ b64_json }) => b64_json ?? '') ?? []
    }
    const [image] = await generate({})
    expect(decodeBase64(image)).toMatchObject({ width: 256, height: 256 })
    expect(await generate({})).toEqual([image ?? ''])
    const others = await Promise.all([
      generate({ prompt: 'a tower' }),
      generate({ style: 'natural' }),
      generate({ quality: 'hd' }),
      generate({ n: 3 }),
    ])
    const [, , , several = []] = others
    expect(several).toHaveLength(3)
    expect(several[0]).toBe(image ?? '')
    expect(new Set(others.flat()).size).toBe(6)
  })

  test.each(['512x512', '1024x1024', '1792x1024', '1024x1792'] as const)('generates %s', async (size) => {
    const made = await client.images.generate({ ...classic, ...asBase64, size })
    const { width, height } = decodeBase64(made.data?.[0]?.b64_json)
    expect(`${width}x${height}`).toBe(size)
  })

  test('generates with a current model: only Base64, with usage', async () => {
    const made = await client.images.generate({
      ...base64Only,
      size: '320x160' as '256x256',
      quality: 'low',
      n: 2,
    })
    expect(made.data?.map((image) => Object.keys(image))).toEqual([['b64_json'], ['b64_json']])
    expect(decodeBase64(made.data?.[0]?.b64_json)).toMatchObject({ width: 320, height: 160, hasAlpha: false })
    expect(made).toMatchObject({
      size: '320x160',
      quality: 'low',
      background: 'opaque',
      output_format: 'png',
    })
    const output = 2 * Math.ceil((272 * 320 * 160) / 1024 ** 2)
    expect(made.usage).toMatchObject({
      input_tokens: 3,
      input_tokens_details: { text_tokens: 3, image_tokens: 0 },
      output_tokens: output,
      total_tokens: 3 + output,
    })
    const usual = await client.images.generate({ ...base64Only, size: 'auto' })
    expect(usual).toMatchObject({ size: '1024x1024', quality: 'medium', usage: { output_tokens: 1056 } })
    const cut = await client.images.generate({ ...base64Only, size: '256x256', background: 'transparent' })
    expect(decodeBase64(cut.data?.[0]?.b64_json)).toMatchObject({ hasAlpha: true })
  })

  test('edits one whole image, in its own size', async () => {
    const source = makeSource()
    const edited = await client.images.edit({ ...base64Only, image: toFile(source) })
    const result = decodeBase64(edited.data?.[0]?.b64_json)
    expect(result).toMatchObject(SMALL)
    expect(comparePixels(result, source).filter((isSame) => isSame).length).toBeLessThan(50)
    expect(edited.usage?.input_tokens_details).toMatchObject({ image_tokens: 85 })
  })

  test('edits only what the mask leaves open, in both formats', async () => {
    const source = makeSource()
    const request = { prompt: 'a door', image: toFile(source), mask: toFile(makeMask()) }
    const byAddress = await client.images.edit({ ...request, model: 'sandbox-image' })
    const given = await client.images.edit({ ...request, model: 'sandbox-image', ...asBase64 })
    const current = await client.images.edit({ ...request, model: 'sandbox-image-base64' })
    const images = [
      decodePng(await (await fetch(byAddress.data?.[0]?.url ?? '')).bytes()),
      decodeBase64(given.data?.[0]?.b64_json),
      decodeBase64(current.data?.[0]?.b64_json),
    ]
    for (const image of images) {
      expect(image).toMatchObject(SMALL)
      expect(comparePixels(image, source)).toEqual(isOutside())
    }
  })

  test('edits several images at once', async () => {
    const [source, other] = [makeSource(), makeSource({ width: 20, height: 20 })]
    const edit = async (...images: File[]) => {
      const edited = await client.images.edit({ ...base64Only, image: images, mask: toFile(makeMask()) })
      return decodeBase64(edited.data?.[0]?.b64_json)
    }
    const both = await edit(toFile(source), toFile(other))
    expect(comparePixels(both, source)).toEqual(isOutside())
    expect(both.pixels).not.toEqual((await edit(toFile(source))).pixels)
  })

  test('edits into another size, several times', async () => {
    const request = { model: 'sandbox-image', prompt: 'a door', image: toFile(makeSource()), ...asBase64 }
    const edited = await client.images.edit({ ...request, size: '256x256', n: 2 })
    const [one, other] = edited.data?.map(({ b64_json }) => decodeBase64(b64_json)) ?? []
    expect(one).toMatchObject({ width: 256, height: 256 })
    expect(one?.pixels).not.toEqual(other?.pixels ?? new Uint8Array())
  })

  test('gets errors it understands', async () => {
    const stranger = createClient({ apiKey: 'wrong', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
    expect(await failureOf(stranger.images.generate(classic))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
    expect(await failureOf(client.images.generate({ ...base64Only, ...asBase64 }))).toMatchObject({
      status: 400,
      code: 'unknown_parameter',
      param: 'response_format',
    })
    expect(await failureOf(client.images.generate({ ...classic, prompt: 'refuse this' }))).toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    })
  })
})

/** By position: whether the mask of these tests protects a pixel. */
function isOutside(): boolean[] {
  return Array.from(
    { length: SMALL.width * SMALL.height },
    (_, pixel) => pixel % SMALL.width >= SMALL.width / 2,
  )
}
