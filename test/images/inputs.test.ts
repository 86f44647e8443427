import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chat, readError, refusalOf } from '../support/chat.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { openUnlimitedKey } from '../support/two-suppliers.ts'
import {
  addImageModel,
  asFile,
  drawPng,
  EDIT,
  edit,
  type FormField,
  generate,
  type Images,
  LEFT_MASK,
  PHOTO,
} from './image-requests.ts'

/** One grey pixel. */
const GREY_JPEG =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k='

let gateway: TestGateway
let key: string

beforeAll(async () => {
  gateway = await startTestGateway()
  key = (await openUnlimitedKey(gateway)).secret
  const images = { n: 1, editN: 2, maxPictures: 2, mask: false, promptCharacters: 10 }
  await addImageModel(gateway, 'narrow', { suppliers: ['sandbox-openai'], images })
  await addImageModel(gateway, 'draws', { suppliers: ['sandbox-openai'], kinds: ['image'] })
  await addImageModel(gateway, 'by-parts', { suppliers: ['sandbox-google'], formats: ['content-generation'] })
})
afterAll(() => gateway.stop())

type Fields = Readonly<Record<string, unknown>>
const ask = (fields: Fields, headers = {}) => generate(gateway, fields, { key, headers })
const change = (fields: readonly FormField[], headers = {}) => edit(gateway, fields, { key, headers })
const image: FormField = ['image', asFile(PHOTO)]

describe('an image request (spec 4.5, 8.5)', () => {
  const TAKEN: readonly Fields[] = [
    { n: 1 },
    { n: 4 },
    { n: null, size: null, quality: null, style: null, response_format: null, user: null },
    { size: '512x512' },
    { size: 'auto' },
    { quality: 'standard', style: 'natural' },
    { quality: 'hd', style: 'vivid' },
    { user: 'somebody' },
    { model: 'narrow', prompt: '0123456789' },
    { model: 'sandbox-image-base64', quality: 'standard' },
    { model: 'sandbox-image-base64', quality: 'auto' },
    { stream: false },
  ]
  test.each(TAKEN)('%j is accepted', async (fields) => {
    const response = await ask(fields)
    expect([response.status, ((await response.json()) as Images).data?.length]).toEqual([
      200,
      Number(fields.n ?? 1),
    ])
  })

  const REFUSED: readonly (readonly [fields: Fields, param: string, words: string])[] = [
    [{ prompt: undefined }, 'prompt', 'prompt'],
    [{ prompt: '' }, 'prompt', 'non-empty'],
    [{ prompt: 7 }, 'prompt', 'string'],
    [{ model: undefined }, 'model', 'model'],
    [{ n: 0 }, 'n', 'at least 1'],
    [{ n: 5 }, 'n', 'from 1 to 4'],
    [{ n: 1.5 }, 'n', 'integer'],
    [{ n: '2' }, 'n', 'integer'],
    [{ size: '1024' }, 'size', 'size'],
    [{ size: '511x512' }, 'size', '"512x512"'],
    [{ quality: 'medium' }, 'quality', '"standard", "hd"'],
    [
      { model: 'sandbox-image-base64', quality: 'best' },
      'quality',
      '"standard", "hd", "low", "medium", "high"',
    ],
    [{ style: 'cubist' }, 'style', '"vivid", "natural"'],
    [{ model: 'sandbox-image-base64', style: 'cubist' }, 'style', '"vivid", "natural"'],
    [{ model: 'by-parts', style: 'cubist' }, 'style', '"vivid", "natural"'],
    [{ response_format: 'png' }, 'response_format', '"url"'],
    [{ user: 7 }, 'user', 'string'],
    [{ model: 'narrow', n: 2 }, 'n', 'must be 1'],
    [{ model: 'narrow', prompt: '0123456789a' }, 'prompt', 'at most 10 characters'],
  ]
  test.each(REFUSED)('%j is refused for %s', async (fields, param, words) => {
    const response = await ask(fields)
    const error = await readError(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', param])
    expect(error.message).toContain(words)
  })

  test('streams of addresses are refused as such', async () => {
    const asked = { stream: true, response_format: 'url' }
    expect(await refusalOf(await ask(asked))).toEqual([400, 'invalid_request'])
  })
})

describe('models in the wrong place', () => {
  test('a text model cannot generate images', async () => {
    const error = await readError(await ask({ model: 'sandbox-chat' }))
    expect(error).toMatchObject({ code: 'invalid_request', param: 'model' })
    expect(error.message).toContain('"sandbox-chat" cannot generate images')
  })

  test('a generation-only model cannot edit images', async () => {
    const fields: FormField[] = [['model', 'draws'], ['prompt', 'x'], image]
    expect((await readError(await change(fields))).message).toContain('"draws" cannot edit images')
  })

  test('an image model cannot chat', async () => {
    const response = await chat(gateway.url, { model: 'sandbox-image' }, { key })
    const error = await readError(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', 'model'])
    expect(error.message).toContain('POST /v1/images/generations')
  })

  test('and is not listed where only text models are', async () => {
    const headers = { 'x-goog-api-key': key }
    const { models } = (await (await fetch(`${gateway.url}/v1beta/models`, { headers })).json()) as {
      models: { name: string }[]
    }
    const names = models.map(({ name }) => name)
    expect(names).toContain('models/sandbox-chat')
    expect(names).not.toContain('models/sandbox-image')
    expect((await fetch(`${gateway.url}/v1beta/models/sandbox-image`, { headers })).status).toBe(404)
  })

  test('one that does not exist is not found', async () => {
    expect(await refusalOf(await ask({ model: 'nowhere' }))).toEqual([404, 'model_not_found'])
  })
})

interface Refused {
  readonly param: string
  readonly words: string
}

describe('an edit form (spec 4.6, 8.5)', () => {
  const without = (name: string) => EDIT.filter(([each]) => each !== name)
  const other = asFile(drawPng({ width: 128, height: 256 }, () => [1, 2, 3, 0]))
  const opaque = asFile(Buffer.from(GREY_JPEG, 'base64') as Uint8Array<ArrayBuffer>, 'm.jpg', 'image/jpeg')
  const REFUSED: readonly (readonly [what: string, fields: FormField[], refusal: Refused])[] = [
    ['no image', [...EDIT], { param: 'image', words: 'image is required' }],
    ['no prompt', [...without('prompt'), image], { param: 'prompt', words: 'prompt' }],
    ['no model', [...without('model'), image], { param: 'model', words: 'model' }],
    ['a duplicate field', [...EDIT, ['prompt', 'again'], image], { param: 'prompt', words: 'once' }],
    ['a list for one value', [...EDIT, ['n[]', '9'], image], { param: 'n', words: 'send it as n' }],
    [
      'two masks',
      [...EDIT, image, ['mask', asFile(LEFT_MASK)], ['mask', asFile(LEFT_MASK)]],
      { param: 'mask', words: 'once' },
    ],
    ['text in place of the file', [...EDIT, ['image', 'x']], { param: 'image', words: 'file' }],
    ['n 0', [...EDIT, image, ['n', '0']], { param: 'n', words: 'at least 1' }],
    ['n 11', [...EDIT, image, ['n', '11']], { param: 'n', words: 'from 1 to 10' }],
    ['n that is no number', [...EDIT, image, ['n', 'two']], { param: 'n', words: 'integer' }],
    ['a mask of another size', [...EDIT, image, ['mask', other]], { param: 'mask', words: '128x256' }],
    ['a mask without transparency', [...EDIT, image, ['mask', opaque]], { param: 'mask', words: 'PNG' }],
    ['an unknown size', [...without('size'), ['size', '3x3'], image], { param: 'size', words: '"512x512"' }],
  ]
  test.each(REFUSED)('%s is refused', async (_what, fields, { param, words }) => {
    const response = await change(fields)
    const error = await readError(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', param])
    expect(error.message).toContain(words)
  })

  test.each([
    ['n', [['n', '3'], image], 'from 1 to 2'],
    ['image', [image, image, image], 'at most 2 images'],
    ['mask', [image, ['mask', asFile(LEFT_MASK)]], 'does not accept a mask'],
  ] as const)('a model may take less %s', async (param, fields, words) => {
    const error = await readError(
      await change([['model', 'narrow'], ['prompt', 'x'], ...fields] as FormField[]),
    )
    expect(error.param).toBe(param)
    expect(error.message).toContain(words)
  })

  test('ten images can be requested at once, and image and image[] mean the same', async () => {
    const response = await change([...EDIT, ['n', '10'], image, ['image[]', asFile(PHOTO)]])
    expect(((await response.json()) as Images).data).toHaveLength(10)
  })

  test('JSON is refused', async () => {
    const response = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await refusalOf(response)).toEqual([415, 'unsupported_media_type'])
  })
})

describe('a parameter the supplier does not support', () => {
  test('is left out and reported', async () => {
    const response = await ask({ model: 'sandbox-image-base64', style: 'vivid', user: 'u' })
    expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([200, 'style'])
    const parts = await ask({ model: 'by-parts', quality: 'hd', size: '512x100', background: 'opaque' })
    expect([parts.status, parts.headers.get('x-gateway-dropped-params')]).toEqual([
      200,
      'size, quality, background',
    ])
  })

  test('is refused when the client is strict', async () => {
    const response = await ask({ model: 'by-parts', quality: 'hd' }, { 'x-gateway-strict': 'true' })
    expect(await refusalOf(response)).toEqual([400, 'unsupported_parameter'])
  })

  test('that it refuses is left out in a retry, and from then on at once', async () => {
    await addImageModel(gateway, 'learns', {
      suppliers: ['sandbox-openai'],
      upstreamModel: 'sandbox-image-base64',
    })
    const first = await ask({ model: 'learns', response_format: 'b64_json' })
    expect([first.status, first.headers.get('x-gateway-attempts')]).toEqual([200, '2'])
    const second = await ask({ model: 'learns', response_format: 'b64_json' })
    expect([second.status, second.headers.get('x-gateway-attempts')]).toEqual([200, '1'])
  })
})

test('no upload is left behind, whatever happens to its request', () => {
  expect(readdirSync(join(gateway.dataFolder, 'uploads'))).toEqual([])
  expect(gateway.log.troubles).toEqual([])
})
