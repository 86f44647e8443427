import type { Answer, AnswerEnding, AnswerPart, TokenLogprob } from '../../../conversation/answer.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodePart } from '../content.ts'
import { FORMAT } from '../format.ts'
import { thinkingTextOf } from '../reasoning.ts'
import { decodeCall, opaqueItem } from '../request/decode-items.ts'
import { decodeFinish } from './finish.ts'
import { asResponse, decodeUsage } from './usage.ts'

/** Decodes a supplier's whole reply. Returns null when it is not valid. */
export function decodeReply(body: unknown, context: SupplyContext): Answer | null {
  const response = asResponse(body)
  if (response === null) return null
  const items = asArray(response.output).map((item) => asObject(item) ?? {})
  const parts = items.flatMap((item) => decodeOutputItem(item, context))
  const content = {
    hasCalls: parts.some(({ type }) => type === 'tool-call'),
    hasRefusal: parts.some(({ type }) => type === 'refusal'),
  }
  const logprobs = items.flatMap(logprobsOf)
  return {
    id: asText(response.id) ?? '',
    choices: [
      {
        index: 0,
        parts,
        finish: decodeFinish(response, content),
        logprobs: logprobs.length === 0 ? null : logprobs,
      },
    ],
    usage: decodeUsage(response),
  }
}

/** How a whole reply ended. */
export function readEnding(body: unknown): AnswerEnding | null {
  const response = asResponse(body)
  if (response === null) return null
  const items = asArray(response.output).map((item) => asObject(item) ?? {})
  const content = {
    hasCalls: items.some(({ type }) => type === 'function_call' || type === 'custom_tool_call'),
    hasRefusal: items.some(
      ({ type, content }) =>
        type === 'message' && asArray(content).some((part) => asObject(part)?.type === 'refusal'),
    ),
  }
  return { id: asText(response.id) ?? '', reasons: [decodeFinish(response, content).reason] }
}

function logprobsOf(item: JsonObject) {
  if (item.type !== 'message') return []
  return asArray(item.content).flatMap((part) => decodeLogprobs(asObject(part)?.logprobs))
}

/** Decodes an output item into the parts of an answer. */
export function decodeOutputItem(item: JsonObject, context: SupplyContext): AnswerPart[] {
  switch (item.type) {
    case 'message':
      return asArray(item.content).flatMap((part) => decodeOutputPart(asObject(part) ?? {}) ?? [])
    case 'reasoning': {
      const text = thinkingTextOf(item)
      const proof = proofOf(item, context)
      return text === '' && proof === null ? [] : [{ type: 'thinking', text, proof, isRedacted: false }]
    }
    case 'function_call':
      return [decodeCall(item, 'function')]
    case 'custom_tool_call':
      return [decodeCall(item, 'custom')]
    case 'image_generation_call':
      return [decodeGeneratedImage(item)]
    case undefined:
      return []
    default:
      return [opaqueItem(item)]
  }
}

export function decodeOutputPart(part: JsonObject): AnswerPart | null {
  return part.type === undefined ? null : decodePart(part)
}

export function proofOf(item: JsonObject, { upstreamModel, route }: SupplyContext): Proof | null {
  const value = asText(item.encrypted_content)
  if (value === null) return null
  return { origin: FORMAT, model: upstreamModel, route, on: 'thinking', value, itemId: asText(item.id) }
}

function decodeGeneratedImage(item: JsonObject): AnswerPart {
  const data = asText(item.result)
  if (data === null) return opaqueItem(item)
  const mediaType = `image/${asText(item.output_format) ?? 'png'}`
  return { type: 'image', source: { type: 'base64', mediaType, data }, detail: null, cache: null }
}

export function decodeLogprobs(logprobs: unknown): TokenLogprob[] {
  return asArray(logprobs).flatMap((entry) => {
    const { token, logprob, top_logprobs } = asObject(entry) ?? {}
    if (typeof token !== 'string' || typeof logprob !== 'number') return []
    return [{ token, logprob, top: decodeLogprobs(top_logprobs).map(({ top: _top, ...rest }) => rest) }]
  })
}
