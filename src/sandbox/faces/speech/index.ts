import { Type } from 'typebox'
import { countSamples, SAMPLE_RATE, type Spoken, speak, wavHead } from '../../audio/tones.ts'
import { countTokens } from '../../performance/tokens.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Frame, Incoming, ResultScene } from '../face.ts'
import { OPENAI_STYLE, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Literals, Nullable } from '../shape.ts'

const PATH = '/v1/audio/speech'
const LONGEST_INPUT = 4_096
const TOKENS_PER_SECOND = 20

export const speech: Face = {
  name: 'speech',
  home: PATH,
  claims: (method, path) => method === 'POST' && path === PATH,
  ...OPENAI_STYLE,
  open: openScene,
}

const check = createCheck(
  Closed({
    model: Type.String({ minLength: 1 }),
    input: Type.String({ minLength: 1, maxLength: LONGEST_INPUT }),
    voice: Type.Union([Type.String({ minLength: 1 }), Closed({ id: Type.String({ minLength: 1 }) })]),
    instructions: Nullable(Type.String()),
    response_format: Nullable(Literals('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm')),
    speed: Nullable(Type.Number({ minimum: 0.25, maximum: 4 })),
    stream_format: Nullable(Literals('audio', 'sse')),
  }),
  refuseShape,
)

/** Formats that the sandbox can make. A caller that does not choose gets the first one. */
const FORMATS = { wav: 'audio/wav', pcm: 'audio/pcm' } as const

function openScene({ body }: Incoming): ResultScene {
  const { model, input, instructions, speed, response_format, stream_format } = check(body)
  const format = response_format ?? 'wav'
  if (format !== 'wav' && format !== 'pcm')
    throw refuse(`This simulator speaks 'wav' and 'pcm', not '${format}'.`, 'response_format')
  const isEvents = stream_format === 'sse'
  if (isEvents && !model.endsWith('-tokens'))
    throw refuse(`The model '${model}' does not stream events.`, 'stream_format')
  const spoken = { text: input, speed: speed ?? 1 }
  const prompt = input.length + (instructions?.length ?? 0)
  const write = (hasUsage: boolean) =>
    isEvents
      ? writeEvents(spoken, format, hasUsage ? usageOf(spoken, prompt) : null)
      : writeAudio(spoken, format)
  const contentType = isEvents ? 'text/event-stream; charset=utf-8' : FORMATS[format]
  return { type: 'result', ask: { model }, writeReply: () => null, pieces: { contentType, write } }
}

function* piecesOf(spoken: Spoken, format: keyof typeof FORMATS): Generator<Uint8Array> {
  if (format === 'wav') yield wavHead(spoken)
  yield* speak(spoken)
}

function* writeAudio(spoken: Spoken, format: keyof typeof FORMATS): Generator<Frame> {
  for (const bytes of piecesOf(spoken, format)) yield { text: '', bytes, part: 'content' }
}

function* writeEvents(spoken: Spoken, format: keyof typeof FORMATS, usage: unknown): Generator<Frame> {
  for (const bytes of piecesOf(spoken, format)) {
    yield event({ type: 'speech.audio.delta', audio: Buffer.from(bytes).toString('base64') }, 'content')
  }
  yield event({ type: 'speech.audio.done', ...(usage === null ? {} : { usage }) }, 'end')
}

function event(value: unknown, part: Frame['part']): Frame {
  return { text: `data: ${JSON.stringify(value)}\n\n`, part }
}

function usageOf(spoken: Spoken, promptCharacters: number) {
  const input_tokens = countTokens(promptCharacters)
  const output_tokens = Math.ceil((countSamples(spoken) / SAMPLE_RATE) * TOKENS_PER_SECOND)
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
}

function refuse(message: string, field: string): SandboxError {
  return new SandboxError('bad-request', message, { field })
}
