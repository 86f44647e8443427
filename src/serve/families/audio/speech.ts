import { estimateTokens, textDensity } from '../../../conversation/token-estimate.ts'
import type { Usage } from '../../../conversation/usage.ts'
import { withDetails } from '../../../conversation/usage-report.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import {
  AudioTap,
  openEventsTap,
  readSpeech,
  type SpeechRequest,
  speech,
  speechEvents,
} from '../../../protocols/speech/index.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import { spokenCharacterLimit } from '../../../vocabulary/runtime/traits.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Admission } from '../../admission/admission.ts'
import {
  type Caller,
  fitTarget,
  type IncomingRequest,
  type PreparedRequest,
} from '../../admission/prepared-request.ts'
import type { CallPlan } from '../../delivery/call-plan.ts'
import type { Exchange } from '../../ports/exchange.ts'
import type { Family } from '../family.ts'
import { findModelOf } from '../kinds.ts'
import { countCharacters, countSpeech, spokenTokens } from './count-audio.ts'

interface ReadSpeech {
  readonly request: SpeechRequest
  readonly characters: number
  readonly bodies: BodyRecorder | null
}

interface PreparedSpeech extends PreparedRequest {
  readonly spoken: ReadSpeech
}

/** Speaks a text. */
export const speechFamily: Family<string, ReadSpeech, PreparedSpeech> = {
  receive: (exchange) => exchange.readText(),
  read,
  modelOf: ({ request }) => request.model,
  prepare,
  plan,
}

function read(text: string, caller: Caller, { gateway }: IncomingRequest): ReadSpeech {
  const request = readSpeech(parseJson(text))
  const bodies = gateway.bodies.begin(caller.account.id, text)
  return { request, characters: countCharacters(request.input), bodies: bodies && withoutAnswer(bodies) }
}

/** Of speech only the request is kept. */
function withoutAnswer(bodies: BodyRecorder): BodyRecorder {
  return { add: () => {}, end: (requestId) => bodies.end(requestId) }
}

function prepare(spoken: ReadSpeech, caller: Caller, exchange: Exchange): PreparedSpeech {
  const { request, characters, bodies } = spoken
  const { model, input, instructions } = request
  const found = findModelOf(caller, { kind: 'speech', sides: [speech], model })
  const target = fitTarget(found, (step) => {
    const limit = spokenCharacterLimit(step.model.capabilities)
    if (characters > limit) throw tooLong(characters, limit)
    return step
  })
  const { likely, most } = spokenTokens(characters, request.speed)
  const [route] = target.routes
  const count = route && countSpeech(request, characters, route.price)
  return {
    exchange,
    caller,
    target,
    spoken,
    bodies,
    protocol: request.isEvents ? speechEvents : speech,
    tokensPerCharacter: textDensity([input, instructions]),
    ...(count !== undefined && { owedIfAbandoned: count({ bytes: 0, durationMs: 0 }) }),
    request: {
      facts: {
        model,
        stream: true,
        promptCharacters: input.length + instructions.length,
        mediaParts: 0,
        windowTokens: estimateTokens(input) + estimateTokens(instructions) + likely,
        maxOutputTokens: most,
        choices: 1,
        units: { characters },
        isHeldWhole: true,
      },
      conversationHint: () => null,
    },
  }
}

function tooLong(characters: number, limit: number): GatewayError {
  const message = `input has ${characters} characters; this model speaks up to ${limit} at once.`
  return new GatewayError('invalid_request', message, { param: 'input' })
}

function plan({ prepared }: Admission<PreparedSpeech>, { route }: Candidate): CallPlan {
  const { request, characters } = prepared.spoken
  const count = countSpeech(request, characters, route.price)
  const complete = (reported: Usage) => withDetails(reported, { ...reported.details, characters })
  return {
    supplierProtocol: speech,
    body: request.bodyFor(route.route.upstreamModel),
    copies: 1,
    dropped: [],
    operation: 'speak',
    isStreamed: true,
    isStream: isSpeech,
    openTap: (contentType = '') =>
      isEvents(contentType)
        ? openEventsTap({ count, complete })
        : new AudioTap(audioType(contentType), count),
    // Speech is never whole: what comes here is text, which is no answer.
    readWhole: () => null,
  }
}

function isEvents(contentType: string): boolean {
  return contentType.includes('text/event-stream')
}

function isSpeech(contentType: string): boolean {
  return isEvents(contentType) || !/^(?:text\/|application\/(?:[\w.-]+\+)?json)/i.test(contentType)
}

function audioType(contentType: string): string {
  return contentType === '' ? 'application/octet-stream' : contentType
}
