import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenAI } from 'openai'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})
afterAll(() => gateway.stop())

const ask = (content: string) => ({
  model: 'sandbox-chat',
  messages: [{ role: 'user' as const, content }],
})

describe.each(OPENAI_SDKS)('%s', (_name, Sdk, createClient) => {
  const clientWith = (apiKey: string) => createClient({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  /** What the client throws; a call that succeeds is a failure here. */
  const thrownBy = async (call: Promise<unknown>): Promise<InstanceType<typeof Sdk.APIError>> => {
    const thrown = await call.then(
      () => new Error('the call succeeded'),
      (error: unknown) => error,
    )
    if (thrown instanceof Sdk.APIError) return thrown
    throw thrown
  }

  let client: OpenAI
  beforeAll(() => {
    client = clientWith(BOOTSTRAP_KEY)
  })

  test('gets a whole answer with usage and the ids of the gateway', async () => {
    const { data, response, request_id } = await client.chat.completions.create(ask('Hello')).withResponse()
    expect(data.choices[0]?.message.content).toBe('Hello! I am a simulated model. Ask me anything.')
    expect(data.choices[0]?.finish_reason).toBe('stop')
    expect(data.usage?.total_tokens).toBe(
      (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0),
    )
    expect(request_id).toMatch(/^req_/)
    expect(response.headers.get('x-request-id')).toBe(request_id)
  })

  test('streams with a usage chunk when it was asked for', async () => {
    const stream = await client.chat.completions.create({
      ...ask('say: Grüße an alle 😀'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Grüße an alle 😀')
    expect(chunks.at(-1)?.choices).toEqual([])
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(4)
  })

  test('streams without a usage chunk when it was not', async () => {
    const stream = await client.chat.completions.create({ ...ask('ping'), stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('pong')
    expect(chunks.every((chunk) => chunk.choices.length === 1 && !chunk.usage)).toBe(true)
  })

  test('the stream helper ends with the final message', async () => {
    const message = await client.chat.completions.stream(ask('count to 40')).finalMessage()
    expect(message.content).toEndWith('38 39 40')
  })

  test('the tool runner calls the tool and answers from its result', async () => {
    const asked: unknown[] = []
    const runner = client.chat.completions.runTools({
      model: 'sandbox-tools',
      messages: [{ role: 'user', content: 'weather in Paris' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Current weather.',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
            },
            parse: (text: string): object => JSON.parse(text),
            function: (input: object) => {
              asked.push(input)
              return 'sunny, 21 degrees'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe('get_weather returned: sunny, 21 degrees')
    expect(asked).toEqual([{ city: expect.any(String) }])
  })

  test('shows an image by data URL', async () => {
    const completion = await client.chat.completions.create({
      model: 'sandbox-chat',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this' },
            { type: 'image_url', image_url: { url: PIXEL } },
          ],
        },
      ],
    })
    expect(completion.choices[0]?.message.content).toContain('I see 1 image: image/png of 70 bytes.')
  })

  test('lists and retrieves models', async () => {
    const models = await Array.fromAsync(client.models.list())
    expect(models.map(({ id }) => id)).toContain('sandbox-chat')
    expect(await client.models.retrieve('sandbox-chat')).toMatchObject({
      object: 'model',
      owned_by: 'turnpike',
    })
    const missing = await thrownBy(client.models.retrieve('no-such-model'))
    expect(missing).toBeInstanceOf(Sdk.NotFoundError)
    expect(missing.code).toBe('model_not_found')
  })

  test('AuthenticationError for a missing, an unknown and an expired key', async () => {
    const expiresAt = new Date(clock.nowMs() + 60_000).toISOString()
    const { secret } = await createLoneKey(gateway, { expires_at: expiresAt })
    clock.advance(60_000)
    const keyless = thrownBy(
      client.chat.completions.create(ask('ping'), { headers: { authorization: null } }),
    )
    for (const [code, thrown] of [
      ['auth_required', await keyless],
      ['auth_invalid', await thrownBy(clientWith('sk-unknown').chat.completions.create(ask('ping')))],
      ['auth_expired', await thrownBy(clientWith(secret).chat.completions.create(ask('ping')))],
    ] as const) {
      expect(thrown).toBeInstanceOf(Sdk.AuthenticationError)
      expect(thrown).toMatchObject({ status: 401, code, type: code })
    }
  })

  test('PermissionDeniedError when the account has neither balance nor credit', async () => {
    const { secret } = await createKey(gateway, await openAccount(gateway, '0'))
    const thrown = await thrownBy(clientWith(secret).chat.completions.create(ask('ping')))
    expect(thrown).toBeInstanceOf(Sdk.PermissionDeniedError)
    expect(thrown.code).toBe('spending_limit_exceeded')
  })

  test('NotFoundError for an unknown model', async () => {
    const thrown = await thrownBy(client.chat.completions.create({ ...ask('ping'), model: 'gpt-none' }))
    expect(thrown).toBeInstanceOf(Sdk.NotFoundError)
    expect(thrown).toMatchObject({ code: 'model_not_found', param: 'model' })
  })

  test('BadRequestError names the field at fault', async () => {
    const thrown = await thrownBy(client.chat.completions.create({ ...ask('ping'), temperature: 3 }))
    expect(thrown).toBeInstanceOf(Sdk.BadRequestError)
    expect(thrown).toMatchObject({ code: 'invalid_request', param: 'temperature' })
  })

  test('RateLimitError with its code and Retry-After', async () => {
    const { secret } = await createLoneKey(gateway, { rpm: 1 })
    await clientWith(secret).chat.completions.create(ask('ping'))
    const thrown = await thrownBy(clientWith(secret).chat.completions.create(ask('ping')))
    expect(thrown).toBeInstanceOf(Sdk.RateLimitError)
    expect(thrown.code).toBe('rate_limit_exceeded')
    expect(thrown.headers?.get('retry-after')).toBe('60')
  })
})
