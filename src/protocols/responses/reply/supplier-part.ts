import type { AnswerPart, TokenLogprob } from '../../../conversation/answer.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodePart } from '../content.ts'
import { FORMAT } from '../format-name.ts'
import { thinkingTextOf } from '../reasoning-item.ts'
import { decodeCall, opaqueItem } from '../request/decode-items.ts'

/** The parts of an answer that an output item holds. */
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
      return [decodePicture(item)]
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

function decodePicture(item: JsonObject): AnswerPart {
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
