import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { UploadedForm, UploadRules } from '../../serve/ports/uploads.ts'
import { wavFile } from '../../wire/audio/testing/audio-files.ts'
import { GIF, JPEG, makePng, WEBP_LOSSLESS_ALPHA } from '../../wire/images/testing/samples.ts'
import { createFormReader } from './read-form.ts'
import { UploadFolder } from './upload-folder.ts'

const RULES: UploadRules = {
  maxFiles: 3,
  maxBytesPerFile: 500_000,
  content: { type: 'image', maxPixels: 50_000_000 },
  maxFields: 4,
  maxFieldBytes: 100,
  fileFields: ['image', 'mask'],
}
const MAX_BYTES = 1_000_000
const BOUNDARY = 'limit-of-parts'

const SMALL = makePng({ width: 4, height: 2 })
/** Too large for memory, so it goes to disk; random so that a wrong order of pieces shows. */
const LARGE = makePng({ width: 40, height: 20, pixels: crypto.getRandomValues(new Uint8Array(90_000)) })
const LARGER = makePng({ width: 41, height: 20, pixels: new Uint8Array(300_000).fill(7) })

let path: string
let folder: UploadFolder
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'turnpike-uploads-'))
  folder = UploadFolder.open(path, 10 * MAX_BYTES)
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

const left = () => readdirSync(path)

interface Part {
  readonly head: string
  readonly content: Uint8Array | string
}

function file(name: string, content: Uint8Array | string, fileName = 'image.png'): Part {
  return {
    head: `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: image/png`,
    content,
  }
}

function field(name: string, content: string): Part {
  return { head: `Content-Disposition: form-data; name="${name}"`, content }
}

function bodyOf(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ head, content }) => [`--${BOUNDARY}\r\n${head}\r\n\r\n`, content, '\r\n'])
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece as string)))
}

function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

function* cut(body: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield new Uint8Array(body.subarray(at, at + size))
}

interface Sending {
  readonly contentType?: string | null
  readonly headers?: Record<string, string>
  readonly chunkBytes?: number
  readonly hold?: (bytes: number) => void
  readonly rules?: UploadRules
}

function send(
  body: Uint8Array,
  { contentType, headers, chunkBytes = 16_384, hold = () => undefined, rules = RULES }: Sending = {},
): Promise<UploadedForm> {
  const readForm = createFormReader({ folder, maxBytes: MAX_BYTES, timeoutMs: 5_000 })
  const type = contentType === undefined ? `multipart/form-data; boundary=${BOUNDARY}` : contentType
  const incoming = {
    headers: new Headers({ ...(type !== null && { 'content-type': type }), ...headers }),
    body: streamOf(cut(body, chunkBytes)),
    onLeave: () => () => undefined,
    hold,
    // Whoever still uses a chunk that was released gets something else.
    release: (chunk: Uint8Array) => void chunk.fill(0xee),
  }
  return readForm(incoming, rules)
}

async function refusalOf(form: Promise<UploadedForm>): Promise<GatewayError> {
  const refusal = await form.then(
    () => null,
    (error) => error as unknown,
  )
  if (!(refusal instanceof GatewayError)) throw new Error(`no refusal: ${refusal}`)
  expect(left()).toEqual([])
  return refusal
}

describe('a form with audio', () => {
  const rules: UploadRules = { ...RULES, content: { type: 'audio' }, maxFiles: 1, fileFields: ['file'] }
  const audio = (content: Uint8Array) => bodyOf([field('model', 'm'), file('file', content, 'talk.wav')])

  test.each([1_000, 16_384, 1_000_000])('has its length, in chunks of %i bytes', async (chunkBytes) => {
    const recording = wavFile(20_000)
    const form = await send(audio(recording), { rules, chunkBytes })
    const [{ content, ...facts } = { content: new Blob() }] = form.audio
    expect(facts).toEqual({
      field: 'file',
      fileName: 'talk.wav',
      bytes: recording.length,
      container: 'wav',
      durationMs: 20_000,
      bytesPerSecond: 16_000,
    })
    expect(await content.bytes()).toEqual(recording)
    expect(form.images).toEqual([])
    await form.dispose()
    expect(left()).toEqual([])
  })

  test('may hold anything but nothing', async () => {
    const form = await send(audio(new TextEncoder().encode('not audio')), { rules })
    expect(form.audio).toMatchObject([{ container: null, durationMs: null }])
    await form.dispose()
    expect((await refusalOf(send(audio(new Uint8Array(0)), { rules }))).message).toContain('empty')
    const two = bodyOf([file('file', SMALL), file('file', SMALL)])
    expect((await refusalOf(send(two, { rules }))).message).toContain('more than 1 file')
  })
})

describe('a form', () => {
  test('returns fields in order, and images with facts from their content', async () => {
    const parts = [
      field('prompt', 'a cat, größer'),
      file('image[]', LARGE, 'one.png'),
      field('n', '1'),
      file('image[]', JPEG, 'not-a.png'),
      field('n', '2'),
      { head: 'content-disposition:form-data;name=mask', content: WEBP_LOSSLESS_ALPHA },
    ]
    const form = await send(bodyOf(parts))
    expect(form.fields).toEqual([
      ['prompt', 'a cat, größer'],
      ['n', '1'],
      ['n', '2'],
    ])
    expect(form.images.map(({ content, ...rest }) => rest)).toEqual([
      {
        field: 'image',
        fileName: 'one.png',
        mediaType: 'image/png',
        bytes: LARGE.length,
        width: 40,
        height: 20,
        hasAlpha: true,
      },
      {
        field: 'image',
        fileName: 'not-a.png',
        mediaType: 'image/jpeg',
        bytes: JPEG.length,
        width: 11,
        height: 6,
        hasAlpha: false,
      },
      {
        field: 'mask',
        fileName: null,
        mediaType: 'image/webp',
        bytes: WEBP_LOSSLESS_ALPHA.length,
        width: 11,
        height: 6,
        hasAlpha: true,
      },
    ])
    const contents = await Promise.all(form.images.map(({ content }) => content.bytes()))
    expect(contents).toEqual([LARGE, JPEG, WEBP_LOSSLESS_ALPHA])
    expect(form.images[0]?.content.type).toBe('image/png')
    await form.dispose()
  })

  test('keeps only large images on disk, privately, until it is disposed of', async () => {
    const form = await send(bodyOf([file('image', SMALL), file('image', LARGE), file('image', LARGER)]))
    expect(left()).toHaveLength(2)
    for (const name of left()) expect(statSync(join(path, name)).mode & 0o777).toBe(0o600)
    await form.dispose()
    await form.dispose()
    expect(left()).toEqual([])
  })

  test('reads the same in pieces of any size', async () => {
    const tricky = makePng({
      width: 3,
      height: 3,
      pixels: Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n--\r\n-`),
    })
    const body = bodyOf([field('prompt', '\r\n'), file('image', tricky), field('empty', '')])
    const sizes = fc.integer({ min: 1, max: body.length })
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkBytes) => {
        const form = await send(body, { chunkBytes })
        expect(form.fields).toEqual([
          ['prompt', '\r\n'],
          ['empty', ''],
        ])
        expect(await form.images[0]?.content.bytes()).toEqual(tricky)
      }),
      { examples: [[1], [2], [3]] },
    )
  })

  test('with large images reads the same in pieces of any size', async () => {
    const body = bodyOf([
      file('image', LARGER),
      file('image', LARGE),
      field('prompt', 'x'),
      file('mask', LARGE),
    ])
    const sizes = fc.integer({ min: 500, max: body.length })
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkBytes) => {
        const form = await send(body, { chunkBytes })
        const contents = await Promise.all(form.images.map(({ content }) => content.bytes()))
        expect(contents).toEqual([LARGER, LARGE, LARGE])
        await form.dispose()
      }),
      { numRuns: 30, examples: [[body.length], [65_536], [64 * 1024 + 1]] },
    )
  })

  test('from the encoder of this runtime is read, and so is an empty form', async () => {
    const written = new FormData()
    written.append('prompt', 'x')
    written.append('image', new File([new Uint8Array(SMALL)], 'ä "b".png'))
    const { headers, body } = new Response(written)
    const readForm = createFormReader({ folder, maxBytes: MAX_BYTES, timeoutMs: 5_000 })
    const form = await readForm({ headers, body, onLeave: () => () => undefined }, RULES)
    expect(form).toMatchObject({ fields: [['prompt', 'x']], images: [{ field: 'image', width: 4 }] })
    expect(await send(bodyOf([]))).toMatchObject({ fields: [], images: [] })
  })

  test('may have a quoted boundary, a preamble and an epilogue', async () => {
    const body = Buffer.concat([Buffer.from('before\r\n'), bodyOf([field('a', 'b')]), Buffer.from('after')])
    const contentType = `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`
    expect((await send(body, { contentType })).fields).toEqual([['a', 'b']])
  })
})

const PIXELS_OF_A_BOMB = makePng({ width: 30_000, height: 30_000, pixels: new Uint8Array(100_000) })

describe('a form is refused', () => {
  test.each([
    ['an empty file', [file('image', '')], 'invalid_request', 'image', 'A file in "image" is empty.'],
    [
      'text under the name of an image',
      [file('image', 'not an image')],
      'invalid_request',
      'image',
      'is not a PNG, JPEG or WebP image',
    ],
    ['a GIF', [file('image[]', GIF)], 'invalid_request', 'image', 'is not a PNG, JPEG or WebP image'],
    [
      'text where an image goes',
      [field('image', 'https://x.test/a.png')],
      'invalid_request',
      'image',
      'is not a PNG',
    ],
    [
      'half an image',
      [file('mask', LARGE.subarray(0, 40_000))],
      'invalid_request',
      'mask',
      'ends before it is complete',
    ],
    [
      '30,000 × 30,000 pixels',
      [file('image', PIXELS_OF_A_BOMB)],
      'invalid_request',
      'image',
      '30000 × 30000 pixels; the maximum is 50000000',
    ],
    [
      'an image over the limit',
      [file('image', makePng({ width: 1, height: 1, pixels: new Uint8Array(500_001) }))],
      'request_too_large',
      'image',
      'larger than 500000 bytes',
    ],
    ['too many images', Array(4).fill(file('image', LARGE)), 'invalid_request', 'image', 'more than 3 files'],
    ['too many fields', Array(5).fill(field('n', '1')), 'invalid_request', null, 'more than 4 text fields'],
    [
      'a field over the limit',
      [field('prompt', 'x'.repeat(101))],
      'request_too_large',
      'prompt',
      '"prompt" is larger than 100 bytes',
    ],
    [
      'a file in another field',
      [file('video', SMALL)],
      'invalid_request',
      'video',
      'does not accept files. Send files in image or mask.',
    ],
    [
      'a part without a name',
      [field('a', 'b'), { head: 'Content-Disposition: form-data', content: 'x' }],
      'invalid_request',
      null,
      'Part 2 of the form has no valid name',
    ],
    [
      'a part without a disposition',
      [{ head: 'Content-Type: text/plain', content: 'x' }],
      'invalid_request',
      null,
      'Part 1',
    ],
    [
      'a part with an endless head',
      [{ head: `X-Long: ${'x'.repeat(100_000)}\r\nContent-Disposition: form-data; name="a"`, content: 'x' }],
      'invalid_request',
      null,
      'Part 1',
    ],
  ] as [string, Part[], string, string | null, string][])(
    'for %s',
    async (...[, parts, code, param, message]) => {
      const refusal = await refusalOf(send(bodyOf(parts)))
      expect(refusal).toMatchObject({ code, param })
      expect(refusal.message).toContain(message)
    },
  )

  test('for an invalid part after a valid one, which is deleted', async () => {
    const refusal = await refusalOf(
      send(bodyOf([file('image', LARGER), file('mask', LARGE.subarray(0, -5))])),
    )
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'mask' })
  })

  test('for a field that is not text', async () => {
    const refusal = await refusalOf(
      send(bodyOf([{ ...field('prompt', ''), content: new Uint8Array([0xff, 0xfe]) }])),
    )
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'prompt' })
  })

  test('for being cut off anywhere', async () => {
    const body = bodyOf([field('prompt', 'x'), file('image', LARGE), field('n', '1')])
    const ends = [1, 30, 60, 100, 200, 10_000, 60_000, body.length - 40, body.length - 20, body.length - 5]
    for (const end of ends) {
      const refusal = await refusalOf(send(body.subarray(0, end)))
      expect(refusal).toMatchObject({ code: 'invalid_request' })
      expect(refusal.message).toMatch(/ended before the form was complete|does not contain the boundary/)
    }
  })

  test('for a boundary that the body does not have', async () => {
    for (const body of [bodyOf([file('image', LARGE)]), Buffer.from('')]) {
      const refusal = await refusalOf(send(body, { contentType: 'multipart/form-data; boundary=other' }))
      expect(refusal).toMatchObject({ code: 'invalid_request' })
      expect(refusal.message).toContain('does not contain the boundary')
    }
  })

  test.each([
    ['multipart/form-data', 'invalid_request', 'has no boundary'],
    ['multipart/form-data; boundary=""', 'invalid_request', 'has no boundary'],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'invalid_request', 'has no boundary'],
    ['multipart/mixed; boundary=x', 'unsupported_media_type', 'send multipart/form-data'],
    ['application/json', 'unsupported_media_type', 'The content type is "application/json"'],
    [null, 'unsupported_media_type', 'The content type is not given'],
  ] as const)('for the content type %p', async (contentType, code, message) => {
    const refusal = await refusalOf(send(bodyOf([field('a', 'b')]), { contentType }))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toContain(message)
  })

  test('for being compressed', async () => {
    const refusal = await refusalOf(send(bodyOf([]), { headers: { 'content-encoding': 'gzip' } }))
    expect(refusal).toMatchObject({ code: 'unsupported_media_type' })
  })

  test('for its size, announced or counted', async () => {
    const message = 'The body is larger than 1000000 bytes.'
    const said = await refusalOf(send(bodyOf([]), { headers: { 'content-length': '104857600' } }))
    expect(said).toMatchObject({ code: 'request_too_large', message })
    const counted = await refusalOf(
      send(Buffer.concat([bodyOf([file('image', LARGER)]), Buffer.alloc(MAX_BYTES)])),
    )
    expect(counted).toMatchObject({ code: 'request_too_large', message })
  })
})

describe('temporary storage', () => {
  test('is created if missing, and cleared of leftovers at start', () => {
    mkdirSync(join(path, 'deep'))
    writeFileSync(join(path, 'deep', 'left'), 'x')
    UploadFolder.open(path, 1)
    expect(left()).toEqual([])
    const missing = join(path, 'one', 'two')
    UploadFolder.open(missing, 1)
    expect(readdirSync(missing)).toEqual([])
  })

  test('is limited in total size, and freed afterwards', async () => {
    folder = UploadFolder.open(path, LARGER.length + LARGE.length)
    const first = await send(bodyOf([file('image', LARGER)]))
    const second = send(bodyOf([file('image', LARGE), file('image', SMALL)]))
    const refusal = await second.then(
      () => null,
      (error) => error as GatewayError,
    )
    expect(refusal).toMatchObject({ code: 'provider_overloaded', headers: { 'retry-after': '1' } })
    expect(left()).toHaveLength(1)
    await first.dispose()
    const third = await send(bodyOf([file('image', LARGER), file('image', LARGE)]))
    expect(third.images).toHaveLength(2)
    await third.dispose()
  })
})

/** A body that begins and does not go on. */
function stalled(): ReadableStream<Uint8Array> {
  const beginning = bodyOf([file('image', LARGER)]).subarray(0, 200_000)
  return new ReadableStream({ start: (controller) => controller.enqueue(beginning) })
}

const headers = new Headers({ 'content-type': `multipart/form-data; boundary=${BOUNDARY}` })

describe('reading a form ends', () => {
  test('when it does not arrive in time', async () => {
    const readForm = createFormReader({ folder, maxBytes: MAX_BYTES, timeoutMs: 30 })
    const refusal = await refusalOf(
      readForm({ headers, body: stalled(), onLeave: () => () => undefined }, RULES),
    )
    expect(refusal).toMatchObject({ code: 'invalid_request', headers: { connection: 'close' } })
    expect(refusal.message).toBe('The body did not arrive within 0.03 seconds.')
  })

  test('when the client disconnects', async () => {
    const readForm = createFormReader({ folder, maxBytes: MAX_BYTES, timeoutMs: 5_000 })
    const { promise: listening, resolve } = Promise.withResolvers<() => void>()
    const onLeave = (listener: () => void) => {
      resolve(listener)
      return () => undefined
    }
    const form = readForm({ headers, body: stalled(), onLeave }, RULES)
    const leave = await listening
    leave()
    expect(await refusalOf(form)).toMatchObject({ code: 'invalid_request' })
  })

  test('when the connection breaks', async () => {
    const beginning = bodyOf([file('image', LARGER)]).subarray(0, 200_000)
    const broken = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(beginning),
        pull: () => Promise.reject(new Error('reset')),
      },
      { highWaterMark: 0 },
    )
    const readForm = createFormReader({ folder, maxBytes: MAX_BYTES, timeoutMs: 5_000 })
    const form = readForm({ headers, body: broken, onLeave: () => () => undefined }, RULES)
    expect((await refusalOf(form)).message).toBe('The body ended before the form was complete.')
  })
})

describe('the memory of a form', () => {
  const body = bodyOf([field('prompt', 'x'.repeat(100)), file('image', SMALL), file('image', LARGER)])

  test('is counted for fields and small files, and only for the beginning of large files', async () => {
    let heldBytes = 0
    const hold = (bytes: number) => {
      heldBytes += bytes
    }
    const form = await send(body, { hold })
    expect(heldBytes).toBeGreaterThanOrEqual(100 + SMALL.length)
    expect(heldBytes).toBeLessThanOrEqual(100 + SMALL.length + 64 * 1024)
    await form.dispose()
    expect(left()).toEqual([])
  })

  test('is refused when there is none left, and the form leaves no files', async () => {
    const full = new GatewayError('temporarily_unavailable', 'There is no room.')
    const hold = () => {
      throw full
    }
    expect(await refusalOf(send(body, { hold }))).toBe(full)
  })
})
