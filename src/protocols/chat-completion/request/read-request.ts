import { openingText, upToFirst } from '../../../conversation/opening.ts'
import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import {
  findTopLevelMembers,
  type LongStrings,
  type Replacement,
  replaceInPieces,
  replaceMembers,
  TopLevelMembers,
  withoutMember,
} from '../../../wire/json-members.ts'
import { asObject, isObject } from '../../../wire/json-values.ts'
import type { TextPieces } from '../../../wire/pieced-body.ts'
import type { ClientRequest, RequestFacts, StoredRequest, StreamTap, SupplierLimits } from '../../protocol.ts'
import { checkMediaParts, MAX_BIAS_CHARACTERS, MAX_BIASED_TOKENS } from '../../request-limits.ts'
import { requestUsage } from '../../token-details.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply, type ReplyOptions } from '../reply/encode-reply.ts'
import { countBesideContent } from '../reply/usage.ts'
import { asKnownPart, type ChatContent, type ChatMessage, type ChatRequest } from '../schema.ts'
import { readStored } from '../stored.ts'
import { ChatStreamEncoder } from '../stream/encode-stream.ts'
import { FoldingEncoder, FoldingTap } from '../stream/fold-chunks.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { decodeRequest, decodeSettings, wantsFunctionCall } from './decode-request.ts'
import { validateRequest } from './validate.ts'

/** Validates and reads a parsed body. `text` is its JSON text. */
export function readRequest(body: unknown, text: string): ClientRequest {
  if (text.length > MAX_BIAS_CHARACTERS) refuseLongBias(body, text)
  const request = validateRequest(body)
  return request.store === true ? readStoredRequest(request, text) : new ReadChatRequest(request, text)
}

/** The gateway stores the completion itself: suppliers are asked to store nothing, and get no metadata to list it by. */
function readStoredRequest(request: ChatRequest, text: string): ClientRequest {
  const { store: _store, metadata: _metadata, ...sent } = request
  const members = findTopLevelMembers(text)
  const store = members.get('store')
  const unstored = store === undefined ? text : replaceMembers(text, [{ span: store, json: 'false' }])
  return new ReadChatRequest(sent, withoutMember(unstored, 'metadata'), readStored(request))
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
  readonly storing: StoredRequest | undefined
  readonly #request: ChatRequest
  readonly #text: string
  readonly #members: TopLevelMembers
  readonly #wantsUsage: boolean
  /** Asks the supplier for usage; null when the reply is not a stream or the client already asks for it. */
  readonly #usageChange: Replacement | null

  constructor(request: ChatRequest, text: string, storing?: StoredRequest) {
    this.storing = storing
    const members = new TopLevelMembers(text, request)
    this.facts = readFacts(request, members)
    this.#request = request
    this.#text = text
    this.#members = members
    this.#wantsUsage = request.stream_options?.include_usage === true
    const lacksUsage = request.stream === true && !this.#wantsUsage
    this.#usageChange = lacksUsage ? requestUsage(members, text) : null
  }

  get client(): ClientSide {
    const side = clientSide(this.#request, this.#wantsUsage)
    return this.storing === undefined ? side : foldingSide(side)
  }

  get longStrings(): LongStrings {
    return this.#members.longStrings
  }

  /** The client's text with the supplier's model name, and with usage enabled for a stream. Every other byte is kept. */
  relayBody(upstreamModel: string): TextPieces {
    const changes = this.#usageChange === null ? [] : [this.#usageChange]
    const model = upstreamModel === this.#request.model ? undefined : this.#members.get('model')
    if (model !== undefined) changes.push({ span: model, json: JSON.stringify(upstreamModel) })
    return replaceInPieces(this.#text, changes)
  }

  openTap(): StreamTap {
    const tap = new UsageTap({ keepsUsageChunk: this.#wantsUsage })
    return this.storing === undefined ? tap : new FoldingTap(tap)
  }

  conversationHint(): string | null {
    const { prompt_cache_key, messages } = this.#request
    return prompt_cache_key ?? openingText(upToFirst(messages, ({ role }) => role === 'user'))
  }

  fits(limits: SupplierLimits): boolean {
    return fitsSupplier(this.#request, this.#text, limits)
  }
}

function clientSide(request: ChatRequest, wantsUsage: boolean): ClientSide {
  const options: ReplyOptions = { wantsUsage, wantsFunctionCall: wantsFunctionCall(request) }
  return {
    decode: () => decodeRequest(request),
    decodeSettings: () => decodeSettings(request),
    encodeReply: (answer, context) => encodeReply(answer, context, options),
    openEncoder: (context) => new ChatStreamEncoder(context, options),
  }
}

function foldingSide(side: ClientSide): ClientSide {
  return { ...side, openEncoder: (context) => new FoldingEncoder(side.openEncoder(context)) }
}

function readFacts(request: ChatRequest, members: TopLevelMembers): RequestFacts {
  let promptCharacters = countDefinitions(request, members)
  let mediaParts = 0
  for (const message of request.messages) {
    const { role, content } = message
    if (typeof content === 'string') promptCharacters += content.length
    else if (content) {
      promptCharacters += countText(content)
      mediaParts += countMedia(content)
    }
    if ('name' in message) promptCharacters += message.name?.length ?? 0
    if (role === 'assistant') promptCharacters += countBesideContent(message)
  }
  if (mediaParts > 0) checkMediaParts(mediaParts, 'messages')
  const { max_tokens, max_completion_tokens } = request
  return {
    model: request.model,
    stream: request.stream === true,
    promptCharacters,
    mediaParts,
    // Suppliers differ in which of the two they apply, so the reservation must cover the larger one.
    maxOutputTokens: Math.max(max_tokens ?? 0, max_completion_tokens ?? 0) || null,
    choices: request.n ?? 1,
    // Spoken answers are only relayed, and only what the gateway writes itself can be shortened.
    ...(request.modalities?.includes('audio') && ({ isHeldWhole: true } as const)),
  }
}

/** Counts definitions by their length in the text, because deep nesting could overflow `JSON.stringify`. */
function countDefinitions(request: ChatRequest, members: TopLevelMembers): number {
  let characters = request.prediction ? countText(request.prediction.content) : 0
  if (request.tools !== undefined) characters += memberLength(members, 'tools')
  if (request.functions !== undefined) characters += memberLength(members, 'functions')
  if (request.response_format?.type !== 'json_schema') return characters
  return characters + memberLength(members, 'response_format')
}

function countText(content: ChatContent): number {
  if (typeof content === 'string') return content.length
  let characters = 0
  for (const part of content) {
    const known = asKnownPart(part)
    if (known?.type === 'text') characters += known.text.length
    else if (known?.type === 'refusal') characters += known.refusal.length
  }
  return characters
}

function countMedia(parts: Exclude<ChatContent, string>): number {
  let mediaParts = 0
  for (const { type } of parts) if (type !== 'text' && type !== 'refusal') mediaParts += 1
  return mediaParts
}

function memberLength(members: TopLevelMembers, name: string): number {
  const span = members.get(name)
  return span ? span.end - span.start : 0
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
