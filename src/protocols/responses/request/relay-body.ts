import { openProof } from '../../../conversation/proof.ts'
import {
  findTopLevelMembers,
  insertionOf,
  type Replacement,
  replaceMembers,
  type Span,
} from '../../../wire/json-members.ts'
import { skipWhitespace } from '../../../wire/json-text.ts'
import { asObject } from '../../../wire/json-values.ts'
import type { ResponsesRequest } from '../schema.ts'
import { inputItemsOf } from './input-items.ts'

export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

/**
 * Prepares the client's own text for a supplier. Since the gateway keeps the state, the supplier is asked to store
 * nothing and is not told of earlier responses; thoughts then have to come back with their content. Every other byte
 * stays as it was.
 */
export function prepareRelay(request: ResponsesRequest, text: string): (upstreamModel: string) => string {
  const members = findTopLevelMembers(text)
  // Insertions stand before the removal: all may be at the same place, and they are made in this order.
  const always = [
    ...forbidStoring(request, text, members),
    ...askForThoughts(request, text, members),
    ...removeMember(text, members.get('previous_response_id')),
  ]
  const model = members.get('model')
  return (upstreamModel) => {
    if (model === undefined || upstreamModel === request.model) return replaceMembers(text, always)
    return replaceMembers(text, [...always, { span: model, json: JSON.stringify(upstreamModel) }])
  }
}

/** False when the input holds a signature in our own envelope, which no supplier could open. */
export function isRelayable(request: ResponsesRequest): boolean {
  return !inputItemsOf(request).some((item) => {
    const proof = asObject(item)?.encrypted_content
    return typeof proof === 'string' && openProof(proof) !== null
  })
}

type Members = ReadonlyMap<string, Span>

function forbidStoring(request: ResponsesRequest, text: string, members: Members): Replacement[] {
  if (request.store === false) return []
  const span = members.get('store')
  return [span === undefined ? insertionOf(text, 'store', 'false') : { span, json: 'false' }]
}

function askForThoughts(request: ResponsesRequest, text: string, members: Members): Replacement[] {
  const asked = request.include ?? []
  if (!thinks(request) || asked.includes(ENCRYPTED_REASONING)) return []
  const span = members.get('include')
  if (span === undefined) return [insertionOf(text, 'include', JSON.stringify([ENCRYPTED_REASONING]))]
  return [{ span, json: JSON.stringify([...asked, ENCRYPTED_REASONING]) }]
}

// Models that cannot think refuse the question for their thoughts, so it is asked only where thinking is wanted.
function thinks(request: ResponsesRequest): boolean {
  const { reasoning } = request
  if (reasoning && Object.values(reasoning).some((value) => value !== null)) return true
  return inputItemsOf(request).some((item) => asObject(item)?.type === 'reasoning')
}

/** Takes out a member, its name and one comma. */
function removeMember(text: string, value: Span | undefined): Replacement[] {
  if (value === undefined) return []
  const nameEnd = text.lastIndexOf('"', text.lastIndexOf(':', value.start))
  const nameStart = text.lastIndexOf('"', nameEnd - 1)
  const after = skipWhitespace(text, value.end)
  if (text[after] === ',') return [{ span: { start: nameStart, end: after + 1 }, json: '' }]
  const comma = text.lastIndexOf(',', nameStart)
  return [{ span: { start: comma === -1 ? nameStart : comma, end: value.end }, json: '' }]
}
