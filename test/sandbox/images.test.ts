import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import net from 'node:net'
import type { Fault } from '../../src/sandbox/faults.ts'
import { encodePng } from '../../src/sandbox/images/png.ts'
import { makePng } from '../../src/sandbox/images/testing/hand-made-png.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { makeMask, makeSource, SMALL, toFile } from './image-calls.ts'

let sandbox: Sandbox
const waits: number[] = []
beforeAll(() => {
  sandbox = startSandbox({
    wait: async (ms) => {
      waits.push(ms)
    },
  })
})
afterEach(() => {
  waits.length = 0
  sandbox.faults.clear()
})
afterAll(() => sandbox.stop())

const KEY = { authorization: 'Bearer sk-sandbox-test' }
const ASK = { model: 'sandbox-image-base64', prompt: 'a boat', size: '32x32' }

function generate(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${sandbox.url}/v1/images/generations`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

type Field = readonly [name: string, value: string | File]

function edit(fields: readonly Field[], headers: Record<string, string> = {}): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return fetch(`${sandbox.url}/v1/images/edits`, {
    method: 'POST',
    headers: { ...KEY, ...headers },
    body: form,
  })
}

async function errorOf(response: Promise<Response>): Promise<unknown> {
  const { status, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    ...((await answer.json()) as { error: object }),
  }))
  return { status, ...rest.error }
}

describe('unsupported parameters are refused by name', () => {
  const classic = { model: 'sandbox-image', prompt: 'a boat' }
  const current = { model: 'sandbox-image-base64', prompt: 'a boat' }

  test.each<[string, object, object]>([
    ['no model', { prompt: 'x' }, { param: 'model', message: "Missing required parameter: 'model'." }],
    ['unknown model', { ...classic, model: 'dall-e-9' }, { status: 404, code: 'model_not_found' }],
    ['model that talks', { ...classic, model: 'sandbox-chat' }, { param: 'model', code: 'invalid_value' }],
    ['no prompt', { model: 'sandbox-image' }, { param: 'prompt' }],
    ['empty prompt', { ...classic, prompt: '' }, { param: 'prompt' }],
    ['long prompt', { ...classic, prompt: 'x'.repeat(4001) }, { param: 'prompt' }],
    [
      'size',
      { ...classic, size: '300x300' },
      { param: 'size', message: expect.stringContaining("'256x256'") },
    ],
    ['auto', { ...classic, size: 'auto' }, { param: 'size' }],
    ['n', { ...classic, n: 11 }, { param: 'n' }],
    ['quality of another', { ...classic, quality: 'high' }, { param: 'quality', code: 'invalid_value' }],
    ['style', { ...classic, style: 'wild' }, { param: 'style' }],
    ['response_format', { ...classic, response_format: 'png' }, { param: 'response_format' }],
    ['background', { ...classic, background: 'auto' }, { param: 'background', code: 'unknown_parameter' }],
    ['response_format', { ...current, response_format: 'url' }, { code: 'unknown_parameter' }],
    ['style', { ...current, style: 'vivid' }, { param: 'style', code: 'unknown_parameter' }],
    ['quality', { ...current, quality: 'hd' }, { param: 'quality', code: 'invalid_value' }],
    ['format', { ...current, output_format: 'webp' }, { param: 'output_format', code: 'invalid_value' }],
    ['stream', { ...classic, stream: true }, { param: 'stream', code: 'unknown_parameter' }],
    ['tiny size', { ...current, size: '8x8' }, { param: 'size' }],
    ['long edge', { ...current, size: '4000x100' }, { param: 'size' }],
    ['large size', { ...current, size: '3840x3840' }, { param: 'size' }],
    ['no size', { ...current, size: 'big' }, { param: 'size' }],
  ])('%s', async (_name, body, error) => {
    const usual = { status: 400, type: 'invalid_request_error', message: expect.any(String) }
    expect(await errorOf(generate(body))).toMatchObject({ ...usual, ...error })
  })

  test('a body that is not JSON', async () => {
    const response = fetch(`${sandbox.url}/v1/images/generations`, {
      method: 'POST',
      headers: KEY,
      body: '{',
    })
    expect(await errorOf(response)).toMatchObject({ status: 400 })
  })
})

describe('forms', () => {
  const WORDS: readonly Field[] = [
    ['model', 'sandbox-image-base64'],
    ['prompt', 'a boat'],
  ]
  const image = toFile(makeSource())
  const fileOf = (bytes: Uint8Array) => new File([Buffer.from(bytes)], 'image.png', { type: 'image/png' })
  const greyMask = makePng({ ...SMALL, colourType: 0, rows: Array(SMALL.height * (SMALL.width + 1)).fill(0) })
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])
  const large = fileOf(
    makePng({ width: 3999, height: 4000, colourType: 0, rows: new Uint8Array(4000 * 4000) }),
  )
  const huge = makePng({ width: 30_000, height: 30_000, colourType: 0, rows: [0] })

  test.each<[string, readonly Field[], object]>([
    ['no image', WORDS, { param: 'image', message: "Missing required parameter: 'image'." }],
    ['image as text', [...WORDS, ['image', 'x']], { param: 'image' }],
    ['empty image', [...WORDS, ['image', fileOf(Buffer.alloc(0))]], { code: 'invalid_image_file' }],
    [
      'truncated image',
      [...WORDS, ['image', fileOf(encodePng(makeSource()).subarray(0, 100))]],
      { param: 'image' },
    ],
    ['JPEG called PNG', [...WORDS, ['image', fileOf(jpeg)]], { code: 'unsupported_image', param: 'image' }],
    [
      'far too many pixels',
      [...WORDS, ['image', fileOf(huge)]],
      { message: expect.stringContaining('30000x30000') },
    ],
    ['too many pixels together', [...WORDS, ...Array<Field>(3).fill(['image[]', large])], { param: 'image' }],
    ['too many images', [...WORDS, ...Array<Field>(17).fill(['image[]', image])], { param: 'image' }],
    [
      'mask of another size',
      [...WORDS, ['image', image], ['mask', toFile(makeMask({ width: 5, height: 5 }))]],
      { param: 'mask' },
    ],
    ['mask without alpha', [...WORDS, ['image', image], ['mask', fileOf(greyMask)]], { param: 'mask' }],
    [
      'two masks',
      [...WORDS, ['image', image], ['mask', toFile(makeMask())], ['mask', toFile(makeMask())]],
      { param: 'mask' },
    ],
    ['two prompts', [...WORDS, ['image', image], ['prompt', 'b']], { param: 'prompt' }],
    [
      'prompt as file',
      [
        ['model', 'sandbox-image'],
        ['image', image],
        ['prompt', image],
      ],
      { param: 'prompt' },
    ],
    ['n', [...WORDS, ['image', image], ['n', 'many']], { param: 'n' }],
    [
      'unknown field',
      [...WORDS, ['image', image], ['style', 'vivid']],
      { param: 'style', code: 'unknown_parameter' },
    ],
  ])('%s', async (_name, fields, error) => {
    expect(await errorOf(edit(fields))).toMatchObject({ status: 400, ...error })
  })

  test('a body that is not a form, and an unreadable form', async () => {
    const post = (body: string, type: string) =>
      fetch(`${sandbox.url}/v1/images/edits`, {
        method: 'POST',
        headers: { ...KEY, 'content-type': type },
        body,
      })
    expect(await errorOf(post('{}', 'application/json'))).toMatchObject({ code: 'unsupported_content_type' })
    const wrongBoundary = post('--a\r\n\r\nx\r\n--a--', 'multipart/form-data; boundary=b')
    expect(await errorOf(wrongBoundary)).toMatchObject({ status: 400 })
    expect(await errorOf(post('x', 'multipart/form-data'))).toMatchObject({ status: 400 })
  })

  test('a prompt of digits stays text', async () => {
    const response = await edit([
      ['model', 'sandbox-image-base64'],
      ['prompt', '42'],
      ['image', image],
    ])
    expect(response.status).toBe(200)
  })

  test('a client that disconnects during an upload does not delay others', async () => {
    const socket = net.connect(sandbox.port, '127.0.0.1')
    const head = [
      'content-type: multipart/form-data; boundary=b',
      'content-length: 1000',
      `authorization: ${KEY.authorization}`,
    ]
    socket.write(`POST /v1/images/edits HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\n--b\r\n`)
    const calls = sandbox.calls.at(-1)?.number ?? 0
    while ((sandbox.calls.at(-1)?.number ?? 0) === calls)
      await new Promise((resolve) => setImmediate(resolve))
    const next = edit([...WORDS, ['image', image]])
    socket.destroy()
    expect((await next).status).toBe(200)
  })

  test('the call log contains text fields, and only the size of files', async () => {
    await edit([...WORDS, ['n', '1'], ['image[]', image], ['image[]', image]])
    const bytes = image.size
    expect(sandbox.calls.at(-1)).toMatchObject({
      method: 'POST',
      path: '/v1/images/edits',
      model: 'sandbox-image-base64',
      body: {
        prompt: ['a boat'],
        n: ['1'],
        'image[]': [
          { name: 'image.png', type: 'image/png', bytes },
          { name: 'image.png', type: 'image/png', bytes },
        ],
      },
      finished: true,
      aborted: false,
    })
  })
})

describe('faults', () => {
  const paths = [
    ['generations', (fault: Fault) => generate(ASK, faultHeader(fault))],
    [
      'edits',
      (fault: Fault) =>
        edit(
          [
            ['model', ASK.model],
            ['prompt', ASK.prompt],
            ['image', toFile(makeSource())],
          ],
          faultHeader(fault),
        ),
    ],
  ] as const

  test.each(paths)('%s: status and latency', async (_name, call) => {
    const limited = await call({ type: 'status', status: 429, retryAfterSeconds: 7 })
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('7')
    expect(await limited.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    expect((await call({ type: 'latency', beforeFirstByteMs: 40 })).status).toBe(200)
    expect(waits).toEqual([40])
  })

  test.each(paths)('%s: refuse, cut, truncated-end and garbage', async (_name, call) => {
    await expect(call({ type: 'refuse' })).rejects.toThrow()
    const cut = await call({ type: 'cut', afterPieces: 1 })
    expect(cut.status).toBe(200)
    await expect(cut.text()).rejects.toThrow()
    const half = await (await call({ type: 'truncated-end' })).text()
    expect(half).toStartWith('{"created":')
    expect(() => JSON.parse(half)).toThrow()
    await expect((await call({ type: 'garbage' })).json()).rejects.toThrow()
  })

  test.each(paths)('%s: missing-usage and split-utf8', async (_name, call) => {
    const without = (await (await call({ type: 'missing-usage' })).json()) as object
    expect(without).toHaveProperty('data')
    expect(without).not.toHaveProperty('usage')
    expect(await (await call({ type: 'split-utf8' })).json()).toHaveProperty('usage')
  })

  test.each(paths)('%s: hang, until the caller leaves', async (_name, call) => {
    sandbox.faults.set({ model: ASK.model, fault: { type: 'hang' }, times: 1 })
    const leaving = new AbortController()
    const hanging = fetch(`${sandbox.url}/v1/images/generations`, {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json' },
      body: JSON.stringify(ASK),
      signal: leaving.signal,
    })
    while (sandbox.faults.list().length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect((await call({ type: 'latency' })).status).toBe(200)
    const aborted = sandbox.nextAbort()
    leaving.abort()
    await expect(hanging).rejects.toThrow()
    expect(await aborted).toMatchObject({ model: ASK.model, path: '/v1/images/generations', finished: false })
  })
})

function faultHeader(fault: Fault): Record<string, string> {
  return { 'x-sandbox-fault': JSON.stringify(fault) }
}

test('unknown image addresses are not found', async () => {
  for (const path of ['guess.png', '', `${'a'.repeat(32)}.png`]) {
    const response = await fetch(`${sandbox.url}/sandbox/pictures/${path}`, { headers: KEY })
    expect(response.status).toBe(404)
  }
})

test('other paths of images are unknown', async () => {
  const response = fetch(`${sandbox.url}/v1/images/variations`, { method: 'POST', headers: KEY })
  expect(await errorOf(response)).toMatchObject({ status: 404, code: 'unknown_url' })
})
