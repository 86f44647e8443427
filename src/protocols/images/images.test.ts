import { describe, expect, test } from 'bun:test'
import type { ImageRequest } from '../../conversation/families/images.ts'
import { DEFAULT_IMAGE_TRAITS, type ImageTraits } from '../../vocabulary/runtime/traits.ts'
import { PiecedBody } from '../../wire/pieced-body.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { readGeneration } from './read-request.ts'

const PNG = 'iVBORw0KGgo='
const FULL = {
  model: 'm',
  prompt: 'p',
  n: 2,
  size: '512x512',
  quality: 'hd',
  style: 'vivid',
  user: 'u',
  response_format: 'url',
  seed: 7,
}

function encode(request: ImageRequest, traits: Partial<ImageTraits> = {}, refused: string[] = []) {
  const supply = { upstreamModel: 'up', traits: { ...DEFAULT_IMAGE_TRAITS, ...traits }, refused }
  const { body, ...rest } = encodeRequest(request, supply)
  return { ...rest, sent: typeof body === 'string' ? JSON.parse(body) : body }
}

describe('a request for a supplier', () => {
  const request = readGeneration(FULL)

  test("keeps the client's fields, also unknown ones, and asks for bytes", () => {
    expect(encode(request)).toEqual({
      sent: { ...FULL, model: 'up', response_format: 'b64_json' },
      copies: 1,
      isStreamed: false,
      look: { imageSize: '512x512', imageQuality: 'hd' },
      dropped: [],
    })
  })

  test.each(['b64_json', 'url', 'none'] as const)(
    'has only the fields the client sent (%s)',
    (responseFormat) => {
      const { sent } = encode(readGeneration({ model: 'm', prompt: 'p' }), { responseFormat })
      expect(sent).toEqual({ model: 'up', prompt: 'p' })
    },
  )

  test('uses the qualities of the model, and asks for no format when it returns only bytes', () => {
    const traits = { qualities: ['low', 'medium', 'high'], styles: [], responseFormat: 'none' } as const
    const { sent, dropped, look } = encode(request, traits)
    expect(look).toEqual({ imageSize: '512x512', imageQuality: 'high' })
    expect(sent).toEqual({
      model: 'up',
      prompt: 'p',
      n: 2,
      size: '512x512',
      quality: 'high',
      user: 'u',
      seed: 7,
    })
    expect(dropped).toEqual(['style'])
  })

  test('is sent once per image when the supplier makes one per call', () => {
    const { sent, copies } = encode(request, { oneByOne: true })
    expect([copies, sent.n]).toEqual([2, undefined])
  })

  test('omits parameters that were rejected before', () => {
    const { sent, dropped, look } = encode(request, {}, ['style', 'response_format', 'seed', 'quality'])
    expect(Object.keys(sent)).toEqual(['model', 'prompt', 'n', 'size', 'user'])
    expect(dropped).toEqual(['quality', 'style', 'seed'])
    expect(look).toEqual({ imageSize: '512x512' })
  })

  test('is a form for edits, with escaped field names', async () => {
    const file = {
      mediaType: 'image/png',
      bytes: 3,
      width: 1,
      height: 1,
      hasAlpha: true,
      content: new Blob(['abc']),
    }
    const edit = { pictures: [file, file], mask: file }
    const { sent } = encode({ ...request, edit, others: [['a"\r\nb', 'x']] })
    if (!(sent instanceof PiecedBody)) throw new Error('not a form')
    const response = new Response(sent.open(), { headers: { 'content-type': sent.contentType } })
    const form = await response.formData()
    expect([...form.keys()].slice(0, 3)).toEqual(['model', 'prompt', 'n'])
    expect(form.getAll('image[]')).toHaveLength(2)
    expect(await (form.get('mask') as File).text()).toBe('abc')
    expect([...form.keys()].filter((name) => name.startsWith('a'))).toHaveLength(1)
  })
})

describe('a reply of a supplier', () => {
  test('has images as bytes, URLs and data URLs', () => {
    const data = [
      { b64_json: PNG, revised_prompt: 'r' },
      { url: 'https://x.test/a.png' },
      { url: `data:image/png;base64,${PNG}` },
    ]
    const usage = {
      input_tokens: 5,
      output_tokens: 7,
      total_tokens: 12,
      input_tokens_details: { cached_tokens: 2 },
    }
    expect(decodeReply({ created: 1, data, usage, model: 'secret-deployment' })).toEqual({
      pictures: [
        { source: { type: 'base64', data: PNG }, revisedPrompt: 'r' },
        { source: { type: 'url', url: 'https://x.test/a.png' }, revisedPrompt: null },
        { source: { type: 'base64', data: PNG }, revisedPrompt: null },
      ],
      usage: { input: 3, cacheRead: 2, cacheWrite: 0, output: 7, reasoning: 0, images: 0 },
      look: null,
      remarks: { usage },
      refusal: null,
    })
  })

  test('tells images from text in its usage, and names their size and quality', () => {
    const usage = {
      input_tokens: 210,
      input_tokens_details: { text_tokens: 10, image_tokens: 200, cached_tokens: 150 },
      output_tokens: 1_056,
      output_tokens_details: { image_tokens: 1_056, text_tokens: 0 },
      total_tokens: 1_266,
    }
    const reply = { data: [{ b64_json: PNG }], size: '1024x1024', quality: 'high', usage }
    expect(decodeReply(reply)).toMatchObject({
      usage: {
        input: 60,
        cacheRead: 150,
        output: 1_056,
        // Of the image tokens, 60 fit beside the cached tokens; the others must be cached ones.
        details: { imageInput: 60, imageCacheRead: 140, imageOutput: 1_056 },
      },
      look: { imageSize: '1024x1024', imageQuality: 'high' },
    })
    expect(decodeReply({ ...reply, size: 'auto', quality: 7 })?.look).toBeNull()
  })

  test('with an invalid usage has no usage', () => {
    const usage = { input_tokens: -5, output_tokens: 'x', total_tokens: 12 }
    expect(decodeReply({ data: [{ b64_json: PNG }], size: '1x1', usage })).toMatchObject({
      usage: null,
      remarks: { size: '1x1' },
    })
    expect(decodeReply({ data: [{ b64_json: PNG }], usage })?.remarks).toEqual({})
  })

  test.each([
    [null],
    [[]],
    [{}],
    [{ data: {} }],
    [{ data: [] }],
    [{ data: [{}] }],
    [{ error: { message: 'x' } }],
  ])('%j is none', (body) => {
    expect(decodeReply(body)).toBeNull()
  })

  test('is encoded in the format of the client', () => {
    const reply = encodeReply([{ value: 'v', revisedPrompt: null }], {
      createdAtMs: 1_999,
      form: 'url',
      usage: null,
      remarks: { size: '1x1' },
    })
    expect(JSON.parse(reply)).toEqual({ created: 1, data: [{ url: 'v' }], size: '1x1' })
  })
})
