import { textDensity } from '../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import {
  DEFAULT_MODEL,
  isReply,
  MODERATION_CONTRACT,
  type ModerationRequest,
  moderations,
  readRequest,
} from '../../../protocols/moderations/index.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { tryParseJson } from '../../../wire/json-values.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Admission } from '../../admission/admission.ts'
import { availableModels } from '../../admission/find-model.ts'
import type { Caller, IncomingRequest, PreparedRequest } from '../../admission/prepared-request.ts'
import type { CallPlan } from '../../delivery/call-plan.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family, FamilyEndpoint } from '../family.ts'
import { findModelOf, sideOf } from '../kinds.ts'
import { modelContract } from '../model-contract.ts'

interface ReadModeration {
  readonly moderation: ModerationRequest
  readonly tokensPerCharacter: number
  readonly bodies: BodyRecorder | null
}

interface PreparedModeration extends PreparedRequest {
  readonly moderation: ModerationRequest
}

const SIDES = [moderations]

/** Judges texts and images. Client and supplier always speak the same format. */
const family: Family<string, ReadModeration, PreparedModeration> = {
  receive: (exchange) => exchange.readText(),
  read: readModeration,
  modelOf: ({ moderation }) => moderation.model ?? DEFAULT_MODEL,
  prepare: prepareModeration,
  plan: planModeration,
}

export const MODERATION_ENDPOINTS: readonly FamilyEndpoint[] = [
  { path: '/v1/moderations', family, contract: modelContract(MODERATION_CONTRACT) },
]

function readModeration(
  text: string,
  { account }: Caller,
  { gateway }: IncomingRequest,
): MaybePromise<ReadModeration> {
  const body = parseJson(text)
  const bodies = gateway.bodies.begin(account.id, text)
  const finish = () => ({
    moderation: readRequest(body, text),
    tokensPerCharacter: textDensity(body),
    bodies,
  })
  return text.length > LARGE_BODY_CHARACTERS ? yieldLoop().then(finish) : finish()
}

function prepareModeration(
  { moderation, tokensPerCharacter, bodies }: ReadModeration,
  caller: Caller,
  exchange: Exchange,
): PreparedModeration {
  const model = moderation.model ?? usualModel(caller)
  const { inputs, promptCharacters, mediaParts } = moderation
  return {
    exchange,
    caller,
    target: findModelOf(caller, { kind: 'moderation', sides: SIDES, model }),
    moderation,
    bodies,
    protocol: moderations,
    tokensPerCharacter,
    request: {
      facts: { model, stream: false, promptCharacters, mediaParts, maxOutputTokens: 0, choices: 1, inputs },
      conversationHint: () => null,
    },
  }
}

/** The model of requests that name none: the usual one, or the first that the key may use. */
function usualModel(caller: Caller): string {
  const usable = availableModels(caller).filter(
    ({ model, routes }) =>
      model.kinds.includes('moderation') && routes.some((route) => sideOf(route, SIDES) !== null),
  )
  const found = usable.find(({ model }) => model.id === DEFAULT_MODEL) ?? usable[0]
  if (found !== undefined) return found.model.id
  const message = 'The request names no model, and this API key may use none that can moderate content.'
  throw new GatewayError('model_not_found', message, { param: 'model' })
}

function planModeration(admission: Admission<PreparedModeration>, candidate: Candidate): CallPlan {
  return {
    supplierProtocol: moderations,
    body: admission.prepared.moderation.relayBody(candidate.route.route.upstreamModel),
    copies: 1,
    dropped: [],
    operation: 'moderate',
    isStreamed: false,
    openTap: () => {
      throw new Error('moderations are not streamed')
    },
    // Suppliers report no usage, so the tokens are counted.
    readWhole: ([text = '']) =>
      isReply(tryParseJson(text)) ? { body: text, facts: { usage: null, outputCharacters: 0 } } : null,
  }
}
