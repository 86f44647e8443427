import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import { type ToolCallPart, textPart } from '../../../conversation/part.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { thought } from '../thinking.ts'
import { decodeCitations } from './citations.ts'
import { makeCallId, makeProof, readSaying, type Saying } from './decode-answer.ts'
import { decodeFinish } from './finish.ts'
import { decodeLogprobs } from './logprobs.ts'
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
