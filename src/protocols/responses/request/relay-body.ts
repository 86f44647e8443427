import { openProof } from '../../../conversation/proof.ts'
import {
  findTopLevelMembers,
  insertionOf,
  type Members,
  type Replacement,
  removalOf,
  replaceInPieces,
  withoutMember,
} from '../../../wire/json-members.ts'
import { asObject } from '../../../wire/json-values.ts'
import type { TextPieces } from '../../../wire/pieced-body.ts'
import type { ResponsesRequest } from '../schema.ts'
import { inputItemsOf } from './input-items.ts'
import { ENCRYPTED_REASONING } from './parameters.ts'

/**
 * Prepares the client's text for a supplier. The gateway stores the state, so it sets `store` and `background` to false,
 * removes `previous_response_id` and `conversation`, and asks for encrypted reasoning. Every other byte is kept.
 */
export function prepareRelay(
  request: ResponsesRequest,
  own: string,
  ownMembers: Members,
): (upstreamModel: string) => TextPieces {
  // Apart from the other changes, because two members that are removed may share a comma.
  const text = request.conversation === undefined ? own : withoutMember(own, 'conversation')
  const members = text === own ? ownMembers : findTopLevelMembers(text)
  // Insertions come before the removal. All may be at the same position and apply in this order.
  const always = [
    ...forbidStoring(request, text, members),
    ...forbidBackground(request, members),
    ...includeReasoning(request, text, members),
    ...removalOf(text, members.get('previous_response_id')),
  ]
  const model = members.get('model')
  return (upstreamModel) => {
    if (model === undefined || upstreamModel === request.model) return replaceInPieces(text, always)
    return replaceInPieces(text, [...always, { span: model, json: JSON.stringify(upstreamModel) }])
  }
}

/** False when the input holds a signature in the gateway's envelope, which no supplier can open. */
export function isRelayable(request: ResponsesRequest): boolean {
  return !inputItemsOf(request).some((item) => {
    const proof = asObject(item)?.encrypted_content
    return typeof proof === 'string' && openProof(proof) !== null
  })
}

function forbidStoring(request: ResponsesRequest, text: string, members: Members): Replacement[] {
  if (request.store === false) return []
  const span = members.get('store')
  return [span === undefined ? insertionOf(text, 'store', 'false') : { span, json: 'false' }]
}

/** The gateway itself makes responses in the background. */
function forbidBackground({ background }: ResponsesRequest, members: Members): Replacement[] {
  const span = members.get('background')
  return background === true && span !== undefined ? [{ span, json: 'false' }] : []
}

function includeReasoning(request: ResponsesRequest, text: string, members: Members): Replacement[] {
  const asked = request.include ?? []
  if (!thinks(request) || asked.includes(ENCRYPTED_REASONING)) return []
  const span = members.get('include')
  if (span === undefined) return [insertionOf(text, 'include', JSON.stringify([ENCRYPTED_REASONING]))]
  return [{ span, json: JSON.stringify([...asked, ENCRYPTED_REASONING]) }]
}

// Models without thinking refuse this value of `include`, so it is added only if the request uses thinking.
function thinks(request: ResponsesRequest): boolean {
  const { reasoning } = request
  if (reasoning && Object.values(reasoning).some((value) => value !== null)) return true
  return inputItemsOf(request).some((item) => asObject(item)?.type === 'reasoning')
}
