import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bedrock } from '../../src/suppliers/bedrock/index.ts'
import type { CallQuery } from '../../src/suppliers/supplier-type.ts'
import { BEDROCK_API_KEY, BEDROCK_KEYS, BEDROCK_REGION, type Clouds, startClouds } from './support/clouds.ts'
import { readEventData } from './support/sandbox-behind.ts'

let clouds: Clouds

beforeAll(async () => {
  clouds = await startClouds()
})
afterAll(() => clouds.stop())

const SAY_PONG = { max_tokens: 50, messages: [{ role: 'user', content: 'say: pong ünd 👋' }] }

async function call(fields: Partial<CallQuery>, changed: Partial<RequestInit> = {}): Promise<Response> {
  const query: CallQuery = {
    format: 'messages',
    baseUrl: clouds.bedrock.url,
    secret: BEDROCK_KEYS,
    options: { region: BEDROCK_REGION },
    upstreamModel: 'sandbox-chat',
    stream: false,
    body: JSON.stringify({ model: 'm', ...SAY_PONG }),
    clientHeaders: null,
    ...fields,
  }
  const { url, headers, body = query.body, readResponse } = await bedrock.target(query, clouds.newTools())
  const response = await fetch(url, { method: 'POST', headers, body, ...changed })
  return (await readResponse?.(response)) ?? response
}

describe('a signature recomputed from what came over the wire', () => {
  test('equals the sent one for any model name', async () => {
    for (const upstreamModel of [
      'sandbox-chat',
      'eu.anthropic.sandbox-chat-v1:0',
      'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/sandbox-chat',
      "sandbox-chat (it's *new*)!",
      'sandbox-chat ünï',
    ]) {
      for (const stream of [false, true]) {
        const response = await call({ upstreamModel, stream })
        expect([upstreamModel, stream, response.status]).toEqual([upstreamModel, stream, 200])
        await response.text()
      }
    }
  })

  test('covers the body', async () => {
    const response = await call({}, { body: '{"anthropic_version":"bedrock-2023-05-31"}' })
    expect(response.status).toBe(403)
  })

  test('is valid for five minutes', async () => {
    const query = { secret: BEDROCK_KEYS, options: { region: BEDROCK_REGION }, baseUrl: clouds.bedrock.url }
    const sent = await bedrock.target(
      {
        ...query,
        format: 'messages',
        upstreamModel: 'sandbox-chat',
        stream: false,
        body: JSON.stringify(SAY_PONG),
        clientHeaders: null,
      },
      clouds.newTools(),
    )
    const replay = () =>
      fetch(sent.url, { method: 'POST', headers: sent.headers, body: sent.body ?? '' }).then(
        ({ status }) => status,
      )
    expect(await replay()).toBe(200)
    clouds.clock.advance(301_000)
    expect(await replay()).toBe(403)
    expect((await call({})).status).toBe(200)
  })

  test('differs for other keys, another session and another region', async () => {
    const [id, key, token] = BEDROCK_KEYS.split(':')
    for (const secret of [
      `${id}:other:${token}`,
      `OTHERTESTTESTTEST:${key}:${token}`,
      `${id}:${key}`,
      'wrong-api-key',
    ])
      expect([secret, (await call({ secret })).status]).toEqual([secret, 403])
    expect((await call({ options: { region: 'us-east-1' } })).status).toBe(403)
  })

  test('is not needed with an API key', async () => {
    expect((await call({ secret: BEDROCK_API_KEY, options: {} })).status).toBe(200)
    const chat = {
      format: 'chat-completion',
      body: JSON.stringify({ model: 'sandbox-chat', messages: SAY_PONG.messages }),
    } as const
    for (const secret of [BEDROCK_API_KEY, BEDROCK_KEYS]) {
      const reply = (await (await call({ secret, ...chat })).json()) as { choices: { message: unknown }[] }
      expect(reply.choices[0]?.message).toMatchObject({ content: 'pong ünd 👋' })
    }
  })

  test('that is refused is reported without secrets', async () => {
    const [id, , token = ''] = BEDROCK_KEYS.split(':')
    const response = await call({ secret: `${id}:other:${token}` })
    const text = await response.text()
    expect(text).toContain('The Canonical String should have been')
    for (const piece of [id ?? '', token]) expect(text).not.toContain(piece)
  })
})

test('a streamed answer equals the whole one', async () => {
  const whole = (await (await call({})).json()) as { content: { text: string }[] }
  const response = await call({ stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = (await readEventData(response)).map((data) => JSON.parse(data))
  const text = events.flatMap(({ delta }) => delta?.text ?? []).join('')
  expect(text).toBe('pong ünd 👋')
  expect(whole.content[0]?.text).toBe(text)
  expect(events.map(({ type }) => type)).toContain('message_start')
  expect(events.at(-1)?.type).toBe('message_stop')
})
