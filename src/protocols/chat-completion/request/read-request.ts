import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/traits.ts'
import {
  findTopLevelMembers,
  insertionOf,
  insertMember,
  type Replacement,
  replaceMembers,
  TopLevelMembers,
} from '../../../wire/json-members.ts'
import { asObject, isObject } from '../../../wire/json-values.ts'
import { openingText, upToFirst } from '../../opening.ts'
import type { ClientRequest, RequestFacts, SupplierLimits } from '../../protocol.ts'
import { checkMediaParts, MAX_BIAS_CHARACTERS, MAX_BIASED_TOKENS } from '../../request-limits.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply, type ReplyWishes } from '../reply/encode-reply.ts'
import { countBesideContent } from '../reply/usage.ts'
import { asKnownPart, type ChatContent, type ChatMessage, type ChatRequest } from '../schema.ts'
import { ChatStreamEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { decodeRequest, wantsFunctionCall } from './decode-request.ts'
import { validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is what was parsed. */
export function readRequest(body: unknown, text: string): ClientRequest {
  if (text.length > MAX_BIAS_CHARACTERS) refuseLongBias(body, text)
  return new ReadChatRequest(validateRequest(body), text)
}

/** Before the check of its members, which would hold up everybody else. */
function refuseLongBias(body: unknown, text: string): void {
  if (!isObject(asObject(body)?.logit_bias)) return
  const span = findTopLevelMembers(text).get('logit_bias')
  if (span === undefined || span.end - span.start <= MAX_BIAS_CHARACTERS) return
  const message = `logit_bias may have at most ${MAX_BIASED_TOKENS} members.`
  throw new GatewayError('invalid_request', message, { param: 'logit_bias' })
}

/** A class and not an object of functions: of what can be done with a request, most is not done with this one. */
class ReadChatRequest implements ClientRequest {
  readonly facts: RequestFacts
  readonly #request: ChatRequest
  readonly #text: string
  readonly #members: TopLevelMembers
  readonly #askedUsage: Replacement | null

  constructor(request: ChatRequest, text: string) {
    const members = new TopLevelMembers(text, request)
    this.facts = readFacts(request, members)
    this.#request = request
    this.#text = text
    this.#members = members
    this.#askedUsage = askForUsage(request, members, text)
  }

  get client(): ClientSide {
    return faceClient(this.#request)
  }

  relayBody(upstreamModel: string): string {
    const renamed = renameModel(this.#request, this.#members, upstreamModel)
    return relayBody(this.#text, this.#askedUsage, renamed)
  }

  openTap(): UsageTap {
    return new UsageTap({ keepsUsageChunk: wantsUsage(this.#request) })
  }

  conversationHint(): string | null {
    return this.#request.prompt_cache_key ?? openingText(openingOf(this.#request))
  }

  fits(limits: SupplierLimits): boolean {
    return fitsSupplier(this.#request, this.#text, limits)
  }
}

function wantsUsage({ stream_options }: ChatRequest): boolean {
  return stream_options?.include_usage === true
}

function openingOf({ messages }: ChatRequest): readonly ChatMessage[] {
  return upToFirst(messages, ({ role }) => role === 'user')
}

function faceClient(request: ChatRequest): ClientSide {
  const wishes: ReplyWishes = {
    wantsUsage: wantsUsage(request),
    wantsFunctionCall: wantsFunctionCall(request),
  }
  return {
    decode: () => decodeRequest(request),
    encodeReply: (answer, context) => encodeReply(answer, context, wishes),
    openEncoder: (context) => new ChatStreamEncoder(context, wishes),
  }
}

function readFacts(request: ChatRequest, members: TopLevelMembers): RequestFacts {
  let mediaParts = 0
  for (const { content } of request.messages) mediaParts += countMedia(content)
  checkMediaParts(mediaParts, 'messages')
  return {
    model: request.model,
    stream: request.stream === true,
    promptCharacters: countPrompt(request, members),
    mediaParts,
    maxOutputTokens: readOutputLimit(request),
    choices: request.n ?? 1,
  }
}

// Suppliers differ in which of the two they obey, so the larger one is what may have to be paid for.
function readOutputLimit({ max_tokens, max_completion_tokens }: ChatRequest): number | null {
  const limit = Math.max(max_tokens ?? 0, max_completion_tokens ?? 0)
  return limit === 0 ? null : limit
}

/** Definitions are counted by their length in the text: they may nest too deeply to be written out again. */
function countPrompt(request: ChatRequest, members: TopLevelMembers): number {
  let characters = countText(request.prediction?.content)
  for (const message of request.messages) characters += countMessage(message)
  if (request.tools !== undefined) characters += memberLength(members, 'tools')
  if (request.functions !== undefined) characters += memberLength(members, 'functions')
  if (request.response_format?.type !== 'json_schema') return characters
  return characters + memberLength(members, 'response_format')
}

function countMessage(message: ChatMessage): number {
  const name = 'name' in message ? (message.name?.length ?? 0) : 0
  const said = name + countText(message.content)
  return message.role === 'assistant' ? said + countBesideContent(message) : said
}

function countText(content: ChatContent | null | undefined): number {
  if (content === null || content === undefined) return 0
  if (typeof content === 'string') return content.length
  let characters = 0
  for (const part of content) {
    const known = asKnownPart(part)
    if (known?.type === 'text') characters += known.text.length
    else if (known?.type === 'refusal') characters += known.refusal.length
  }
  return characters
}

function countMedia(content: ChatContent | null | undefined): number {
  if (!Array.isArray(content)) return 0
  let parts = 0
  for (const { type } of content) if (type !== 'text' && type !== 'refusal') parts += 1
  return parts
}

function memberLength(members: TopLevelMembers, name: string): number {
  const span = members.get(name)
  return span ? span.end - span.start : 0
}

/**
 * The client's own text for a supplier: only the model name changes, and a stream always asks for usage. Every other
 * byte stays as it was.
 */
function relayBody(text: string, askedUsage: Replacement | null, renamed: Replacement | null): string {
  if (askedUsage === null && renamed === null) return text
  return replaceMembers(
    text,
    [askedUsage, renamed].filter((change) => change !== null),
  )
}

/** null when the supplier has the same name for it. */
function renameModel(
  { model }: ChatRequest,
  members: TopLevelMembers,
  upstreamModel: string,
): Replacement | null {
  const span = upstreamModel === model ? undefined : members.get('model')
  return span === undefined ? null : { span, json: JSON.stringify(upstreamModel) }
}

/** Without usage there is nothing to charge by; null when it comes by itself or was asked for. */
function askForUsage(
  { stream, stream_options }: ChatRequest,
  members: TopLevelMembers,
  text: string,
): Replacement | null {
  if (stream !== true || stream_options?.include_usage === true) return null
  const span = members.get('stream_options')
  if (span === undefined) return insertionOf(text, 'stream_options', '{"include_usage":true}')
  return { span, json: withIncludeUsage(text.slice(span.start, span.end)) }
}

function withIncludeUsage(options: string): string {
  if (options === 'null') return '{"include_usage":true}'
  const flag = findTopLevelMembers(options).get('include_usage')
  if (flag === undefined) return insertMember(options, 'include_usage', 'true')
  return replaceMembers(options, [{ span: flag, json: 'true' }])
}

/** Whether a supplier with these limits can be sent the client's own text. */
function fitsSupplier(request: ChatRequest, text: string, limits: SupplierLimits): boolean {
  // A signature that we sealed has to be opened on its way to the supplier that made it.
  if (mayCarryEnvelope(text) || !fitsParameters(request, limits.traits)) return false
  return request.messages.every((message) => fitsMessage(message, limits))
}

function fitsParameters(request: ChatRequest, traits: Partial<Traits>): boolean {
  if ((request.n ?? 1) > (traits.maxChoices ?? Number.POSITIVE_INFINITY)) return false
  if (traits.stop === false && (request.stop?.length ?? 0) > 0) return false
  if (traits.logprobs === false && request.logprobs === true) return false
  const format = request.response_format?.type ?? 'text'
  if (format === 'json_schema') return (traits.structured ?? 'schema') === 'schema'
  return format === 'text' || traits.structured !== 'none'
}

function fitsMessage(message: ChatMessage, { traits, takesMessageNames }: SupplierLimits): boolean {
  if (traits.developerRole === false && message.role === 'developer') return false
  if (!takesMessageNames && 'name' in message && message.name) return false
  return fitsImages(message, traits) && hasThoughts(message, traits)
}

function fitsImages({ content }: ChatMessage, { vision, urlImages }: Partial<Traits>): boolean {
  if (!Array.isArray(content) || (vision !== false && urlImages !== false)) return true
  return content.every((part) => {
    const known = asKnownPart(part)
    return known?.type !== 'image_url' || (vision !== false && !/^https?:/i.test(known.image_url.url))
  })
}

/** Only with its calls does such a supplier want to see again what it thought; the gateway may remember it. */
function hasThoughts(message: ChatMessage, { needsReasoningContent }: Partial<Traits>): boolean {
  if (needsReasoningContent !== true || message.role !== 'assistant') return true
  return !message.tool_calls?.length || typeof asObject(message)?.reasoning_content === 'string'
}
