import { ApiError, GoogleGenAI, Type } from '@google/genai'
import { type Cases, type Connection, check, PNG } from './cases.ts'

const connect = ({ url, key }: Connection) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })

const CITY = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] }

export const genaiCases: Cases = {
  chat: async (at) => {
    const reply = await connect(at).models.generateContent({ model: at.model, contents: 'say: hello' })
    check(reply.text === 'hello', reply)
  },
  stream: async (at) => {
    const stream = await connect(at).models.generateContentStream({
      model: at.model,
      contents: 'say: one two',
    })
    let text = ''
    for await (const piece of stream) text += piece.text ?? ''
    check(text === 'one two', text)
  },
  tools: async (at) => {
    const client = connect(at)
    const config = { tools: [{ functionDeclarations: [{ name: 'weather', parameters: CITY }] }] }
    const question = { role: 'user', parts: [{ text: 'How is the weather in Lisbon?' }] }
    const first = await client.models.generateContent({ model: at.model, contents: [question], config })
    const call = first.functionCalls?.[0]
    const functionResponse = { ...call, args: undefined, response: { result: 'sunny' } }
    const said = first.candidates?.[0]?.content ?? {}
    const contents = [question, said, { role: 'user', parts: [{ functionResponse }] }]
    const second = await client.models.generateContent({ model: at.model, contents, config })
    check(second.text?.includes('sunny'), second)
  },
  'structured output': async (at) => {
    const config = { responseMimeType: 'application/json', responseSchema: CITY }
    const reply = await connect(at).models.generateContent({ model: at.model, contents: 'A city', config })
    check(typeof JSON.parse(reply.text ?? '').city === 'string', reply)
  },
  image: async (at) => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: PNG } }, { text: 'What is this?' }]
    const reply = await connect(at).models.generateContent({
      model: at.model,
      contents: [{ role: 'user', parts }],
    })
    check(reply.text?.includes('1 image'), reply)
  },
  errors: async (at) => {
    const call = connect(at).models.generateContent({ model: 'nobody', contents: 'Hi' })
    const error: unknown = await call.catch((thrown: unknown) => thrown)
    check(error instanceof ApiError && error.status === 404, error)
  },
}
