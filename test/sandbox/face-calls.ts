/** How a bare client talks to one face of the sandbox. */
export interface FaceCalls {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  path(model: string, stream: boolean): string
  body(text: string, fields: { readonly model: string; readonly stream: boolean }): object
  /** The words of a whole reply. */
  read(reply: unknown): string
  /** The words in the events of a stream. */
  spoken(text: string): string
  /** What only a complete stream contains. */
  readonly ending: string
  /** What only an answer that reports its usage contains. */
  readonly usage: RegExp
}

type Json = Readonly<Record<string, never>>

const JSON_TYPE = { 'content-type': 'application/json' }
const BEARER = { ...JSON_TYPE, authorization: 'Bearer sk-sandbox-test' }

export const FACES: readonly FaceCalls[] = [
  {
    name: 'chat-completion',
    headers: BEARER,
    path: () => '/v1/chat/completions',
    body: (content, { model, stream }) => ({
      model,
      messages: [{ role: 'user', content }],
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }),
    read: (reply) => dig(reply, 'choices', 0, 'message', 'content'),
    spoken: (text) => joinEvents(text, (event) => dig(event, 'choices', 0, 'delta', 'content')),
    ending: '[DONE]',
    usage: /"prompt_tokens":[1-9]/,
  },
  {
    name: 'responses',
    headers: BEARER,
    path: () => '/v1/responses',
    body: (input, { model, stream }) => ({ model, input, stream }),
    read: (reply) => dig(reply, 'output', 0, 'content', 0, 'text'),
    spoken: (text) =>
      joinEvents(text, (event) => (event.type === 'response.output_text.delta' ? dig(event, 'delta') : '')),
    ending: 'event: response.completed',
    usage: /"input_tokens":[1-9]/,
  },
  {
    name: 'messages',
    headers: { ...JSON_TYPE, 'x-api-key': 'sk-sandbox-test', 'anthropic-version': '2023-06-01' },
    path: () => '/v1/messages',
    body: (content, { model, stream }) => ({
      model,
      stream,
      max_tokens: 1000,
      messages: [{ role: 'user', content }],
    }),
    read: (reply) => dig(reply, 'content', 0, 'text'),
    spoken: (text) => joinEvents(text, (event) => dig(event, 'delta', 'text')),
    ending: 'event: message_stop',
    usage: /"input_tokens":[1-9]/,
  },
  {
    name: 'content-generation',
    headers: { ...JSON_TYPE, 'x-goog-api-key': 'sk-sandbox-test' },
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    read: (reply) => dig(reply, 'candidates', 0, 'content', 'parts', 0, 'text'),
    spoken: (text) => joinEvents(text, (event) => dig(event, 'candidates', 0, 'content', 'parts', 0, 'text')),
    ending: '"finishReason":"STOP"',
    usage: /"promptTokenCount":[1-9]/,
  },
]

/** Follows a path into JSON; empty where it leads nowhere. */
function dig(value: unknown, ...path: readonly (string | number)[]): string {
  const found = path.reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step], value)
  return typeof found === 'string' ? found : ''
}

export function readEvents(text: string): readonly Json[] {
  const data = [...text.matchAll(/^data: (\{.*\})\r?$/gm)].map(([, json]) => json ?? '')
  return data.map((json) => JSON.parse(json) as Json)
}

function joinEvents(text: string, pick: (event: Json) => string): string {
  return readEvents(text).map(pick).join('')
}
