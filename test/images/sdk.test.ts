import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addImageModel, asFile, bytesOf, drawPng, LEFT_MASK, PHOTO, readPng } from './image-requests.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway()
  await addImageModel(gateway, 'by-url', { suppliers: ['sandbox-openai'], images: { responseFormat: 'url' } })
  await addImageModel(gateway, 'by-parts', { suppliers: ['sandbox-google'], formats: ['content-generation'] })
})
afterAll(() => gateway.stop())

const SMALL = drawPng({ width: 64, height: 64 }, (x, y) => [x * 3, y * 3, 90, 255])

/**
 * Suppliers that give bytes when asked, only bytes, only addresses, and images as parts of an answer; and the smallest
 * square each makes, since the work is in the pixels. What comes as parts has one size. Last, the form in which the model
 * answers when nobody asks for one.
 */
const MODELS = [
  ['sandbox-image', 256, 'url'],
  ['sandbox-image-base64', 256, 'b64_json'],
  ['by-url', 256, 'url'],
  ['by-parts', 1024, 'b64_json'],
] as const
const FORMATS = ['url', 'b64_json'] as const

describe.each(OPENAI_SDKS)('%s', (_name, _class, connect) => {
  const client = () => connect({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

  describe.each(MODELS)('%s', (model, edge, ownForm) => {
    const size = `${edge}x${edge}` as const

    test('returns its own form to clients that ask for none', async () => {
      const made = await client().images.generate({ model, prompt: 'a red fox', size })
      const edited = await client().images.edit({ model, prompt: 'add a ship', image: asFile(SMALL), size })
      for (const { data } of [made, edited]) {
        const [image = {}] = data ?? []
        expect(Object.keys(image).filter((name) => name !== 'revised_prompt')).toEqual([ownForm])
        expect(image.url ?? gateway.url).toStartWith(gateway.url)
        expect(readPng(await bytesOf(image)).width).toBe(edge)
      }
    })

    test.each(FORMATS)('generates two images, as %s', async (response_format) => {
      const { data, created } = await client().images.generate({
        model,
        prompt: 'a red fox',
        size,
        n: 2,
        response_format,
      })
      expect(created).toBeGreaterThan(1_700_000_000)
      expect(data).toHaveLength(2)
      const [first, second] = await Promise.all((data ?? []).map(bytesOf))
      for (const bytes of [first, second]) {
        expect(readPng(bytes ?? new Uint8Array())).toMatchObject({ width: edge, height: edge })
      }
      for (const image of data ?? []) expect(Object.keys(image)).toContain(response_format)
      for (const image of data ?? []) expect(image.url ?? gateway.url).toStartWith(gateway.url)
    })

    test.each(FORMATS)('edits one image and several, as %s', async (response_format) => {
      const prompt = 'add a ship'
      const image = asFile(SMALL)
      const one = await client().images.edit({ model, prompt, image, response_format })
      const several = await client().images.edit({
        model,
        prompt,
        image: [image, asFile(PHOTO, 'other.png')],
        size,
        response_format,
      })
      for (const { data } of [one, several]) {
        const [edited] = data ?? []
        expect(Object.keys(edited ?? {})).toEqual([response_format])
        expect(readPng(await bytesOf(edited ?? {})).width).toBeGreaterThanOrEqual(64)
      }
    })
  })

  test.each(['sandbox-image', 'sandbox-image-base64', 'by-url'])(
    '%s changes only what the mask lets through',
    async (model) => {
      const { data } = await client().images.edit({
        model,
        prompt: 'a bright ship',
        image: asFile(PHOTO),
        mask: asFile(LEFT_MASK),
        size: '256x256',
        response_format: 'b64_json',
      })
      const before = readPng(PHOTO)
      const after = readPng(await bytesOf(data?.[0] ?? {}))
      expect(after).toMatchObject({ width: 256, height: 256 })
      let changed = 0
      for (let y = 0; y < 256; y++) {
        for (let x = 0; x < 256; x++) {
          const isSame = Bun.deepEquals(after.at(x, y), before.at(x, y))
          if (x >= 128 && !isSame) throw new Error(`pixel ${x},${y} was not to be changed`)
          if (!isSame) changed++
        }
      }
      expect(changed).toBeGreaterThan((128 * 256) / 2)
    },
  )

  test('a mask is refused for a model that returns images as message parts', async () => {
    const call = async () =>
      client().images.edit({
        model: 'by-parts',
        prompt: 'x',
        image: asFile(PHOTO),
        mask: asFile(LEFT_MASK),
      })
    await expect(call()).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'mask' })
  })

  test('the model list says which models generate and edit images', async () => {
    const kinds = new Map<string, unknown>()
    for await (const model of client().models.list()) {
      kinds.set(model.id, (model as unknown as { gateway: { kinds: unknown } }).gateway.kinds)
    }
    expect(kinds.get('sandbox-image')).toEqual(['image', 'image-edit'])
    expect(kinds.get('sandbox-chat')).toEqual(['text'])
  })
})
