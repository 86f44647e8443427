import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createWebhookSender, type SendRules, webhookRules } from './send-webhook.ts'

let answer: (request: Request) => Response | Promise<Response> = () => new Response('ok')
const requests: { path: string; body: string; headers: Headers }[] = []
let server: Bun.Server<undefined>
beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      requests.push({
        path: new URL(request.url).pathname,
        body: await request.text(),
        headers: request.headers,
      })
      return answer(request)
    },
  })
})
afterAll(() => server.stop(true))

const LOCAL: SendRules = {
  timeoutMs: 2_000,
  isAllowed: (address) => address === '127.0.0.1',
  lookup: async (hostname) => (hostname === 'mixed.test' ? ['127.0.0.1', '10.0.0.1'] : ['127.0.0.1']),
}

function send(url: string, rules = LOCAL, signal = new AbortController().signal) {
  return createWebhookSender(rules)({ url, body: '{"id":"alt_1"}', signature: 't=1,v1=ab', signal })
}
const at = (path: string, host = '127.0.0.1') => `http://${host}:${server.port}${path}`

describe('a webhook', () => {
  test('gets the body and the signature at its resolved address', async () => {
    answer = () => new Response(null, { status: 204 })
    expect(await send(at('/hook?x=1', 'hooks.test'))).toBeNull()
    const call = requests.at(-1)
    expect([call?.path, call?.body]).toEqual(['/hook', '{"id":"alt_1"}'])
    expect(call?.headers.get('host')).toBe(`hooks.test:${server.port}`)
    expect(call?.headers.get('turnpike-signature')).toBe('t=1,v1=ab')
    expect(call?.headers.get('content-type')).toBe('application/json')
  })

  test.each([400, 401, 410, 429, 500, 503])('that answers %d counts as failed', async (status) => {
    answer = () => new Response('a long story', { status })
    expect(await send(at('/'))).toBe(`The receiver answered ${status}.`)
  })

  test('that redirects is not followed', async () => {
    answer = () => Response.redirect(at('/elsewhere'), 307)
    const before = requests.length
    expect(await send(at('/'))).toBe('The receiver answered 307; redirects are not followed.')
    expect(requests.slice(before).map(({ path }) => path)).toEqual(['/'])
  })

  test('that does not answer times out', async () => {
    const silence = Promise.withResolvers<Response>()
    answer = () => silence.promise
    expect(await send(at('/'), { ...LOCAL, timeoutMs: 50 })).toBe('There was no answer within 0.05 seconds.')
    silence.resolve(new Response())
  })

  test('that is aborted ends at once', async () => {
    const silence = Promise.withResolvers<Response>()
    const stopping = new AbortController()
    answer = () => {
      stopping.abort()
      return silence.promise
    }
    expect(await send(at('/'), LOCAL, stopping.signal)).toBe('The receiver could not be reached.')
    silence.resolve(new Response())
  })

  test('without a server fails', async () => {
    const free = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    await free.stop(true)
    expect(await send(`http://127.0.0.1:${free.port}/`)).toBe('The receiver could not be reached.')
  })

  test('whose name is not resolved in time fails', async () => {
    const rules = { ...LOCAL, timeoutMs: 20, lookup: () => new Promise<never>(() => undefined) }
    expect(await send('http://slow.test/', rules)).toBe('There was no answer within 0.02 seconds.')
  })

  test.each(['http://mixed.test/', 'http://10.0.0.1/', 'http://[::1]/'])(
    'at %s, an address that is not allowed, is not called',
    async (url) => {
      expect(await send(url)).toBe('The address of the receiver is not public.')
    },
  )
})

test('only public addresses are allowed unless the setting says otherwise', () => {
  const addresses = ['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254', '93.184.216.34']
  const allowed = (allowsPrivate: boolean) => addresses.filter(webhookRules({ allowsPrivate }).isAllowed)
  expect(allowed(false)).toEqual(['93.184.216.34'])
  expect(allowed(true)).toEqual(addresses)
})
