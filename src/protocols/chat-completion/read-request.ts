import { findTopLevelMembers, type Span } from '../../wire/json-members.ts'
import { openingText, upToFirst } from '../opening.ts'
import type { ClientRequest, RequestFacts } from '../protocol.ts'
import type { ClientSide } from '../translation.ts'
import { countGenerated } from './count-generated.ts'
import { decodeRequest, wantsFunctionCall } from './decode-request.ts'
import { encodeReply, type ReplyWishes } from './encode-reply.ts'
import { ChatStreamEncoder } from './encode-stream.ts'
import { fitsSupplier } from './fits-supplier.ts'
import { prepareRelay } from './relay-body.ts'
import { asKnownPart, type ChatContent, type ChatMessage, type ChatRequest } from './schema.ts'
import { UsageTap } from './tap-usage.ts'
import { validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is what was parsed. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = validateRequest(body)
  const members = findTopLevelMembers(text)
  const keepsUsageChunk = request.stream_options?.include_usage === true
  return {
    facts: readFacts(request, members),
    relayBody: prepareRelay(request, text, members),
    openTap: () => new UsageTap({ keepsUsageChunk }),
    conversationHint: () => request.prompt_cache_key ?? openingText(openingOf(request)),
    fits: (limits) => fitsSupplier(request, text, limits),
    client: faceClient(request, keepsUsageChunk),
  }
}

function openingOf({ messages }: ChatRequest): readonly ChatMessage[] {
  return upToFirst(messages, ({ role }) => role === 'user')
}

function faceClient(request: ChatRequest, wantsUsage: boolean): ClientSide {
  const wishes: ReplyWishes = { wantsUsage, wantsFunctionCall: wantsFunctionCall(request) }
  return {
    decode: () => decodeRequest(request),
    encodeReply: (answer, context) => encodeReply(answer, context, wishes),
    openEncoder: (context) => new ChatStreamEncoder(context, wishes),
  }
}

function readFacts(request: ChatRequest, members: ReadonlyMap<string, Span>): RequestFacts {
  return {
    model: request.model,
    stream: request.stream === true,
    promptCharacters: countPrompt(request, members),
    mediaParts: sum(request.messages, ({ content }) => countMedia(content)),
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
function countPrompt(request: ChatRequest, members: ReadonlyMap<string, Span>): number {
  return (
    sum(request.messages, countMessage) +
    countText(request.prediction?.content) +
    memberLength(members.get('tools')) +
    memberLength(members.get('functions')) +
    (request.response_format?.type === 'json_schema' ? memberLength(members.get('response_format')) : 0)
  )
}

function countMessage(message: ChatMessage): number {
  const name = 'name' in message ? (message.name?.length ?? 0) : 0
  if (message.role !== 'assistant') return name + countText(message.content)
  // `content` may be an array here, which an answer's own count does not know.
  return name + countText(message.content) + countGenerated({ ...message, content: null })
}

function countText(content: ChatContent | null | undefined): number {
  if (content === null || content === undefined) return 0
  if (typeof content === 'string') return content.length
  return sum(content, (part) => {
    const known = asKnownPart(part)
    if (known?.type === 'text') return known.text.length
    return known?.type === 'refusal' ? known.refusal.length : 0
  })
}

function countMedia(content: ChatContent | null | undefined): number {
  if (!Array.isArray(content)) return 0
  return content.filter((part) => part.type !== 'text' && part.type !== 'refusal').length
}

function memberLength(span: Span | undefined): number {
  return span ? span.end - span.start : 0
}

function sum<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.reduce((total, item) => total + measure(item), 0)
}
