import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
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
import { encodeReply, type ReplyOptions } from '../reply/encode-reply.ts'
import { countBesideContent } from '../reply/usage.ts'
import { asKnownPart, type ChatContent, type ChatMessage, type ChatRequest } from '../schema.ts'
import { ChatStreamEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { decodeRequest, wantsFunctionCall } from './decode-request.ts'
import { validateRequest } from './validate.ts'

/** Validates and reads a parsed body. `text` is its JSON text. */
export function readRequest(body: unknown, text: string): ClientRequest {
  if (text.length > MAX_BIAS_CHARACTERS) refuseLongBias(body, text)
  return new ReadChatRequest(validateRequest(body), text)
}

/** Runs before validation, which checks every member and would block other requests. */
function refuseLongBias(body: unknown, text: string): void {
  if (!isObject(asObject(body)?.logit_bias)) return
  const span = findTopLevelMembers(text).get('logit_bias')
  if (span === undefined || span.end - span.start <= MAX_BIAS_CHARACTERS) return
  const message = `logit_bias may have at most ${MAX_BIASED_TOKENS} members.`
  throw new GatewayError('invalid_request', message, { param: 'logit_bias' })
}

/** A class, because an object of closures would allocate all of them for every request and use few. */
class ReadChatRequest implements ClientRequest {
  readonly facts: RequestFacts
  readonly #request: ChatRequest
  readonly #text: string
  readonly #members: TopLevelMembers
  readonly #usageChange: Replacement | null

  constructor(request: ChatRequest, text: string) {
    const members = new TopLevelMembers(text, request)
    this.facts = readFacts(request, members)
    this.#request = request
    this.#text = text
    this.#members = members
    this.#usageChange = requestUsage(request, members, text)
  }

  get client(): ClientSide {
    return clientSide(this.#request)
  }

  relayBody(upstreamModel: string): string {
    const modelChange = renameModel(this.#request, this.#members, upstreamModel)
    return relayBody(this.#text, this.#usageChange, modelChange)
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

function clientSide(request: ChatRequest): ClientSide {
  const options: ReplyOptions = {
    wantsUsage: wantsUsage(request),
    wantsFunctionCall: wantsFunctionCall(request),
  }
  return {
    decode: () => decodeRequest(request),
    encodeReply: (answer, context) => encodeReply(answer, context, options),
    openEncoder: (context) => new ChatStreamEncoder(context, options),
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

// Suppliers differ in which of the two they apply, so the reservation must cover the larger one.
function readOutputLimit({ max_tokens, max_completion_tokens }: ChatRequest): number | null {
  const limit = Math.max(max_tokens ?? 0, max_completion_tokens ?? 0)
  return limit === 0 ? null : limit
}

/** Counts definitions by their length in the text, because deep nesting could overflow `JSON.stringify`. */
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
  const characters = name + countText(message.content)
  return message.role === 'assistant' ? characters + countBesideContent(message) : characters
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

/** The client's text with the supplier's model name, and with usage enabled for a stream. Every other byte is kept. */
function relayBody(text: string, usageChange: Replacement | null, modelChange: Replacement | null): string {
  if (usageChange === null && modelChange === null) return text
  return replaceMembers(
    text,
    [usageChange, modelChange].filter((change) => change !== null),
  )
}

/** Returns null when the supplier uses the same name. */
function renameModel(
  { model }: ChatRequest,
  members: TopLevelMembers,
  upstreamModel: string,
): Replacement | null {
  const span = upstreamModel === model ? undefined : members.get('model')
  return span === undefined ? null : { span, json: JSON.stringify(upstreamModel) }
}

/** Charging needs the usage. Returns null when the reply is not a stream or the client already asked for usage. */
function requestUsage(
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

/** True when a supplier with these limits accepts the client's text unchanged. */
function fitsSupplier(request: ChatRequest, text: string, limits: SupplierLimits): boolean {
  // The gateway must unseal its own envelopes before it forwards a signature.
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
  return fitsImages(message, traits) && hasRequiredThinking(message, traits)
}

function fitsImages({ content }: ChatMessage, { vision, urlImages }: Partial<Traits>): boolean {
  if (!Array.isArray(content) || (vision !== false && urlImages !== false)) return true
  return content.every((part) => {
    const known = asKnownPart(part)
    return known?.type !== 'image_url' || (vision !== false && !/^https?:/i.test(known.image_url.url))
  })
}

/** Such a supplier needs its thinking back beside its tool calls. Translation can add it, a relay cannot. */
function hasRequiredThinking(message: ChatMessage, { needsReasoningContent }: Partial<Traits>): boolean {
  if (needsReasoningContent !== true || message.role !== 'assistant') return true
  return !message.tool_calls?.length || typeof asObject(message)?.reasoning_content === 'string'
}
