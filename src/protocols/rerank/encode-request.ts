import type { EncodedRerankRequest, RerankRequest } from '../../conversation/families/rerank.ts'
import { rewriteMembers } from '../../wire/json-members.ts'
import type { RerankSupply } from '../family-sides.ts'

/**
 * The client's own body, for suppliers of this format. The vendors differ in what documents may be and in whether
 * they return them, so suppliers get texts where there are texts, and the gateway returns the documents itself.
 */
export function encodeRequest(
  request: RerankRequest,
  { upstreamModel, refused }: RerankSupply,
): EncodedRerankRequest {
  const { documents, texts, others, bodyText } = request
  const isAllText = documents.every((document) => typeof document === 'string')
  const dropped = refused.filter((name) => others.some(([chosen]) => chosen === name))
  const body = rewriteMembers(bodyText, {
    model: upstreamModel,
    ...(!isAllText && { documents: documents.map((document, place) => texts[place] ?? document) }),
    return_documents: null,
    rank_fields: null,
    ...Object.fromEntries(dropped.map((name) => [name, null])),
  })
  return { body, dropped }
}
