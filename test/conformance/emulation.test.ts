import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { countCalls } from './calls.ts'
import { GENAI_SDKS } from './drivers/content-generation.ts'
import { ANTHROPIC_SDKS } from './drivers/messages.ts'
import { openStage, type Stage } from './stage.ts'
import { MODES, TEXT_FORMATS, type TextFormat } from './talk.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterEach(() => {
  stage.gate.open()
  stage.gated.faults.clear()
})
afterAll(() => stage.stop())

describe('several answers', () => {
  /** How many calls the supplier gets for so many answers: one for all, or one for each. */
  const CALLS: readonly (readonly [supplier: TextFormat, answers: number, calls: number])[] = [
    ['chat-completion', 3, 1],
    ['responses', 3, 3],
    ['messages', 3, 3],
    ['content-generation', 3, 1],
    ['content-generation', 9, 9],
  ]

  describe.each(OPENAI_SDKS)('%s', (_sdk, _classes, connect) => {
    test.each(CALLS)('from %s: %i by %i calls', async (supplier, n, calls) => {
      const client = connect({
        apiKey: stage.keyFor(supplier),
        baseURL: `${stage.gateway.url}/v1`,
        maxRetries: 0,
      })
      const request = {
        model: 'sandbox-chat',
        messages: [{ role: 'user' as const, content: 'say: one of several' }],
        n,
      }
      const asking = client.chat.completions.create(request)
      expect(await countCalls(stage.gateway.sandbox, () => asking)).toBe(calls)
      const whole = await asking
      const streamed = await client.chat.completions
        .stream({ ...request, stream_options: { include_usage: true } })
        .finalChatCompletion()
      for (const { choices, usage } of [whole, streamed]) {
        expect(choices.map(({ index }) => index)).toEqual(Array.from({ length: n }, (_, index) => index))
        for (const choice of choices) {
          expect(choice.message.content).toBe('one of several')
          expect(choice.finish_reason).toBe('stop')
        }
        // The sandbox counts the characters of all answers of a call before it makes tokens of them.
        expect(usage?.completion_tokens).toBeGreaterThanOrEqual(Math.ceil((n * 14) / 4))
      }
    })
  })

  test.each(GENAI_SDKS)('%s: candidates from every supplier', async (_sdk, connect) => {
    for (const supplier of TEXT_FORMATS) {
      const client = connect({
        apiKey: stage.keyFor(supplier),
        httpOptions: { baseUrl: stage.gateway.url },
      })
      const request = { model: 'sandbox-chat', contents: 'say: two', config: { candidateCount: 2 } }
      const { candidates } = await client.models.generateContent(request)
      expect(candidates?.map(({ index, content }) => [index, content?.parts?.[0]?.text])).toEqual([
        [0, 'two'],
        [1, 'two'],
      ])
      const chunks = await Array.fromAsync(await client.models.generateContentStream(request))
      const texts = ['', '']
      for (const { candidates: pieces } of chunks) {
        for (const { index = 0, content } of pieces ?? []) texts[index] += content?.parts?.[0]?.text ?? ''
      }
      expect(texts).toEqual(['two', 'two'])
    }
  })
})

describe('stop sequences on a supplier without any', () => {
  const COUNT = 'count to 100'

  test.each(ANTHROPIC_SDKS)('%s learns which one was hit', async (_sdk, _classes, connect) => {
    const client = connect({
      apiKey: stage.keyFor('responses'),
      baseURL: stage.gateway.url,
      maxRetries: 0,
    })
    const request = {
      model: 'sandbox-chat',
      max_tokens: 1_000,
      stop_sequences: ['nowhere', ' 4'],
      messages: [{ role: 'user' as const, content: COUNT }],
    }
    for (const message of [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ]) {
      expect(message).toMatchObject({
        stop_reason: 'stop_sequence',
        stop_sequence: ' 4',
        content: [{ type: 'text', text: '1 2 3' }],
      })
    }
    expect(stage.gateway.sandbox.calls.at(-1)?.body).not.toHaveProperty('stop')
  })

  test.each(OPENAI_SDKS)('%s: each of several answers is cut', async (_sdk, _classes, connect) => {
    const client = connect({
      apiKey: stage.keyFor('responses'),
      baseURL: `${stage.gateway.url}/v1`,
      maxRetries: 0,
    })
    const messages = [{ role: 'user' as const, content: COUNT }]
    const { choices } = await client.chat.completions.create({
      model: 'sandbox-chat',
      messages,
      n: 2,
      stop: ' 4',
    })
    expect(choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
      ['1 2 3', 'stop'],
      ['1 2 3', 'stop'],
    ])
  })

  test('the supplier is disconnected as soon as the sequence arrives', async () => {
    const [, , connect] = ANTHROPIC_SDKS[0]
    const client = connect({
      apiKey: stage.gatedKeyFor('responses'),
      baseURL: stage.gateway.url,
      maxRetries: 0,
    })
    stage.gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
    stage.gate.close()
    stage.gate.allow(30)
    const aborted = stage.gated.nextAbort()
    const message = await client.messages
      .stream({
        model: 'sandbox-chat',
        max_tokens: 1_000,
        stop_sequences: [' 4'],
        messages: [{ role: 'user', content: 'count to 10000' }],
      })
      .finalMessage()
    expect(message.stop_sequence).toBe(' 4')
    expect(await aborted).toMatchObject({ finished: false })
  })
})

describe.each(OPENAI_SDKS)('%s: a response continues from an earlier one', (_sdk, _classes, connect) => {
  test.each(TEXT_FORMATS)('served by %s', async (supplier) => {
    const client = connect({
      apiKey: stage.keyFor(supplier),
      baseURL: `${stage.gateway.url}/v1`,
      maxRetries: 0,
    })
    const request = { model: 'sandbox-reasoner', reasoning: { effort: 'low', summary: 'auto' } } as const
    const thoughtsIn = ({ output }: { readonly output: readonly object[] }) => JSON.stringify(output)
    const first = await client.responses.create({ ...request, input: 'One?' })
    expect(thoughtsIn(first)).toContain('There are 1 messages')
    const second = await client.responses
      .stream({ ...request, input: 'Two?', previous_response_id: first.id })
      .finalResponse()
    expect(thoughtsIn(second)).toContain('There are 3 messages')
    const third = await client.responses.create({
      ...request,
      input: 'Three?',
      previous_response_id: second.id,
    })
    expect(thoughtsIn(third)).toContain('There are 5 messages')
    expect(await client.responses.retrieve(third.id)).toMatchObject({ id: third.id, output: third.output })
  })
})

test('no answer is sent when one of several calls fails', async () => {
  const [, Sdk, connect] = OPENAI_SDKS[0]
  const client = connect({
    apiKey: stage.gatedKeyFor('messages'),
    baseURL: `${stage.gateway.url}/v1`,
    maxRetries: 0,
  })
  for (const mode of MODES) {
    stage.gated.faults.set({ times: 1, fault: { type: 'status', status: 500 } })
    const request = { model: 'sandbox-chat', messages: [{ role: 'user' as const, content: 'ping' }], n: 3 }
    const asking =
      mode === 'whole'
        ? client.chat.completions.create(request)
        : client.chat.completions.stream(request).finalChatCompletion()
    const thrown = await asking.then(
      () => null,
      (error: unknown) => error,
    )
    expect(thrown).toBeInstanceOf(Sdk.InternalServerError)
    expect(thrown).toMatchObject({ status: 502, code: 'provider_error' })
  }
})
