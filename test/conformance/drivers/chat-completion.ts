import type { OpenAI } from 'openai'
import { type ClientOptions, OPENAI_SDKS } from '../../support/sdk-clients.ts'
import {
  type Asking,
  type Driver,
  dataUrl,
  type InputImage,
  type Opening,
  type SdkReply,
  type Talk,
  type ToolResult,
} from '../talk.ts'
import { PACKAGES } from './packages.ts'

type Completion = OpenAI.ChatCompletion
type Choice = OpenAI.ChatCompletion.Choice
type Message = OpenAI.ChatCompletionMessageParam
type Request = OpenAI.ChatCompletionCreateParamsNonStreaming

export const CHAT_DRIVERS: readonly Driver[] = OPENAI_SDKS.map(([sdk, { APIError }, connect]) => ({
  sdk,
  packageName: PACKAGES[sdk],
  format: 'chat-completion',
  open: (opening, gatewayUrl) => new ChatTalk(opening, gatewayUrl, connect),
  codeOf: (error) => (error instanceof APIError ? (error.code ?? null) : null),
}))

class ChatTalk implements Talk {
  readonly #opening: Opening
  readonly #baseUrl: string
  readonly #connect: (options: ClientOptions) => OpenAI
  readonly #messages: Message[]

  constructor(opening: Opening, gatewayUrl: string, connect: (options: ClientOptions) => OpenAI) {
    this.#opening = opening
    this.#baseUrl = `${gatewayUrl}/v1`
    this.#connect = connect
    this.#messages = [{ role: 'user', content: [{ type: 'text', text: opening.text }, ...images(opening)] }]
  }

  async ask(asking: Asking): Promise<SdkReply> {
    const client = this.#connect({ apiKey: asking.key, baseURL: this.#baseUrl, maxRetries: 0 })
    const request: Request = { ...writeOpening(this.#opening), messages: [...this.#messages] }
    const { completion, thoughts } =
      asking.mode === 'streamed'
        ? await stream(client, request, asking)
        : await complete(client, request, asking)
    const [choice] = completion.choices
    if (choice === undefined) throw new Error('the completion has no choice')
    this.#messages.push(choice.message)
    return readChoice(choice, completion, thoughts)
  }

  say(text: string): void {
    this.#messages.push({ role: 'user', content: text })
  }

  // Tool messages hold only text, so images follow in a message of the user's.
  answer(results: readonly ToolResult[]): void {
    for (const { id, text } of results) this.#messages.push({ role: 'tool', tool_call_id: id, content: text })
    const shown = results.flatMap(({ image }) => (image === undefined ? [] : [writeImage(image)]))
    if (shown.length > 0) this.#messages.push({ role: 'user', content: shown })
  }
}

function images(opening: Opening) {
  return (opening.images ?? []).map(writeImage)
}

function writeImage(image: InputImage) {
  return { type: 'image_url' as const, image_url: { url: dataUrl(image) } }
}

function writeOpening(opening: Opening): Omit<Request, 'messages'> {
  const { tools, schema, stop, maxTokens } = opening
  return {
    model: opening.model,
    ...(tools && { tools: tools.map(writeTool) }),
    ...(opening.thinks && { reasoning_effort: 'medium' }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    }),
    ...(stop && { stop: [...stop] }),
    ...(maxTokens && { max_completion_tokens: maxTokens }),
  }
}

function writeTool({ name, description, schema }: NonNullable<Opening['tools']>[number]) {
  return { type: 'function' as const, function: { name, description, parameters: { ...schema } } }
}

interface Completed {
  readonly completion: Completion
  readonly thoughts: string
}

async function complete(client: OpenAI, request: Request, { signal }: Asking): Promise<Completed> {
  const completion = await client.chat.completions.create(request, { signal })
  return { completion, thoughts: thoughtsIn(completion.choices[0]?.message) }
}

async function stream(client: OpenAI, request: Request, { signal, onText }: Asking): Promise<Completed> {
  const asked = { ...request, stream: true as const, stream_options: { include_usage: true } }
  const reading = client.chat.completions.stream(asked, { signal })
  let thoughts = ''
  // The helper keeps only the last piece of a field it does not know.
  reading.on('chunk', (chunk) => {
    thoughts += thoughtsIn(chunk.choices[0]?.delta)
  })
  if (onText) reading.on('content', onText)
  return { completion: await reading.finalChatCompletion(), thoughts }
}

function thoughtsIn(holder: object | undefined): string {
  const thoughts: unknown = Reflect.get(holder ?? {}, 'reasoning_content')
  return typeof thoughts === 'string' ? thoughts : ''
}

const FINISHES: Readonly<Record<string, SdkReply['finish']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-call',
  content_filter: 'declined',
}

function readChoice(choice: Choice, { usage }: Completion, thoughts: string): SdkReply {
  const { message, finish_reason } = choice
  return {
    text: message.content ?? '',
    thoughts,
    calls: (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.type === 'function' ? call.function.name : call.custom.name,
      input: JSON.parse(call.type === 'function' ? call.function.arguments : '{}'),
    })),
    finish: message.refusal ? 'declined' : (FINISHES[finish_reason] ?? 'unknown'),
    refusal: message.refusal,
    usage: {
      prompt: usage?.prompt_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  }
}
