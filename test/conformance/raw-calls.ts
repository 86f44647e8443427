import type { Mode, TextFormat } from './talk.ts'

/** How a client without an SDK asks in one format. */
export interface RawCalls {
  path(model: string, mode: Mode): string
  body(text: string, asked: { readonly model: string; readonly mode: Mode }): object
}

const MODEL = 'sandbox-chat'

export const RAW_CALLS: Readonly<Record<TextFormat, RawCalls>> = {
  'chat-completion': {
    path: () => '/v1/chat/completions',
    body: (content, { model, mode }) => ({
      model,
      messages: [{ role: 'user', content }],
      stream: mode === 'streamed',
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (input, { model, mode }) => ({ model, input, stream: mode === 'streamed' }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (content, { model, mode }) => ({
      model,
      max_tokens: 1_000,
      messages: [{ role: 'user', content }],
      stream: mode === 'streamed',
    }),
  },
  'content-generation': {
    path: (model, mode) =>
      `/v1beta/models/${model}:${mode === 'streamed' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
}

export interface RawAsking {
  readonly url: string
  readonly key: string
  readonly client: TextFormat
  readonly text: string
  readonly mode?: Mode
  readonly model?: string
  /** More members of the body. */
  readonly fields?: object
  readonly headers?: Readonly<Record<string, string>>
}

export function askRaw(asking: RawAsking): Promise<Response> {
  const { url, key, client, text, mode = 'whole', model = MODEL, fields, headers } = asking
  const calls = RAW_CALLS[client]
  return fetch(`${url}${calls.path(model, mode)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...calls.body(text, { model, mode }), ...fields }),
  })
}
