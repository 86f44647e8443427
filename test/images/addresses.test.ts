import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createLoneKey } from '../support/accounts.ts'
import { refusalOf } from '../support/chat.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addImageModel, bytesOf, generate, type Images, PHOTO } from './image-requests.ts'

let gateway: TestGateway
let answer: (origin: string) => unknown = () => ({})
let fetched = 0

const supplier = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => {
    const { pathname, origin } = new URL(request.url)
    if (pathname === '/away') return Response.redirect(`${origin}/image.png`)
    if (pathname !== '/image.png') return Response.json(answer(origin))
    expect(request.headers.get('authorization')).toBeNull()
    return new Response(PHOTO)
  },
})
/** Not the supplier's, and not public. */
const neighbour = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    fetched++
    return new Response(PHOTO)
  },
})

beforeAll(async () => {
  gateway = await startTestGateway()
  await gateway.operator('PUT', '/suppliers/own', {
    type: 'openai-compatible',
    base_url: `http://127.0.0.1:${supplier.port}/v1`,
    formats: ['images'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/own/credentials', { secret: 'sk-of-a-test' })
  for (const id of ['near', 'far', 'moved', 'text']) await addImageModel(gateway, id, { suppliers: ['own'] })
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop(true)
  await neighbour.stop(true)
})

test.each(['url', 'b64_json'])(
  "an image at the supplier's own address is fetched, for %s",
  async (wanted) => {
    answer = (origin) => ({ data: [{ url: `${origin}/image.png` }] })
    const { secret } = await createLoneKey(gateway)
    const response = await generate(gateway, { model: 'near', response_format: wanted }, { key: secret })
    const text = await response.text()
    expect(text).not.toContain(String(supplier.port))
    const [image] = (JSON.parse(text) as Images).data
    expect(Buffer.from(await bytesOf(image ?? {})).equals(PHOTO)).toBe(true)
  },
)

const WRONG: readonly (readonly [what: string, model: string, url: (origin: string) => string])[] = [
  ['at a private address of another host', 'far', () => `http://127.0.0.1:${neighbour.port}/image.png`],
  ['behind a redirect', 'moved', (origin) => `${origin}/away`],
  ['that is not an image', 'text', (origin) => `${origin}/v1/nothing`],
]
test.each(WRONG)('an image %s is not fetched and costs nothing', async (_what, model, url) => {
  answer = (origin) => ({ data: [{ url: url(origin) }] })
  const key = await createLoneKey(gateway)
  expect(await refusalOf(await generate(gateway, { model }, { key: key.secret }))).toEqual([
    502,
    'provider_error',
  ])
  expect(fetched).toBe(0)
  expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ outcome: 'supplier_failed', amount: '0' })
})
