/** Writes requests in the four formats, as their SDKs would send them. */

import type { ChatFormat, Effort, JsonObject, Question } from './question.ts'
import { writeTurns } from './write-turns.ts'

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

// Some formats require a name for the schema of a response.
const SCHEMA_NAME = 'response'

function writeChat(question: Question) {
  const { model, system, turns, temperature, maxTokens, effort, isStreamed, schema } = question
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...writeTurns('chat-completion', turns),
    ],
    ...toolsOf(question, (tool) => ({ type: 'function', function: tool })),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } } }),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  }
}

function writeResponses(question: Question) {
  const { model, system, turns, temperature, maxTokens, effort, isStreamed, schema } = question
  return {
    model,
    ...(system !== '' && { instructions: system }),
    input: writeTurns('responses', turns),
    ...toolsOf(question, (tool) => ({ type: 'function', ...tool, strict: false })),
    ...(schema && { text: { format: { type: 'json_schema', name: SCHEMA_NAME, schema } } }),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_output_tokens: maxTokens }),
    ...(effort !== '' && { reasoning: { effort, summary: 'auto' } }),
    // Each request sends the whole conversation, so the gateway need not store it.
    store: false,
    ...(isStreamed && { stream: true }),
  }
}

function writeMessages(question: Question) {
  const { model, system, turns, temperature, maxTokens, effort, isStreamed, schema } = question
  const budget = effort === '' ? 0 : THINKING_TOKENS[effort]
  return {
    model,
    // Thinking counts against the limit, so add it to the limit for the response.
    max_tokens: (maxTokens ?? USUAL_MAX_TOKENS) + budget,
    ...(system !== '' && { system }),
    messages: writeTurns('messages', turns),
    ...toolsOf(question, ({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    // Models of this format refuse a temperature with thinking.
    ...(budget > 0
      ? { thinking: { type: 'enabled', budget_tokens: budget } }
      : temperature !== null && { temperature }),
    ...(isStreamed && { stream: true }),
  }
}

function writeContent(question: Question): WireRequest {
  const { model, system, turns, temperature, maxTokens, effort, isStreamed, schema } = question
  const config = {
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    ...(effort !== '' && {
      thinkingConfig: { thinkingBudget: THINKING_TOKENS[effort], includeThoughts: true },
    }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  }
  const method = isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    path: `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${method}`,
    body: {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: writeTurns('content-generation', turns),
      ...declarationsOf(question),
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    },
  }
}

interface WrittenTool {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonObject
}

function toolsOf({ tools = [] }: Question, write: (tool: WrittenTool) => object): { tools?: object[] } {
  if (tools.length === 0) return {}
  const written = tools.map(({ name, description, parameters }) =>
    write({ name, ...(description !== '' && { description }), parameters }),
  )
  return { tools: written }
}

/** This format lists all functions in one tool. */
function declarationsOf(question: Question): { tools?: object[] } {
  const { tools } = toolsOf(question, ({ parameters, ...tool }) => ({
    ...tool,
    parametersJsonSchema: parameters,
  }))
  return tools === undefined ? {} : { tools: [{ functionDeclarations: tools }] }
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
