import { createHash } from 'node:crypto'
import type {
  Answer,
  AnswerChoice,
  AnswerEnding,
  AnswerPart,
  FinishReason,
} from '../../../conversation/answer.ts'
import { decodeImageUrl, type ImagePart, type ToolCallPart, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { decodeUsage } from '../../token-details.ts'
import type { SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { readCallSignature, readThinkingText, thinkingPart } from '../thinking.ts'
import { decodeCitations, decodeLogprobs } from './annotations.ts'
import { decodeFinish } from './finish.ts'

/** Decodes a whole reply. Returns null if it has no choices, a choice without a message, or an error. */
export function decodeReply(body: unknown, context: SupplyContext): Answer | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error)) return null
  const id = asText(reply.id) ?? ''
  const choices = new Map<number, AnswerChoice>()
  for (const [position, item] of asArray(reply.choices).entries()) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (choice === null || message === null || isObject(choice.error)) return null
    const index = readIndex(choice, position)
    choices.set(index, decodeChoice({ choice, message, index, id }, context))
  }
  if (choices.size === 0) return null
  const inOrder = [...choices.values()].sort((one, other) => one.index - other.index)
  return { id, choices: inOrder, usage: decodeUsage(reply.usage, reply.service_tier) }
}

/** How a whole reply ended. */
export function readEnding(body: unknown): AnswerEnding | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error)) return null
  const reasons: FinishReason[] = []
  for (const item of asArray(reply.choices)) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (choice === null || message === null || isObject(choice.error)) return null
    if (readIndex(choice, reasons.length) !== reasons.length) return null
    const contents = { hasCalls: hasCalls(message), hasRefusal: (asText(message.refusal) ?? '') !== '' }
    reasons.push(decodeFinish(asText(choice.finish_reason), contents).reason)
  }
  return reasons.length === 0 ? null : { id: asText(reply.id) ?? '', reasons }
}

function hasCalls(message: JsonObject): boolean {
  if (!message.tool_calls && !message.function_call) return false
  return readCalls(message).some(({ name }) => name !== null)
}

function readIndex({ index }: JsonObject, position: number): number {
  return Number.isSafeInteger(index) && Number(index) >= 0 ? Number(index) : position
}

interface WireChoice {
  readonly choice: JsonObject
  readonly message: JsonObject
  readonly index: number
  readonly id: string
}

function decodeChoice({ choice, message, index, id }: WireChoice, context: SupplyContext): AnswerChoice {
  const content = readMessageContent(message)
  const calls = decodeCalls(content, { answerId: id, choice: index }, context)
  const contents = { hasCalls: calls.length > 0, hasRefusal: content.refusal !== '' }
  return {
    index,
    parts: [...decodeTextParts(content), ...content.images, ...calls],
    finish: decodeFinish(asText(choice.finish_reason), contents),
    logprobs: decodeLogprobs(choice.logprobs),
  }
}

function decodeTextParts({ thinking, text, refusal, annotations }: MessageContent): AnswerPart[] {
  const parts: AnswerPart[] = []
  if (thinking !== '') parts.push(thinkingPart(thinking))
  if (text !== '') parts.push({ ...textPart(text), citations: decodeCitations(annotations, 0) })
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal })
  return parts
}

function decodeCalls(
  { calls }: MessageContent,
  place: { readonly answerId: string; readonly choice: number },
  context: SupplyContext,
): ToolCallPart[] {
  // A client cannot answer a call without a name.
  const named = calls.flatMap((call) => (call.name === null ? [] : [{ ...call, name: call.name }]))
  const taken = new Set<string>()
  const isRepeated = (id: string) => taken.size === taken.add(id).size
  return named.map(({ id, name, kind, input, signature }, number) => ({
    type: 'tool-call',
    id: id === null || isRepeated(id) ? makeCallId({ ...place, number }) : id,
    name,
    kind,
    input,
    namespace: null,
    proof: signature === null ? null : makeProof(signature, context),
  }))
}

/** The contents of a message or delta, in the order of the answer's parts. */
export interface MessageContent {
  readonly thinking: string
  readonly text: string
  readonly refusal: string
  readonly images: readonly ImagePart[]
  readonly calls: readonly CallPiece[]
  readonly annotations: unknown
}

/** A whole call, or the fields of it that one delta carries. */
export interface CallPiece {
  readonly index: number | null
  readonly id: string | null
  readonly name: string | null
  readonly kind: ToolCallPart['kind']
  readonly input: string
  readonly signature: string | null
}

/** Reads a message or delta, in the official form or that of a compatible supplier. */
export function readMessageContent(message: JsonObject): MessageContent {
  const content = readContent(message.content)
  return {
    thinking: readThinkingText(message) || content.thinking,
    text: content.text,
    refusal: asText(message.refusal) ?? '',
    images: asArray(message.images).flatMap(readImage),
    calls: readCalls(message),
    annotations: message.annotations,
  }
}

// Some suppliers send a list of parts, which may include thinking.
function readContent(content: unknown): { readonly text: string; readonly thinking: string } {
  if (!Array.isArray(content)) return { text: asText(content) ?? '', thinking: '' }
  let text = ''
  let thinking = ''
  for (const item of content) {
    const part = asObject(item) ?? {}
    if (part.type === 'thinking') thinking += readThought(part.thinking)
    else text += asText(part.text) ?? ''
  }
  return { text, thinking }
}

function readThought(thinking: unknown): string {
  if (!Array.isArray(thinking)) return asText(thinking) ?? ''
  return thinking.map((piece) => asText(asObject(piece)?.text) ?? '').join('')
}

function readImage(image: unknown): ImagePart[] {
  const { image_url } = asObject(image) ?? {}
  const url = asText(asObject(image_url)?.url) ?? asText(image_url)
  return url === null ? [] : [{ type: 'image', source: decodeImageUrl(url), detail: null, cache: null }]
}

function readCalls({ tool_calls, function_call }: JsonObject): CallPiece[] {
  const calls = asArray(tool_calls).flatMap((call) => {
    const piece = asObject(call)
    return piece === null ? [] : [readCall(piece)]
  })
  const deprecated = asObject(function_call)
  return deprecated === null ? calls : [...calls, readCall({ index: 0, function: deprecated })]
}

function readCall(call: JsonObject): CallPiece {
  const custom = asObject(call.custom)
  const called = asObject(call.function) ?? custom ?? {}
  return {
    index: Number.isSafeInteger(call.index) ? Number(call.index) : null,
    id: asText(call.id),
    name: asText(called.name),
    kind: custom === null ? 'function' : 'custom',
    input: readInput(called.arguments ?? called.input),
    signature: readCallSignature(call),
  }
}

/** Deeper nesting could overflow the stack in `JSON.stringify`, and no tool needs it. */
const MAX_NESTING = 500

// Some suppliers send the arguments as an object instead of text.
function readInput(input: unknown): string {
  if (typeof input === 'string') return input
  const isTree = typeof input === 'object' && input !== null
  return isTree && nestsWithin(input, MAX_NESTING) ? JSON.stringify(input) : ''
}

function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1))
}

/** The position of a call in an answer. */
export interface CallPlace {
  readonly answerId: string
  readonly choice: number
  /** The number of the call within its choice. */
  readonly number: number
}

/** Makes a unique id for a call without one. A stream and a whole reply give the same id. */
export function makeCallId({ answerId, choice, number }: CallPlace): string {
  const digest = createHash('sha256').update(`${answerId}\n${choice}\n${number}`).digest('hex')
  return `call_${digest.slice(0, 24)}`
}

export function makeProof(signature: string, { upstreamModel, route }: SupplyContext): Proof {
  return { origin: FORMAT, model: upstreamModel, route, on: 'tool-call', value: signature, itemId: null }
}
