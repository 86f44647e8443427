import type { RerankRequest } from '../../../conversation/families/rerank.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import {
  type ApiVersion,
  dressError,
  RERANK_CONTRACTS,
  readRequest,
} from '../../../protocols/rerank/index.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Caller, IncomingRequest } from '../../admission/prepared-request.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family, FamilyEndpoint } from '../family.ts'
import { modelContract } from '../model-contract.ts'
import { planRerank } from './plan-rerank.ts'
import { type PreparedRerank, prepareRerank, type ReadRerank } from './prepare-rerank.ts'

/** Ranks documents by how well they match a query, for clients of one version of the API. */
function familyOf(version: ApiVersion): Family<string, ReadRerank, PreparedRerank> {
  return {
    receive: (exchange) => exchange.readText(),
    read: (text, caller, incoming) => readRerank(text, caller, { ...incoming, version }),
    modelOf: ({ rerankRequest }) => rerankRequest.model,
    prepare: prepareRerank,
    plan: planRerank,
  }
}

export const RERANK_ENDPOINTS: readonly FamilyEndpoint[] = (['1', '2'] as const).map((version) => ({
  path: `/v${version}/rerank`,
  family: familyOf(version),
  contract: modelContract(RERANK_CONTRACTS[version]),
  dressError,
}))

interface ReadingParts extends IncomingRequest {
  readonly version: ApiVersion
}

function readRerank(
  text: string,
  { account }: Caller,
  { gateway, version }: ReadingParts,
): MaybePromise<ReadRerank> {
  const body = parseJson(text)
  const bodies: BodyRecorder | null = gateway.bodies.begin(account.id, text)
  const finish = (rerankRequest: RerankRequest) => ({ rerankRequest, version, bodies })
  if (text.length <= LARGE_BODY_CHARACTERS) return finish(readRequest(body, text))
  return yieldLoop().then(() => finish(readRequest(body, text)))
}
