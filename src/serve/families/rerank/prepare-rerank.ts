import {
  countCharacters,
  countSearchUnits,
  type RerankRequest,
} from '../../../conversation/families/rerank.ts'
import { textDensity } from '../../../conversation/token-estimate.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type { RerankSide } from '../../../protocols/family-sides.ts'
import { RERANK_SIDES } from '../../../protocols/index.ts'
import type { RequestFacts } from '../../../protocols/protocol.ts'
import { type ApiVersion, rerank } from '../../../protocols/rerank/index.ts'
import type { EligibleRoute } from '../../../rules/routing/eligible-routes.ts'
import type { Caller, PreparedRequest, Target } from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { findModelOf, sideOf } from '../kinds.ts'

export interface ReadRerank {
  readonly rerankRequest: RerankRequest
  readonly version: ApiVersion
  readonly bodies: BodyRecorder | null
}

/** A rerank request that is ready for admission. */
export interface PreparedRerank extends PreparedRequest, Omit<ReadRerank, 'bodies'> {
  readonly tokensPerCharacter: number
}

export function prepareRerank(read: ReadRerank, caller: Caller, exchange: Exchange): PreparedRerank {
  const { rerankRequest } = read
  const tokensPerCharacter = textDensity([rerankRequest.query, rerankRequest.texts])
  return {
    ...read,
    exchange,
    caller,
    target: findRerankModel(caller, rerankRequest),
    protocol: rerank,
    tokensPerCharacter,
    request: { facts: factsOf(rerankRequest, tokensPerCharacter), conversationHint: () => null },
  }
}

// The estimate of tokens may be too low by so much.
const ESTIMATE_MARGIN = 1.15

/** What admission and routing need to know about a rerank request. */
function factsOf(request: RerankRequest, tokensPerCharacter: number): RequestFacts {
  return {
    model: request.model,
    stream: false,
    promptCharacters: countCharacters(request),
    mediaParts: request.texts.filter((text) => text === null).length,
    maxOutputTokens: 0,
    choices: 1,
    inputs: request.documents.length,
    units: { searchUnits: countSearchUnits(request, tokensPerCharacter * ESTIMATE_MARGIN) },
  }
}

/** Finds the model and those of its routes whose suppliers can rank these documents. */
function findRerankModel(caller: Caller, request: RerankRequest): Target {
  const { model, routes } = findModelOf(caller, { kind: 'rerank', sides: RERANK_SIDES, model: request.model })
  let refusal: GatewayError | null = null
  const usable = routes.filter((route) => {
    const reason = rerankSideOf(route)?.refusalOf(request) ?? null
    refusal ??= reason
    return reason === null
  })
  if (usable.length === 0 && refusal !== null) throw refusal
  return { model, routes: usable }
}

/** The rerank format that the route's supplier speaks, or null. */
export function rerankSideOf(route: Pick<EligibleRoute, 'formats'>): RerankSide | null {
  return sideOf(route, RERANK_SIDES)
}
