import { createHash } from 'node:crypto'
import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import { decodeImageUrl } from '../../../conversation/image-source.ts'
import { type ImagePart, type ToolCallPart, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { readCallSignature, readThinkingText, thought } from '../thinking.ts'
import { decodeCitations, decodeLogprobs } from './annotations.ts'
import { decodeFinish } from './finish.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole reply; null when it is not one: no choices, a choice without a message, or an error under a 200. */
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
  return { id, choices: inOrder, usage: decodeUsage(reply.usage) }
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
  const saying = readSaying(message)
  const calls = decodeCalls(saying, { answerId: id, choice: index }, context)
  const contents = { hasCalls: calls.length > 0, hasRefusal: saying.refusal !== '' }
  return {
    index,
    parts: [...decodeSaid(saying), ...saying.images, ...calls],
    finish: decodeFinish(asText(choice.finish_reason), contents),
    logprobs: decodeLogprobs(choice.logprobs),
  }
}

function decodeSaid({ thinking, text, refusal, annotations }: Saying): AnswerPart[] {
  const parts: AnswerPart[] = []
  if (thinking !== '') parts.push(thought(thinking))
  if (text !== '') parts.push({ ...textPart(text), citations: decodeCitations(annotations, 0) })
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal })
  return parts
}

function decodeCalls(
  { calls }: Saying,
  place: { readonly answerId: string; readonly choice: number },
  context: SupplyContext,
): ToolCallPart[] {
  // A call of nothing cannot be answered.
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

/** What a message or a delta says, in the order in which it is to be told. */
export interface Saying {
  readonly thinking: string
  readonly text: string
  readonly refusal: string
  readonly images: readonly ImagePart[]
  readonly calls: readonly CallPiece[]
  readonly annotations: unknown
}

/** A call or a piece of one, as far as it was sent. */
export interface CallPiece {
  readonly index: number | null
  readonly id: string | null
  readonly name: string | null
  readonly kind: ToolCallPart['kind']
  readonly input: string
  readonly signature: string | null
}

/** Reads a message or a delta, in the official shape or one of those that suppliers of this format use. */
export function readSaying(message: JsonObject): Saying {
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

// Some suppliers give a list of parts, thoughts among them.
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

/** No tool takes arguments nested deeper than this, and writing out what nests without bound overflows the stack. */
const MOST_LEVELS = 500

// Arguments are text, but some suppliers give the object itself.
function readInput(input: unknown): string {
  if (typeof input === 'string') return input
  const isTree = typeof input === 'object' && input !== null
  return isTree && nestsWithin(input, MOST_LEVELS) ? JSON.stringify(input) : ''
}

function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1))
}

/** Where in an answer a call stands. */
export interface CallPlace {
  readonly answerId: string
  readonly choice: number
  /** Which call of the choice it is. */
  readonly number: number
}

/**
 * The id of a call whose supplier gave none: the same for a stream as for the whole reply, and different for every
 * call of every answer.
 */
export function makeCallId({ answerId, choice, number }: CallPlace): string {
  const digest = createHash('sha256').update(`${answerId}\n${choice}\n${number}`).digest('hex')
  return `call_${digest.slice(0, 24)}`
}

export function makeProof(signature: string, { upstreamModel, route }: SupplyContext): Proof {
  return { origin: FORMAT, model: upstreamModel, route, on: 'tool-call', value: signature, itemId: null }
}
