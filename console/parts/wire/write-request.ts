/** Writes requests in the four formats, as their SDKs would send them. */

export const CHAT_FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation'] as const
export type ChatFormat = (typeof CHAT_FORMATS)[number]

export const EFFORTS = ['', 'low', 'medium', 'high'] as const
/** Empty for the model's default. */
export type Effort = (typeof EFFORTS)[number]

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface Question {
  readonly format: ChatFormat
  readonly model: string
  /** Empty for none. */
  readonly system: string
  readonly turns: readonly Turn[]
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly effort: Effort
  readonly isStreamed: boolean
}

export interface WireRequest {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

// The messages format requires a limit.
const USUAL_MAX_TOKENS = 4_096
const THINKING_TOKENS: Readonly<Record<Exclude<Effort, ''>, number>> = {
  low: 1_024,
  medium: 4_096,
  high: 16_384,
}

export function writeRequest(question: Question): WireRequest {
  switch (question.format) {
    case 'chat-completion':
      return { path: '/v1/chat/completions', body: writeChat(question) }
    case 'responses':
      return { path: '/v1/responses', body: writeResponses(question) }
    case 'messages':
      return { path: '/v1/messages', body: writeMessages(question) }
    case 'content-generation':
      return writeContent(question)
  }
}

function writeChat({ model, system, turns, temperature, maxTokens, effort, isStreamed }: Question) {
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.map(({ role, text }) => ({ role, content: text })),
    ],
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  }
}

function writeResponses({ model, system, turns, temperature, maxTokens, effort, isStreamed }: Question) {
  return {
    model,
    ...(system !== '' && { instructions: system }),
    input: turns.map(({ role, text }) => ({ role, content: text })),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_output_tokens: maxTokens }),
    ...(effort !== '' && { reasoning: { effort, summary: 'auto' } }),
    // Each request sends the whole conversation, so the gateway need not store it.
    store: false,
    ...(isStreamed && { stream: true }),
  }
}

function writeMessages({ model, system, turns, temperature, maxTokens, effort, isStreamed }: Question) {
  const budget = effort === '' ? 0 : THINKING_TOKENS[effort]
  return {
    model,
    // Thinking counts against the limit, so add it to the limit for the response.
    max_tokens: (maxTokens ?? USUAL_MAX_TOKENS) + budget,
    ...(system !== '' && { system }),
    messages: turns.map(({ role, text }) => ({ role, content: text })),
    // Models of this format refuse a temperature with thinking.
    ...(budget > 0
      ? { thinking: { type: 'enabled', budget_tokens: budget } }
      : temperature !== null && { temperature }),
    ...(isStreamed && { stream: true }),
  }
}

function writeContent(question: Question): WireRequest {
  const { model, system, turns, temperature, maxTokens, effort, isStreamed } = question
  const config = {
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    ...(effort !== '' && {
      thinkingConfig: { thinkingBudget: THINKING_TOKENS[effort], includeThoughts: true },
    }),
  }
  const method = isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    path: `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${method}`,
    body: {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: turns.map(({ role, text }) => ({
        role: role === 'assistant' ? 'model' : 'user',
        parts: [{ text }],
      })),
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    },
  }
}

/** The header in which the format's SDK sends the key. */
export function keyHeaders(format: ChatFormat, secret: string): Record<string, string> {
  switch (format) {
    case 'chat-completion':
    case 'responses':
      return { authorization: `Bearer ${secret}` }
    case 'messages':
      return { 'x-api-key': secret, 'anthropic-version': '2023-06-01' }
    case 'content-generation':
      return { 'x-goog-api-key': secret }
  }
}
