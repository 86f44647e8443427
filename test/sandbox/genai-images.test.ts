import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type GenerateContentResponse, GoogleGenAI, Modality, type Part } from '@google/genai'
import { GoogleGenAI as GoogleGenAi1 } from 'genai-1'
import { encodePng } from '../../src/sandbox/images/png.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { comparePixels, decodeBase64, makeMask, makeSource, SMALL } from './image-calls.ts'
import { failureOf } from './materials.ts'

const SDKS = [
  ['genai 2', (baseUrl: string, apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })],
  [
    'genai 1',
    // The versions differ in types these tests do not touch.
    (baseUrl: string, apiKey: string) =>
      new GoogleGenAi1({ apiKey, httpOptions: { baseUrl } }) as unknown as GoogleGenAI,
  ],
] as const

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
})
afterAll(() => sandbox.stop())

const BOTH = { responseModalities: [Modality.TEXT, Modality.IMAGE] }
const ONLY_IMAGE = { responseModalities: [Modality.IMAGE] }
const ASK = { model: 'sandbox-image', contents: 'a lighthouse' }

function partsOf(response: GenerateContentResponse, candidate = 0): Part[] {
  return response.candidates?.[candidate]?.content?.parts ?? []
}

function imagesOf(parts: readonly Part[]) {
  const inline = parts.flatMap(({ inlineData }) => inlineData ?? [])
  return inline.map(({ mimeType, data }) => ({ mimeType, ...decodeBase64(data) }))
}

function sizesOf(parts: readonly Part[]): string[] {
  return imagesOf(parts).map(({ width, height }) => `${width}x${height}`)
}

function given(raster: Parameters<typeof encodePng>[0]): Part {
  return { inlineData: { mimeType: 'image/png', data: Buffer.from(encodePng(raster)).toString('base64') } }
}

describe.each(SDKS)('%s', (_name, createClient) => {
  let client: GoogleGenAI
  beforeAll(() => {
    client = createClient(sandbox.url, 'sk-sandbox-test')
  })

  test('gets text and an image', async () => {
    const response = await client.models.generateContent({ ...ASK, config: BOTH })
    const [words, image, ...more] = partsOf(response)
    expect(words?.text).toBe('Here is image 1 for "a lighthouse".')
    expect(image?.inlineData?.mimeType).toBe('image/png')
    expect(sizesOf([image ?? {}])).toEqual(['1024x1024'])
    expect(more).toEqual([])
    expect(response.candidates?.[0]?.finishReason).toBe('STOP' as never)
    const usage = response.usageMetadata
    expect(usage?.candidatesTokenCount).toBe(1290 + Math.ceil((words?.text ?? '').length / 4))
    expect(usage?.totalTokenCount).toBe((usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0))
    expect(usage?.candidatesTokensDetails).toEqual([{ modality: 'IMAGE' as never, tokenCount: 1290 }])
  })

  test('gets only an image', async () => {
    const response = await client.models.generateContent({ ...ASK, config: ONLY_IMAGE })
    expect(partsOf(response).map((part) => Object.keys(part))).toEqual([['inlineData']])
    expect(response.usageMetadata?.candidatesTokenCount).toBe(1290)
  })

  test('gets the same as a stream with growing usage', async () => {
    const chunks = await Array.fromAsync(await client.models.generateContentStream({ ...ASK, config: BOTH }))
    const whole = await client.models.generateContent({ ...ASK, config: BOTH })
    const parts = chunks.flatMap((chunk) => partsOf(chunk))
    expect(parts.map(({ text }) => text ?? '').join('')).toBe(partsOf(whole)[0]?.text ?? '')
    const images = (all: readonly Part[]) => all.flatMap(({ inlineData }) => inlineData?.data ?? [])
    expect(images(parts)).toEqual(images(partsOf(whole)))
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
    const totals = chunks.map((chunk) => chunk.usageMetadata?.totalTokenCount ?? 0)
    expect(totals).toEqual(totals.toSorted((one, other) => one - other))
  })

  test('gets one image for each candidate', async () => {
    const config = { ...ONLY_IMAGE, candidateCount: 2 }
    const response = await client.models.generateContent({ ...ASK, config })
    const [one, other] = [0, 1].map((candidate) => partsOf(response, candidate))
    expect([one?.length, other?.length]).toEqual([1, 1])
    expect(one?.[0]?.inlineData?.data === other?.[0]?.inlineData?.data).toBe(false)
    expect(response.usageMetadata?.candidatesTokenCount).toBe(2 * 1290)
  })

  test('edits an image in its own size, without masks', async () => {
    const source = makeSource()
    const edit = async (...images: Part[]) => {
      const contents = [{ role: 'user', parts: [{ text: 'add a boat' }, ...images] }]
      const response = await client.models.generateContent({ ...ASK, contents, config: ONLY_IMAGE })
      return imagesOf(partsOf(response))[0] ?? makeSource()
    }
    const alone = await edit(given(source))
    expect(alone).toMatchObject(SMALL)
    expect(comparePixels(alone, source).filter((isSame) => isSame).length).toBeLessThan(50)
    const besideMask = await edit(given(source), given(makeMask()))
    expect(comparePixels(besideMask, source).filter((isSame) => isSame).length).toBeLessThan(50)
  })

  test('edits its own image in the next turn', async () => {
    const conversation = client.chats.create({ model: 'sandbox-image', config: ONLY_IMAGE })
    const first = imagesOf(
      partsOf(await conversation.sendMessage({ message: ['a hat', given(makeSource())] })),
    )
    const second = imagesOf(partsOf(await conversation.sendMessage({ message: 'larger' })))
    expect(second).toMatchObject([SMALL])
    expect(second[0]?.pixels).not.toEqual(first[0]?.pixels ?? new Uint8Array())
  })

  test('gets no image beyond the token limit, or that the model declines', async () => {
    const short = await client.models.generateContent({ ...ASK, config: { ...BOTH, maxOutputTokens: 500 } })
    expect(short.candidates?.[0]?.finishReason).toBe('MAX_TOKENS' as never)
    expect(imagesOf(partsOf(short))).toEqual([])
    const declined = await client.models.generateContent({ ...ASK, contents: 'refuse', config: BOTH })
    expect(declined.candidates?.[0]).toMatchObject({ finishReason: 'SAFETY' })
    expect(declined.usageMetadata).not.toHaveProperty('candidatesTokensDetails')
  })

  test('gets an error for what the model cannot do', async () => {
    const refused = async (request: object) => {
      const asked = client.models.generateContent({ ...ASK, ...request })
      return String(await failureOf(asked))
    }
    expect(await refused({})).toContain('does not answer text')
    expect(await refused({ config: { responseModalities: ['TEXT'] } })).toContain('does not answer text')
    expect(await refused({ model: 'sandbox-chat', config: BOTH })).toContain('modalities: text,image')
    expect(await refused({ config: { responseModalities: ['AUDIO'] } })).toContain('modalities: audio')
    const jpeg = {
      inlineData: { mimeType: 'image/jpeg', data: Buffer.from([0xff, 0xd8, 0xff]).toString('base64') },
    }
    expect(await refused({ contents: [jpeg], config: BOTH })).toContain('Unsupported image')
    const linked = { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } }
    expect(await refused({ contents: [linked], config: BOTH })).toContain('does not fetch image URLs')
  })

  test('lists the models that make images', async () => {
    const models = await Array.fromAsync(await client.models.list())
    expect(models.map(({ name }) => name)).toContain('models/sandbox-image')
    expect(models.map(({ name }) => name)).toContain('models/sandbox-image-base64')
  })
})

test('the shape of an image can be chosen', async () => {
  // Only the newer version of the library has words for it.
  const client = new GoogleGenAI({ apiKey: 'sk-sandbox-test', httpOptions: { baseUrl: sandbox.url } })
  const ask = (aspectRatio: string) =>
    client.models.generateContent({ ...ASK, config: { ...ONLY_IMAGE, imageConfig: { aspectRatio } } })
  expect(sizesOf(partsOf(await ask('16:9')))).toEqual(['1344x768'])
  expect(String(await failureOf(ask('7:5')))).toContain('aspect_ratio')
})
