import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type ToolSet,
  tool,
} from 'ai'
import type { Asking, Driver, Opening, SdkReply, Talk, TextFormat, ToolResult } from '../talk.ts'

interface Place {
  readonly apiKey: string
  readonly url: string
  readonly model: string
}

interface Provider {
  readonly packageName: string
  readonly format: TextFormat
  connect(place: Place): LanguageModel
}

const PROVIDERS: readonly Provider[] = [
  {
    packageName: '@ai-sdk/openai-compatible',
    format: 'chat-completion',
    connect: ({ apiKey, url, model }) =>
      createOpenAICompatible({ name: 'gateway', apiKey, baseURL: `${url}/v1`, includeUsage: true })(model),
  },
  {
    packageName: '@ai-sdk/openai',
    format: 'chat-completion',
    connect: ({ apiKey, url, model }) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(model),
  },
  {
    packageName: '@ai-sdk/openai',
    format: 'responses',
    connect: ({ apiKey, url, model }) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses(model),
  },
  {
    packageName: '@ai-sdk/anthropic',
    format: 'messages',
    connect: ({ apiKey, url, model }) => createAnthropic({ apiKey, baseURL: `${url}/v1` })(model),
  },
  {
    packageName: '@ai-sdk/google',
    format: 'content-generation',
    connect: ({ apiKey, url, model }) =>
      createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })(model),
  },
]

/** Each provider says in its own words that the model is to think aloud; those of the others are ignored. */
const THINKING = {
  openai: {
    reasoningEffort: 'medium',
    reasoningSummary: 'auto',
    forceReasoning: true,
    store: false,
    include: ['reasoning.encrypted_content'],
  },
  gateway: { reasoningEffort: 'medium' },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } },
  google: { thinkingConfig: { includeThoughts: true } },
}

export const AI_SDK_DRIVERS: readonly Driver[] = PROVIDERS.map(({ packageName, format, connect }) => ({
  sdk: `ai with ${packageName}`,
  packageName,
  format,
  open: (opening, url) => new AiSdkTalk(opening, (apiKey) => connect({ apiKey, url, model: opening.model })),
  codeOf: (error) => (APICallError.isInstance(error) ? String(error.statusCode) : null),
}))

class AiSdkTalk implements Talk {
  readonly #opening: Opening
  readonly #connect: (apiKey: string) => LanguageModel
  readonly #messages: ModelMessage[]

  constructor(opening: Opening, connect: (apiKey: string) => LanguageModel) {
    this.#opening = opening
    this.#connect = connect
    this.#messages = [{ role: 'user', content: opening.text }]
  }

  async ask({ key, mode }: Asking): Promise<SdkReply> {
    const { tools, thinks } = this.#opening
    const request = {
      model: this.#connect(key),
      messages: [...this.#messages],
      maxRetries: 0,
      // Otherwise a provider that does not know the model warns of the limit it guesses.
      maxOutputTokens: 3_000,
      ...(tools && { tools: writeTools(tools) }),
      ...(thinks && { providerOptions: THINKING }),
    }
    const result = mode === 'streamed' ? await stream(request) : await generateText(request)
    this.#messages.push(...result.response.messages)
    return readResult(result)
  }

  say(text: string): void {
    this.#messages.push({ role: 'user', content: text })
  }

  answer(results: readonly ToolResult[]): void {
    this.#messages.push({
      role: 'tool',
      content: results.map(({ id, name, text }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: text },
      })),
    })
  }
}

function writeTools(tools: NonNullable<Opening['tools']>): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema({ ...schema }) }),
    ]),
  )
}

type Result = Pick<
  Awaited<ReturnType<typeof generateText>>,
  'text' | 'reasoningText' | 'finishReason' | 'usage' | 'response' | 'toolCalls'
>

/** What the stream adds up to; its errors are thrown and not, as the SDK would, printed. */
async function stream(request: Parameters<typeof streamText>[0]): Promise<Result> {
  let failure: unknown = null
  const reading = streamText({
    ...request,
    onError: ({ error }) => {
      failure = error
    },
  })
  await reading.consumeStream()
  if (failure !== null) throw failure
  return {
    text: await reading.text,
    reasoningText: await reading.reasoningText,
    finishReason: await reading.finishReason,
    usage: await reading.usage,
    response: await reading.response,
    toolCalls: await reading.toolCalls,
  }
}

const FINISHES: Readonly<Record<string, SdkReply['finish']>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool-call',
  'content-filter': 'declined',
}

function readResult({ text, reasoningText, finishReason, usage, toolCalls }: Result): SdkReply {
  return {
    text,
    thoughts: reasoningText ?? '',
    calls: toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input })),
    finish: FINISHES[finishReason] ?? 'unknown',
    refusal: null,
    usage: {
      prompt: usage.inputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      output: usage.outputTokens ?? 0,
      reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
    },
  }
}
