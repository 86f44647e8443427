import { estimateTokens, TokenCounter, textDensity } from '../../../conversation/token-estimate.ts'
import type { Usage } from '../../../conversation/usage.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import {
  decodeReply,
  encodeRequest,
  openTranscriptTap,
  readAudioForm,
  type TranscriptionRequest,
  transcriptions,
} from '../../../protocols/transcriptions/index.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import type { Admission } from '../../admission/admission.ts'
import type { Caller, IncomingRequest, PreparedRequest } from '../../admission/prepared-request.ts'
import type { CallPlan, WholeReading } from '../../delivery/call-plan.ts'
import type { Exchange } from '../../ports/exchange.ts'
import type { UploadedForm, UploadRules } from '../../ports/uploads.ts'
import type { Family } from '../family.ts'
import { findModelOf } from '../kinds.ts'
import {
  type AudioLength,
  countTranscript,
  heardTokens,
  judgeTranscript,
  measureAudio,
  mostWrittenTokens,
} from './count-audio.ts'

interface ReadTranscription {
  readonly request: TranscriptionRequest
  readonly length: AudioLength
  readonly bodies: BodyRecorder | null
}

interface PreparedTranscription extends PreparedRequest {
  readonly transcription: ReadTranscription
}

// The size of the file is limited like that of the whole form, by a setting.
const UPLOAD_RULES: UploadRules = {
  content: { type: 'audio' },
  maxFiles: 1,
  maxFields: 64,
  maxFieldBytes: 256 * 1024,
  fileFields: ['file'],
}

/** Writes audio down, in its own language or in English. */
export function transcriptionFamily(
  isTranslation: boolean,
): Family<UploadedForm, ReadTranscription, PreparedTranscription> {
  return {
    receive: (exchange) => exchange.readForm(UPLOAD_RULES),
    read: (form, caller, incoming) => read(readAudioForm(form, isTranslation), caller, incoming),
    modelOf: ({ request }) => request.model,
    prepare,
    plan,
    dispose: (form) => form.dispose(),
  }
}

/** Accounts that keep bodies keep the fields of the form, not the audio. */
function read(
  request: TranscriptionRequest,
  caller: Caller,
  { gateway }: IncomingRequest,
): ReadTranscription {
  const bodies = gateway.bodies.begin(caller.account.id, describeFields(request))
  return { request, length: measureAudio(request.file), bodies }
}

/** Fields that were given several times have a list. */
function describeFields({ model, fields }: TranscriptionRequest): string {
  const values: Record<string, string | string[]> = { model }
  for (const [name, value] of fields) {
    const before = values[name]
    values[name] = before === undefined ? value : [before, value].flat()
  }
  return JSON.stringify(values)
}

function prepare(
  transcription: ReadTranscription,
  caller: Caller,
  exchange: Exchange,
): PreparedTranscription {
  const { request, length, bodies } = transcription
  const { model, prompt, stream } = request
  const target = findModelOf(caller, { kind: 'transcription', sides: [transcriptions], model })
  const { likelyMs, mostMs } = length
  const [route] = target.routes
  return {
    exchange,
    caller,
    target,
    transcription,
    bodies,
    protocol: transcriptions,
    tokensPerCharacter: textDensity(prompt),
    ...(route !== undefined && {
      owedIfAbandoned: countTranscript(request, length, { price: route.price, outputTokens: 0 }),
    }),
    request: {
      facts: {
        model,
        stream,
        promptCharacters: prompt.length,
        mediaParts: 0,
        audioTokens: heardTokens(mostMs),
        windowTokens: heardTokens(likelyMs) + estimateTokens(prompt),
        maxOutputTokens: mostWrittenTokens(mostMs),
        choices: 1,
        units: { audioMs: mostMs },
        isHeldWhole: true,
      },
      conversationHint: () => null,
    },
  }
}

function plan({ prepared }: Admission<PreparedTranscription>, { route }: Candidate): CallPlan {
  const { request, length } = prepared.transcription
  const { price } = route
  const count = (outputTokens: number) => countTranscript(request, length, { price, outputTokens })
  const judge = (reported: Usage) => judgeTranscript(reported, length, price)
  return {
    supplierProtocol: transcriptions,
    body: encodeRequest(request, route.route.upstreamModel),
    copies: 1,
    dropped: [],
    operation: request.isTranslation ? 'translate-audio' : 'transcribe',
    isStreamed: request.stream,
    openTap: () => openTranscriptTap({ count, judge }),
    readWhole: ([reply = '']) => readWhole(reply, request, { count, judge }),
  }
}

interface Counts {
  count(outputTokens: number): Usage
  judge(reported: Usage): Usage | null
}

/** The reply goes to the client unchanged. */
function readWhole(
  body: string,
  { responseFormat }: TranscriptionRequest,
  { count, judge }: Counts,
): WholeReading {
  const reading = decodeReply(body, responseFormat)
  if (reading === null) return null
  const { text, contentType } = reading
  const usage = reading.usage && judge(reading.usage)
  const counter = new TokenCounter()
  counter.add(text)
  const facts = { usage, ownCount: count(counter.tokens), outputCharacters: text.length }
  return { body, contentType, facts }
}
