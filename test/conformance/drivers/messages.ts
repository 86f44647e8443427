import { Anthropic as Anthropic1 } from '@anthropic-ai/sdk'
import { Anthropic as Anthropic0 } from 'anthropic-0'
import type { ClientOptions } from '../../support/sdk-clients.ts'
import type { Asking, Driver, InputImage, Opening, SdkReply, Talk, ToolResult } from '../talk.ts'
import { PACKAGES } from './packages.ts'

type Message = Anthropic1.Message
type Request = Anthropic1.MessageCreateParamsNonStreaming

const ENOUGH_TOKENS = 4_000

/** The official client in both its generations: they ask for different versions and carry the key differently. */
export const ANTHROPIC_SDKS = [
  ['anthropic 1', Anthropic1, (options: ClientOptions) => new Anthropic1(options)],
  [
    'anthropic 0',
    // What differs between the two versions are types this project's tests do not touch.
    Anthropic0 as unknown as typeof Anthropic1,
    (options: ClientOptions) => new Anthropic0(options) as unknown as Anthropic1,
  ],
] as const

export const MESSAGES_DRIVERS: readonly Driver[] = ANTHROPIC_SDKS.map(([sdk, { APIError }, connect]) => ({
  sdk,
  packageName: PACKAGES[sdk],
  format: 'messages',
  open: (opening, gatewayUrl) => new MessagesTalk(opening, gatewayUrl, connect),
  codeOf: (error) => (error instanceof APIError ? (error.type ?? null) : null),
}))

class MessagesTalk implements Talk {
  readonly #opening: Opening
  readonly #baseUrl: string
  readonly #connect: (options: ClientOptions) => Anthropic1
  readonly #messages: Anthropic1.MessageParam[]

  constructor(opening: Opening, gatewayUrl: string, connect: (options: ClientOptions) => Anthropic1) {
    this.#opening = opening
    this.#baseUrl = gatewayUrl
    this.#connect = connect
    const images = (opening.images ?? []).map(writeImage)
    this.#messages = [{ role: 'user', content: [{ type: 'text', text: opening.text }, ...images] }]
  }

  async ask(asking: Asking): Promise<SdkReply> {
    const client = this.#connect({ apiKey: asking.key, baseURL: this.#baseUrl, maxRetries: 0 })
    const request: Request = { ...writeOpening(this.#opening), messages: [...this.#messages] }
    const message =
      asking.mode === 'streamed'
        ? await stream(client, request, asking)
        : await client.messages.create(request, { signal: asking.signal })
    // A turn without content is refused, so programs leave it out.
    if (message.content.length > 0) this.#messages.push({ role: 'assistant', content: message.content })
    return readMessage(message)
  }

  say(text: string): void {
    this.#messages.push({ role: 'user', content: text })
  }

  answer(results: readonly ToolResult[]): void {
    this.#messages.push({ role: 'user', content: results.map(writeResult) })
  }
}

function writeImage(image: InputImage): Anthropic1.ImageBlockParam {
  if (image.type === 'link') return { type: 'image', source: { type: 'url', url: image.url } }
  const { mediaType, data } = image
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

function writeResult({ id, text, image }: ToolResult): Anthropic1.ToolResultBlockParam {
  const content = [{ type: 'text' as const, text }, ...(image === undefined ? [] : [writeImage(image)])]
  return { type: 'tool_result', tool_use_id: id, content }
}

function writeOpening(opening: Opening): Omit<Request, 'messages'> {
  const { tools, schema, stop } = opening
  return {
    model: opening.model,
    max_tokens: opening.maxTokens ?? ENOUGH_TOKENS,
    ...(tools && {
      tools: tools.map(({ name, description, schema: input_schema }) => ({
        name,
        description,
        input_schema,
      })),
    }),
    ...(opening.thinks && { thinking: { type: 'enabled', budget_tokens: 1_024 } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema: { ...schema } } } }),
    ...(stop && { stop_sequences: [...stop] }),
  }
}

async function stream(client: Anthropic1, request: Request, { signal, onText }: Asking): Promise<Message> {
  const reading = client.messages.stream(request, { signal })
  if (onText) reading.on('text', onText)
  return reading.finalMessage()
}

const FINISHES: Readonly<Record<string, SdkReply['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-call',
  refusal: 'declined',
}

function readMessage({ content, stop_reason, stop_details, usage }: Message): SdkReply {
  const read = usage.cache_read_input_tokens ?? 0
  return {
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    thoughts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    finish: FINISHES[stop_reason ?? ''] ?? 'unknown',
    refusal: stop_details?.explanation ?? null,
    usage: {
      prompt: usage.input_tokens + read + (usage.cache_creation_input_tokens ?? 0),
      cached: read,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  }
}
