import type { Answer } from '../../../conversation/answer.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodeFinish } from './finish.ts'
import { asResponse } from './read-reply.ts'
import { decodeLogprobs, decodeOutputItem } from './supplier-part.ts'
import { decodeUsage } from './usage.ts'

/** Reads a supplier's whole reply; null when it is not one. */
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
    usage: decodeUsage(response.usage),
  }
}

function logprobsOf(item: JsonObject) {
  if (item.type !== 'message') return []
  return asArray(item.content).flatMap((part) => decodeLogprobs(asObject(part)?.logprobs))
}
