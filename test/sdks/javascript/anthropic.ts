import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { type Cases, type Connection, check, PNG, WEATHER } from './cases.ts'

const connect = ({ url, key }: Connection) => new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 })

const ask = (model: string, content: Anthropic.MessageParam['content']) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content }],
})

/** What clients read that expect nothing but text. */
const textOf = ({ content: [first] }: { readonly content: readonly { type: string }[] }) =>
  (first as { text?: string } | undefined)?.text

export const anthropicCases: Cases = {
  chat: async (at) => {
    const reply = await connect(at).messages.create(ask(at.model, 'say: hello'))
    check(textOf(reply) === 'hello', reply)
  },
  stream: async (at) => {
    const reply = await connect(at).messages.stream(ask(at.model, 'say: one two')).finalMessage()
    check(textOf(reply) === 'one two', reply)
  },
  'tool runner': async (at) => {
    const weather = betaTool({
      name: 'weather',
      description: 'The weather of a city.',
      inputSchema: WEATHER,
      run: async () => 'sunny',
    })
    const runner = connect(at).beta.messages.toolRunner({
      ...ask(at.model, 'How is the weather in Lisbon?'),
      tools: [weather],
    })
    const reply = await runner
    check(textOf(reply)?.includes('sunny'), reply)
  },
  image: async (at) => {
    const source = { type: 'base64', media_type: 'image/png', data: PNG } as const
    const content = [
      { type: 'image' as const, source },
      { type: 'text' as const, text: 'What is this?' },
    ]
    const reply = await connect(at).messages.create(ask(at.model, content))
    check(textOf(reply)?.includes('1 image'), reply)
  },
  errors: async (at) => {
    const call = connect(at).messages.create(ask('nobody', 'Hi'))
    check((await call.catch((error: unknown) => error)) instanceof Anthropic.NotFoundError, null)
  },
}
