import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { FetchBudget } from './fetch-budget.ts'
import { createImageFetcher, type FetchRules, fetchImage } from './fetch-image.ts'
import { CERTIFICATE, PRIVATE_KEY } from './testing/certificate.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const STAYING = { onLeave: () => () => undefined }

/** What one server was asked for, and what it answers by path. */
interface ImageServer {
  readonly port: number
  readonly hosts: (string | null)[]
  readonly paths: string[]
  stop(): Promise<void>
}

function startServer(answers: Record<string, () => Response>, options?: object): ImageServer {
  const hosts: (string | null)[] = []
  const paths: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    ...options,
    fetch: (request) => {
      const path = request.url.replace(/^https?:\/\/[^/]*/, '')
      hosts.push(request.headers.get('host'))
      paths.push(path)
      return answers[path]?.() ?? new Response('nothing here', { status: 404 })
    },
  })
  return { port: server.port ?? 0, hosts, paths, stop: () => server.stop(true) }
}

const redirectTo = (location: string) => () => new Response(null, { status: 302, headers: { location } })

/** Bytes without end, as fast or slow as they are read. */
function endless(next: () => Uint8Array | Promise<never>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(await next())
    },
  })
  return new Response(body)
}

const never = () => new Promise<never>(() => undefined)

let server: ImageServer
let secure: ImageServer
/** Stands for something private: nothing may ever get here. */
let inside: ImageServer
beforeAll(() => {
  // Only Linux has the whole of 127.0.0.0/8; elsewhere nothing could get here in the first place.
  const hostname = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
  inside = startServer({ '/': () => new Response(PNG) }, { hostname })
  secure = startServer(
    { '/image': () => new Response(PNG) },
    { tls: { cert: CERTIFICATE, key: PRIVATE_KEY } },
  )
  server = startServer({
    '/image': () => new Response(PNG),
    '/mislabelled': () => new Response(PNG, { headers: { 'content-type': 'text/html' } }),
    '/page': () => new Response('<html>', { headers: { 'content-type': 'image/png' } }),
    '/empty': () => new Response(''),
    '/packed': () =>
      new Response(Bun.gzipSync(PNG), {
        headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' },
      }),
    '/large': () => new Response(new Uint8Array(1_001)),
    '/exact': () => new Response(Buffer.concat([PNG, new Uint8Array(1_000 - PNG.length)])),
    '/endless': () => endless(() => new Uint8Array(500)),
    '/slow': () => endless(never),
    '/redirect': redirectTo('/image'),
    '/loop': redirectTo('/loop'),
    '/3': redirectTo('/2'),
    '/2': redirectTo('/1'),
    '/1': redirectTo('/image'),
    '/4': redirectTo('/3'),
    '/nowhere': () => new Response(null, { status: 302 }),
    '/broken': redirectTo('http://['),
    '/to-inside': redirectTo(`http://inside.test:${inside.port}/`),
    '/to-literal': redirectTo(`http://127.0.0.2:${inside.port}/`),
    '/to-file': redirectTo('file:///etc/passwd'),
    '/to-password': redirectTo('http://user:secret@pictures.test/image'),
    '/gone': () => new Response('', { status: 410 }),
  })
})
afterAll(() => Promise.all([server.stop(), secure.stop(), inside.stop()]))

/** Names for this test's own servers; only what they resolve to may be connected to. */
const NAMES: Record<string, readonly string[]> = {
  'pictures.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'inside.test': ['127.0.0.2'],
  'half-inside.test': ['127.0.0.1', '127.0.0.2'],
  'nameless.test': [],
}

const rules = (more: Partial<FetchRules> = {}): FetchRules => ({
  maxBytes: 1_000,
  timeoutMs: 5_000,
  maxRedirects: 3,
  fetches: { perHost: 8, inAll: 64, maxWaiting: 100 },
  bytes: { perHost: 64_000, inAll: 256_000, maxWaiting: 100 },
  isAllowed: (address) => address === '127.0.0.1',
  lookup: async (hostname) => NAMES[hostname] ?? Promise.reject(new Error('no such name')),
  ...more,
})

const get = (url: string, more: Partial<FetchRules> = {}) => createImageFetcher(rules(more))(url, STAYING)
const at = (path: string, host = 'pictures.test') => `http://${host}:${server.port}${path}`

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => new Error('it was not refused'),
    (error: unknown) => error,
  )
  if (!(thrown instanceof GatewayError)) throw thrown
  expect(thrown.code).toBe('invalid_request')
  return thrown.message.replace('An image given by its address cannot be used: ', '')
}

describe('an image', () => {
  test('is returned as Base64, with the type detected from its bytes', async () => {
    const expected = { type: 'base64', mediaType: 'image/png', data: PNG.toString('base64') } as const
    expect(await get(at('/image'))).toEqual(expected)
    expect(await get(at('/mislabelled'))).toEqual(expected)
  })

  test.each([
    ['/page', 'it is not a PNG, JPEG, GIF or WebP image.'],
    ['/empty', 'it is not a PNG, JPEG, GIF or WebP image.'],
    ['/packed', 'it is not a PNG, JPEG, GIF or WebP image.'],
    ['/gone', 'its server answered 410.'],
    ['/nowhere', 'its server answered 302.'],
  ])('at %s is refused', async (path, message) => expect(await refusalOf(get(at(path)))).toBe(message))

  test('may not exceed the size limit', async () => {
    expect((await get(at('/exact'))).mediaType).toBe('image/png')
    const message = 'it is larger than 1000 bytes.'
    expect(await refusalOf(get(at('/large')))).toBe(message)
    expect(await refusalOf(get(at('/endless')))).toBe(message)
  })

  test('that does not arrive in time is refused', async () => {
    expect(await refusalOf(get(at('/slow'), { timeoutMs: 50 }))).toBe('it could not be fetched.')
  })

  test('whose host name is not resolved in time is refused', async () => {
    expect(await refusalOf(get(at('/image'), { timeoutMs: 50, lookup: never }))).toBe(
      'it could not be fetched.',
    )
  })

  test('is aborted when the client disconnects', async () => {
    const leaving = {
      onLeave: (listener: () => void) => {
        setTimeout(listener, 20)
        return () => undefined
      },
    }
    expect(await refusalOf(createImageFetcher(rules())(at('/slow'), leaving))).toBe(
      'it could not be fetched.',
    )
  })
})

describe('redirects', () => {
  test('are followed up to the limit', async () => {
    expect((await get(at('/redirect'))).mediaType).toBe('image/png')
    expect((await get(at('/3'))).mediaType).toBe('image/png')
    expect(await refusalOf(get(at('/4')))).toBe('it redirects too often.')
    expect(await refusalOf(get(at('/loop')))).toBe('it redirects too often.')
  })

  test.each([
    ['/to-inside', 'its address is not public.'],
    ['/to-literal', 'its address is not public.'],
    ['/to-file', 'its address is not http or https.'],
    ['/to-password', 'its address holds a password.'],
    ['/broken', 'it could not be fetched.'],
  ])('%s is not followed', async (path, message) => {
    expect(await refusalOf(get(at(path)))).toBe(message)
    expect(inside.paths).toEqual([])
  })
})

describe('an address', () => {
  test.each([
    ['file:///etc/passwd', 'its address is not http or https.'],
    ['ftp://pictures.test/image', 'its address is not http or https.'],
    ['data:image/png;base64,iVBORw0KGgo=', 'its address is not http or https.'],
    ['gopher://127.0.0.1/', 'its address is not http or https.'],
    ['not an address', 'it could not be fetched.'],
    ['http://', 'it could not be fetched.'],
    ['http://no-such-name.test/', 'it could not be fetched.'],
    ['http://nameless.test/', 'its address is not public.'],
    ['http://user@pictures.test/', 'its address holds a password.'],
    ['http://user:secret@pictures.test/', 'its address holds a password.'],
  ])('%s is refused', async (url, message) => expect(await refusalOf(get(url))).toBe(message))

  test('that resolves to a private address among others is refused', async () => {
    expect(await refusalOf(get(at('/image', 'half-inside.test')))).toBe('its address is not public.')
  })
})

describe('the default address rules', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0x7f.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://192.168.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'https://LOCALHOST/',
  ])('%s is not public', async (url) => {
    expect(await refusalOf(fetchImage(url, STAYING))).toBe('its address is not public.')
  })

  test('a name is checked by the address it resolves to', async () => {
    const lookup = async () => ['93.184.216.34', '10.0.0.7']
    expect(await refusalOf(get('http://innocent.test/', { isAllowed: isPublicAddress, lookup }))).toBe(
      'its address is not public.',
    )
  })
})

describe('the connection', () => {
  test('goes to the checked address, with the requested host name', async () => {
    const asked: string[] = []
    const lookup = async (hostname: string) => {
      asked.push(hostname)
      // A second look would lead inside.
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    server.hosts.length = 0
    await get(at('/image', 'rebinding.test'), { lookup })
    expect(asked).toEqual(['rebinding.test'])
    expect(server.hosts).toEqual([`rebinding.test:${server.port}`])
    expect(inside.paths).toEqual([])
  })

  test('verifies the TLS certificate against the name, not the address', async () => {
    const url = (host: string) => `https://${host}:${secure.port}/image`
    const trusting = { trustedCertificate: CERTIFICATE }
    expect((await get(url('pictures.test'), trusting)).mediaType).toBe('image/png')
    expect(secure.hosts).toEqual([`pictures.test:${secure.port}`])
    expect(await refusalOf(get(url('other.test'), trusting))).toBe('it could not be fetched.')
    expect(await refusalOf(get(url('127.0.0.1'), trusting))).toBe('it could not be fetched.')
    expect(await refusalOf(get(url('pictures.test')))).toBe('it could not be fetched.')
    expect(secure.paths).toEqual(['/image'])
  })
})

/** A server that answers on demand and counts how many requests wait at once. */
function startHolding(body: Uint8Array<ArrayBuffer>) {
  const waiting: (() => void)[] = []
  const notes = { mostWaiting: 0, asked: 0 }
  const holding = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async () => {
      notes.asked += 1
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      notes.mostWaiting = Math.max(notes.mostWaiting, waiting.length)
      await promise
      return new Response(body)
    },
  })
  const answerOne = () => waiting.shift()?.()
  return {
    url: `http://pictures.test:${holding.port}/`,
    notes,
    waiting,
    answerOne,
    stop: () => holding.stop(true),
  }
}

describe('many images', () => {
  test('of one host are fetched a few at a time, under any of its names', async () => {
    const holding = startHolding(PNG)
    const fetchOne = createImageFetcher(rules({ fetches: { perHost: 3, inAll: 64, maxWaiting: 100 } }))
    const other = holding.url.replace('pictures', 'other')
    const urls = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? holding.url : other))
    let isDone = false
    const all = Promise.all(urls.map((url) => fetchOne(url, STAYING))).finally(() => {
      isDone = true
    })
    while (holding.waiting.length < 3) await new Promise(setImmediate)
    while (!isDone) {
      holding.answerOne()
      await new Promise(setImmediate)
    }
    expect(await all).toHaveLength(12)
    expect(holding.notes).toEqual({ mostWaiting: 3, asked: 12 })
    await holding.stop()
  })

  test('have a limit on bytes in flight per host', async () => {
    const body = Buffer.concat([PNG, new Uint8Array(984)])
    const bytes = new FetchBudget({ perHost: 2_500, inAll: 10_000, maxWaiting: 100 })
    const signal = new AbortController().signal
    const first = await bytes.take('a', body.length, signal)
    await bytes.take('a', body.length, signal)
    const third = bytes.take('a', body.length, signal)
    await (await bytes.take('b', 2_500, signal))()
    expect(Bun.peek.status(third)).toBe('pending')
    first()
    await third
    const small = { bytes: { perHost: 2_500, inAll: 2_500, maxWaiting: 100 } }
    const fetchOne = createImageFetcher(rules(small))
    const all = await Promise.all(Array.from({ length: 10 }, () => fetchOne(at('/exact'), STAYING)))
    expect(all).toHaveLength(10)
  })

  test('wait no longer than the request may take, without ending earlier fetches', async () => {
    const holding = startHolding(PNG)
    const fetchOne = createImageFetcher(rules({ fetches: { perHost: 1, inAll: 64, maxWaiting: 100 } }))
    const first = fetchOne(holding.url, STAYING)
    while (holding.waiting.length === 0) await new Promise(setImmediate)
    const hurried = { ...STAYING, remainingMs: () => 40 }
    await expect(fetchOne(holding.url, hurried)).rejects.toMatchObject({ code: 'provider_overloaded' })
    expect(holding.notes.asked).toBe(1)
    holding.answerOne()
    expect((await first).mediaType).toBe('image/png')
    const next = fetchOne(holding.url, STAYING)
    while (holding.waiting.length === 0) await new Promise(setImmediate)
    holding.answerOne()
    await next
    await holding.stop()
  })

  test('are refused when too many are waiting', async () => {
    const holding = startHolding(PNG)
    const fetchOne = createImageFetcher(rules({ fetches: { perHost: 1, inAll: 1, maxWaiting: 1 } }))
    const results = [0, 1, 2].map(() => fetchOne(holding.url, STAYING))
    await expect(Promise.race(results)).rejects.toMatchObject({ code: 'provider_overloaded' })
    await holding.stop()
    await Promise.allSettled(results)
  })
})
