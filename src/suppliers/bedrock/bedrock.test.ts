import { describe, expect, test } from 'bun:test'
import { AccessTokens } from '../access-tokens.ts'
import type { CallQuery, CallTarget } from '../supplier-type.ts'
import { bedrock } from './index.ts'

const clock = { nowMs: () => Date.parse('2026-06-10T12:00:00Z') }
const TOOLS = {
  clock,
  tokens: new AccessTokens(clock),
  sandboxUrl: null,
  call: () => Promise.reject(new Error('not needed')),
}
const KEYS = 'AKIDEXAMPLE000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

async function target(fields: Partial<CallQuery>): Promise<CallTarget> {
  const query: CallQuery = {
    format: 'messages',
    baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
    secret: 'bedrock-key',
    options: {},
    upstreamModel: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    stream: false,
    body: '{"model":"x","stream":false,"max_tokens":10,"messages":[]}',
    clientHeaders: null,
    ...fields,
  }
  return await bedrock.target(query, TOOLS)
}

describe('a call to Bedrock', () => {
  const MODEL_PATH =
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0'

  test('names model and kind of answer in the address and nowhere else', async () => {
    const whole = await target({})
    expect(whole.url).toBe(`${MODEL_PATH}/invoke`)
    expect(whole.body).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":10,"messages":[]}')
    const streamed = await target({ stream: true, body: '{"stream":true,"max_tokens":1,"model":"x"}' })
    expect(streamed.url).toBe(`${MODEL_PATH}/invoke-with-response-stream`)
    expect(streamed.body).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1}')
  })

  test('may name an inference profile by its ARN', async () => {
    const upstreamModel = 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.x-v1:0'
    expect((await target({ upstreamModel })).url).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.x-v1%3A0/invoke',
    )
  })

  test('carries the betas it is asked for, in the body', async () => {
    expect(JSON.parse((await target({ betas: ['context-management-2025-06-27'] })).body ?? '')).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-management-2025-06-27'],
      max_tokens: 10,
      messages: [],
    })
    expect((await target({})).body).not.toContain('anthropic_beta')
  })

  test('knows which betas it takes', () => {
    expect(bedrock.takesBeta?.('effort-2025-11-24', {})).toBe(true)
    expect(bedrock.takesBeta?.('context-1m-2025-08-07', {})).toBe(false)
    expect(bedrock.takesBeta?.('context-1m-2025-08-07', { betas: 'context-1m-2025-08-07' })).toBe(true)
    expect(bedrock.takesBeta?.('effort-2025-11-24', { betas: '-effort-2025-11-24' })).toBe(false)
  })

  test('does not let a body choose version and features', async () => {
    const body = '{"anthropic_version":"other","anthropic_beta":["other"],"max_tokens":1}'
    expect((await target({ body })).body).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1}')
  })

  test('in the chat-completion format leaves the body alone', async () => {
    const { url, body } = await target({
      format: 'chat-completion',
      body: '{"model":"openai.gpt-oss-20b-1:0"}',
    })
    expect(url).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions')
    expect(body).toBe('{"model":"openai.gpt-oss-20b-1:0"}')
  })

  test('shows an API key as a bearer token', async () => {
    expect((await target({})).headers).toEqual({
      'content-type': 'application/json',
      authorization: 'Bearer bedrock-key',
    })
  })

  test('is signed with keys, for the region of the address or the one set', async () => {
    const scopeOf = async (fields: Partial<CallQuery>) =>
      /Credential=([^,]+),/.exec((await target({ secret: KEYS, ...fields })).headers.authorization ?? '')?.[1]
    expect(await scopeOf({})).toBe('AKIDEXAMPLE000000/20260610/eu-west-1/bedrock/aws4_request')
    for (const [baseUrl, region] of [
      ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
      ['https://vpce-0a-1b.bedrock-runtime.us-east-2.vpce.amazonaws.com', 'us-east-2'],
      ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn/', 'cn-north-1'],
    ] as const)
      expect(await scopeOf({ baseUrl })).toBe(`AKIDEXAMPLE000000/20260610/${region}/bedrock/aws4_request`)
    expect(await scopeOf({ options: { region: 'ap-south-1' } })).toContain('/ap-south-1/')
    await expect(target({ secret: KEYS, baseUrl: 'https://proxy.example' })).rejects.toThrow(
      'set the option region',
    )
  })
})

test('a secret is two or three pieces, or an API key', () => {
  for (const secret of [
    KEYS,
    `${KEYS}:FwoGZXIvYXdzEBY//wEaD+abc=`,
    'ABSKQmVkcm9ja0FQSUtleS1h',
    'bedrock-api-key-abc',
  ])
    expect(bedrock.checkSecret?.(secret)).toBeNull()
  expect(bedrock.checkSecret?.('AKIDEXAMPLE000000')).toContain('only an access key id')
  for (const secret of [
    '',
    'a:b',
    `${KEYS}:`,
    `${KEYS}:a:b`,
    'AKIDEXAMPLE000000:',
    'AKIDEXAMPLE000000: x',
    `${KEYS}\n`,
    'key with space',
    'schlüssel',
  ]) {
    const complaint = bedrock.checkSecret?.(secret)
    expect(complaint).toContain('secret must be')
    if (secret !== '') expect(complaint).not.toContain(secret)
  }
})

describe('an answer of Bedrock', () => {
  async function read(response: Response, secret = KEYS): Promise<{ status: number; body: unknown }> {
    const { readResponse } = await target({ secret })
    const answer = await readResponse?.(response)
    return { status: answer?.status ?? 0, body: await answer?.json() }
  }

  function refusal(name: string, message: string, status = 400): Response {
    const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` }
    return Response.json({ message }, { status, headers })
  }

  test('that is whole is left as it is', async () => {
    const { readResponse } = await target({})
    const response = Response.json({ type: 'message' })
    expect(await readResponse?.(response)).toBe(response)
  })

  test('that is a refusal says what it is in the messages format', async () => {
    for (const [name, status, type] of [
      ['ThrottlingException', 429, 'rate_limit_error'],
      ['ServiceQuotaExceededException', 429, 'rate_limit_error'],
      ['ModelNotReadyException', 503, 'overloaded_error'],
      ['ServiceUnavailableException', 503, 'overloaded_error'],
      ['ModelTimeoutException', 504, 'timeout_error'],
      ['ModelErrorException', 500, 'api_error'],
      ['ValidationException', 400, 'invalid_request_error'],
      ['AccessDeniedException', 403, 'permission_error'],
      ['com.amazon.coral#ExpiredTokenException', 403, 'authentication_error'],
    ] as const) {
      expect(await read(refusal(name, 'It is so.'))).toEqual({
        status,
        body: { type: 'error', error: { type, message: 'It is so.' } },
      })
    }
  })

  test('about a model our keys may not use is not about the keys, and one about its name not about the client', async () => {
    for (const [name, message] of [
      ['AccessDeniedException', "You don't have access to the model with the specified model ID."],
      ['ValidationException', 'The provided model identifier is invalid.'],
      ['ResourceNotFoundException', 'This model version has reached the end of its life.'],
    ] as const) {
      expect(await read(refusal(name, message))).toEqual({
        status: 404,
        body: { type: 'error', error: { type: 'not_found_error', code: 'model_not_found', message } },
      })
    }
  })

  test('of an unknown kind keeps its status and its words', async () => {
    for (const [response, message] of [
      [new Response('Bad gateway', { status: 502 }), 'Bad gateway'],
      [Response.json({ Message: 'No.' }, { status: 502 }), 'No.'],
      [Response.json({ error: { message: 'Never.' } }, { status: 502 }), 'Never.'],
    ] as const) {
      const body = { type: 'error', error: { type: 'api_error', message } }
      expect(await read(response)).toEqual({ status: 502, body })
    }
  })

  test('keeps the time to wait', async () => {
    const { readResponse } = await target({})
    const response = new Response('{}', {
      status: 429,
      headers: { 'retry-after': '7', 'x-amzn-requestid': 'r' },
    })
    const headers = (await readResponse?.(response))?.headers
    expect(headers?.get('retry-after')).toBe('7')
    expect(headers?.get('x-amzn-requestid')).toBeNull()
  })

  test('never shows a piece of the credential or the account', async () => {
    const secret = `${KEYS}:FwoGZXIvYXdzEBY+session=`
    const message = `The Canonical String should have been 'x-amz-security-token:FwoGZXIvYXdzEBY+session=' (AKIDEXAMPLE000000, arn:aws:iam::123456789012:user/ops)`
    const { body } = await read(refusal('InvalidSignatureException', message, 403), secret)
    const text = JSON.stringify(body)
    expect(text).toContain('The Canonical String should have been')
    for (const piece of [...secret.split(':'), '123456789012', 'ops']) expect(text).not.toContain(piece)
  })
})
