import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addQuirky, chunk, events, type QuirkySupplier, startQuirkySupplier } from './quirky-supplier.ts'

let gateway: TestGateway
let supplier: QuirkySupplier

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startQuirkySupplier()
  for (const vendor of ['mistral', 'moonshot', 'gemini', 'groq', 'fireworks', 'untidy'])
    await addQuirky(gateway, { supplier, id: vendor, options: { vendor } })
})

afterAll(async () => {
  await supplier.stop()
  await gateway.stop()
})

const TEXT = [
  chunk([{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }]),
  chunk([{ index: 0, delta: { content: 'lo' }, finish_reason: null }]),
]
const STOP = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])
const DONE = '[DONE]'
const USAGE = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 }
const call = (fields: object) => ({ function: { name: 'look', arguments: '{"at":1}' }, ...fields })

interface Case {
  readonly vendor: string
  readonly sent: readonly (object | string)[]
  readonly content: string | null
  readonly reasoning?: string
  readonly calls?: readonly (readonly [name: string, input: string])[]
  readonly finish?: string
  readonly usage?: number
}

const CASES: Readonly<Record<string, Case>> = {
  'content as a list of thoughts and texts': {
    vendor: 'mistral',
    sent: [
      chunk([
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }],
          },
          finish_reason: null,
        },
      ]),
      chunk([{ index: 0, delta: { content: [{ type: 'text', text: 'Hello' }] }, finish_reason: null }]),
      chunk([{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], { usage: USAGE }),
      DONE,
    ],
    content: 'Hello',
    reasoning: 'Hm.',
    usage: 7,
  },
  'usage inside the choice that ends': {
    vendor: 'moonshot',
    sent: [...TEXT, chunk([{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }]), DONE],
    content: 'Hello',
    usage: 7,
  },
  'usage on the last chunk with content': {
    vendor: 'fireworks',
    sent: [
      ...TEXT,
      chunk([{ index: 0, delta: { content: '!' }, finish_reason: 'stop' }], { usage: USAGE }),
      DONE,
    ],
    content: 'Hello!',
    usage: 7,
  },
  'tool calls without an index, with finish reason stop': {
    vendor: 'gemini',
    sent: [
      {
        object: 'chat.completion.chunk',
        model: 'up',
        choices: [
          { index: 0, delta: { role: 'assistant', tool_calls: [call({ id: 'c1', type: 'function' })] } },
        ],
      },
      {
        object: 'chat.completion.chunk',
        model: 'up',
        choices: [
          { index: 0, delta: { tool_calls: [call({ id: 'c2', type: 'function' })] }, finish_reason: 'stop' },
        ],
      },
      DONE,
    ],
    content: null,
    calls: [
      ['look', '{"at":1}'],
      ['look', '{"at":1}'],
    ],
    finish: 'tool_calls',
  },
  'thoughts under another name': {
    vendor: 'groq',
    sent: [
      chunk([{ index: 0, delta: { role: 'assistant', reasoning: 'Hm.' }, finish_reason: null }]),
      ...TEXT,
      STOP,
      DONE,
    ],
    content: 'Hello',
    reasoning: 'Hm.',
  },
  'no id, no index, no role, no delta': {
    vendor: 'untidy',
    sent: [
      { choices: [{ delta: { content: 'Hel' }, finish_reason: '' }] },
      { choices: [{ delta: null, finish_reason: null }] },
      { choices: [] },
      { choices: [{ delta: { content: 'lo' } }] },
      { choices: [{ finish_reason: 'eos' }] },
      DONE,
    ],
    content: 'Hello',
  },
  'no last marker': { vendor: 'untidy', sent: [...TEXT, STOP], content: 'Hello' },
  'two endings': { vendor: 'untidy', sent: [...TEXT, STOP, STOP, DONE], content: 'Hello' },
  'a call in pieces without type, id or name after the first, arguments as an object': {
    vendor: 'untidy',
    sent: [
      chunk([
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: null,
            tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"at"' } }],
          },
        },
      ]),
      chunk([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }]),
      chunk([
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'c2', function: { name: 'see', arguments: { at: 2 } } }] },
        },
      ]),
      chunk([{ index: 0, delta: { tool_calls: [] }, finish_reason: 'stop' }]),
      DONE,
    ],
    content: null,
    calls: [
      ['look', '{"at":1}'],
      ['see', '{"at":2}'],
    ],
    finish: 'tool_calls',
  },
}

for (const [sdk, , open] of OPENAI_SDKS) {
  const client = () => open({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

  describe(`${sdk} gets clean chunks although the supplier sends`, () => {
    for (const [what, expected] of Object.entries(CASES)) {
      test(what, async () => {
        supplier.play(() => events(...expected.sent))
        const stream = client().chat.completions.stream({
          model: expected.vendor,
          messages: [{ role: 'user', content: 'Hi' }],
          stream_options: { include_usage: true },
        })
        const reasoning: string[] = []
        stream.on('chunk', ({ choices, ...head }) => {
          expect(head).toMatchObject({ object: 'chat.completion.chunk', model: expected.vendor })
          for (const { delta } of choices)
            reasoning.push((delta as { reasoning_content?: string }).reasoning_content ?? '')
        })
        const { choices, usage } = await stream.finalChatCompletion()
        const [choice] = choices
        expect(choice?.message.role).toBe('assistant')
        expect(choice?.message.content || null).toBe(expected.content)
        expect(choice?.finish_reason as string).toBe(expected.finish ?? 'stop')
        expect(reasoning.join('')).toBe(expected.reasoning ?? '')
        const calls = choice?.message.tool_calls?.map(
          (made) => made.type === 'function' && [made.function.name, made.function.arguments],
        )
        expect(calls ?? []).toEqual((expected.calls ?? []).map((made) => [...made]))
        expect(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size).toBe(
          expected.calls?.length ?? 0,
        )
        if (expected.usage !== undefined) expect(usage?.prompt_tokens).toBe(expected.usage)
        expect(usage?.completion_tokens).toBeGreaterThan(0)
      })
    }

    test('a usage chunk the client did not request', async () => {
      supplier.play(() =>
        events(...TEXT, chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage: USAGE }), DONE),
      )
      const stream = await client().chat.completions.create({
        model: 'fireworks',
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
      })
      for await (const { usage, choices } of stream) {
        expect(usage ?? null).toBeNull()
        expect(choices).toHaveLength(1)
      }
    })

    test('an error object under a 200, which the client gets as an error', async () => {
      supplier.play(() => events({ error: { message: 'Overloaded, org-AbCdEfGh12345678', code: 503 } }))
      const asked = client().chat.completions.create({
        model: 'untidy',
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
      })
      // The client's own kind of promise is not one to `expect`.
      await expect(asked.then((stream) => stream)).rejects.toMatchObject({
        status: 503,
        code: 'provider_overloaded',
        message: expect.not.stringContaining('org-'),
      })
    })

    test('a whole reply with content as a list and no ids', async () => {
      supplier.play(() =>
        Response.json({
          choices: [
            {
              finish_reason: 'stop',
              message: {
                content: [
                  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
                  { type: 'text', text: 'Hello' },
                ],
              },
            },
          ],
          usage: USAGE,
        }),
      )
      const reply = await client().chat.completions.create({
        model: 'mistral',
        messages: [{ role: 'user', content: 'Hi' }],
      })
      expect(reply).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-/),
        object: 'chat.completion',
        model: 'mistral',
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'Hello', reasoning_content: 'Hm.' },
          },
        ],
        usage: { prompt_tokens: 7 },
      })
    })
  })
}
