import OpenAI from 'openai'
import type { ResponseInput } from 'openai/resources/responses/responses'
import { type Cases, type Connection, check, PNG, WEATHER } from './cases.ts'

const connect = ({ url, key }: Connection) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
const user = (content: string) => [{ role: 'user' as const, content }]

export const openaiCases: Cases = {
  chat: async (at) => {
    const reply = await connect(at).chat.completions.create({ model: at.model, messages: user('say: hello') })
    check(reply.choices[0]?.message.content === 'hello', reply)
  },
  'chat stream': async (at) => {
    const stream = connect(at).chat.completions.stream({ model: at.model, messages: user('say: one two') })
    check((await stream.finalContent()) === 'one two', null)
  },
  'chat tools': async (at) => {
    const runner = connect(at).chat.completions.runTools({
      model: at.model,
      messages: user('How is the weather in Lisbon?'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather of a city.',
            parameters: { ...WEATHER, required: ['city'] },
            function: async (_input: string) => 'sunny',
          },
        },
      ],
    })
    const said = await runner.finalContent()
    check(said?.includes('sunny'), said)
  },
  'chat image': async (at) => {
    const image_url = { url: `data:image/png;base64,${PNG}` }
    const reply = await connect(at).chat.completions.create({
      model: at.model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url },
            { type: 'text', text: 'What?' },
          ],
        },
      ],
    })
    check(reply.choices[0]?.message.content?.includes('1 image'), reply)
  },
  responses: async (at) => {
    const client = connect(at)
    const first = await client.responses.create({ model: at.model, input: 'say: hello' })
    const next = { model: at.model, input: 'say: again', previous_response_id: first.id }
    const second = await client.responses.stream(next).finalResponse()
    check(second.output_text === 'again' && second.previous_response_id === first.id, second)
  },
  'responses structured output': async (at) => {
    const format = { type: 'json_schema' as const, name: 'city', schema: WEATHER, strict: true }
    const reply = await connect(at).responses.parse({ model: at.model, input: 'A city', text: { format } })
    check(typeof (reply.output_parsed as { city?: unknown } | null)?.city === 'string', reply)
  },
  'responses compaction': async (at) => {
    const client = connect(at)
    const compacted = await client.responses.compact({
      model: at.model,
      input: user('My cat is called Tom.'),
    })
    const input = [...compacted.output, ...user('Go on.')] as ResponseInput
    check((await client.responses.create({ model: at.model, input })).status === 'completed', compacted)
  },
  images: async (at) => {
    const reply = await connect({ ...at, key: at.openKey }).images.generate({
      model: 'sandbox-image-base64',
      prompt: 'a fox',
    })
    check(reply.data?.[0]?.b64_json, reply)
  },
  errors: async (at) => {
    const call = connect(at).chat.completions.create({ model: 'nobody', messages: user('Hi') })
    check((await call.catch((error: unknown) => error)) instanceof OpenAI.NotFoundError, null)
  },
}
