import { Type } from 'typebox'
import { AudioScan } from '../../../wire/audio/audio-scan.ts'
import { readComment } from '../../audio/tones.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Form, FormValue, Incoming, ResultScene } from '../face.ts'
import { OPENAI_STYLE, refuseMissing, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Literals, Nullable } from '../shape.ts'
import { type Transcript, writeEvents, writeTranscript } from './encode-reply.ts'

const PATHS = {
  '/v1/audio/transcriptions': 'transcription',
  '/v1/audio/translations': 'translation',
} as const
const MEBIBYTE = 1024 * 1024
// Speech in a file that does not tell its length is taken to have this rate.
const USUAL_BYTES_PER_SECOND = 4_000

export const transcriptions: Face = {
  name: 'transcriptions',
  home: '/v1/audio/trans',
  claims: (method, path) => method === 'POST' && path in PATHS,
  takesForm: () => true,
  maxFormBytes: 25 * MEBIBYTE,
  ...OPENAI_STYLE,
  open: openScene,
}

const Word = Nullable(Type.String())
const Words = Type.Optional(Type.Array(Type.String()))
const COMMON = {
  model: Type.String({ minLength: 1 }),
  prompt: Word,
  response_format: Nullable(Literals('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json')),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
}
const checkTranslation = createCheck(Closed(COMMON), refuseShape)
const checkTranscription = createCheck(
  Closed({
    ...COMMON,
    language: Word,
    stream: Nullable(Type.Boolean()),
    chunking_strategy: Word,
    timestamp_granularities: Type.Optional(Type.Array(Literals('word', 'segment'))),
    include: Words,
    known_speaker_names: Words,
    known_speaker_references: Words,
  }),
  refuseShape,
)

function openScene({ path, body }: Incoming): ResultScene {
  if (!(body instanceof Map)) throw new SandboxError('bad-request', 'The body must be multipart/form-data.')
  const form: Form = body
  const isTranslation = path === '/v1/audio/translations'
  const fields = readFields(form)
  const { stream, ...read } = isTranslation
    ? { ...checkTranslation(fields), stream: false }
    : checkTranscription(fields)
  const countsTokens = read.model.endsWith('-tokens')
  const format = read.response_format ?? 'json'
  refuseFormat(read.model, format)
  if (isTranslation && countsTokens)
    throw refuse(`The model '${read.model}' does not translate audio.`, 'model')
  const heard = {
    ...listen(readFile(form)),
    isTranslation,
    countsTokens,
    promptCharacters: read.prompt?.length ?? 0,
  }
  const scene = { type: 'result', ask: { model: read.model } } as const
  // Like models that count minutes, it ignores the wish for a stream.
  if (stream && countsTokens) {
    const write = (hasUsage: boolean) => writeEvents(heard, hasUsage)
    const contentType = 'text/event-stream; charset=utf-8'
    return { ...scene, writeReply: () => null, pieces: { contentType, write } }
  }
  const writeReply = (hasUsage: boolean) => writeTranscript(heard, format, hasUsage)
  if (format === 'vtt') return { ...scene, writeReply, contentType: 'text/vtt; charset=utf-8' }
  const isText = format === 'text' || format === 'srt'
  return isText
    ? { ...scene, writeReply, contentType: 'text/plain; charset=utf-8' }
    : { ...scene, writeReply }
}

/** Models that count tokens make no subtitles, and the others do not tell speakers apart. */
function refuseFormat(model: string, format: string): void {
  const formats = model.endsWith('-tokens')
    ? ['json', 'text', 'diarized_json']
    : ['json', 'text', 'srt', 'verbose_json', 'vtt']
  if (formats.includes(format)) return
  throw refuse(`response_format '${format}' is not compatible with model '${model}'.`, 'response_format')
}

function listen(file: Uint8Array): Pick<Transcript, 'text' | 'seconds'> {
  const scan = new AudioScan()
  scan.push(file)
  const { durationMs } = scan.facts
  const seconds = durationMs === null ? file.length / USUAL_BYTES_PER_SECOND : durationMs / 1000
  const said = readComment(file)
  return { seconds, text: said ?? `This recording has ${file.length} bytes. Nothing else is known about it.` }
}

function readFields(form: Form): Readonly<Record<string, unknown>> {
  const fields = [...form].filter(([name]) => name !== 'file')
  return Object.fromEntries(
    fields.map(([name, values]) =>
      name.endsWith('[]') ? [name.slice(0, -2), values] : [name, readField(name, values)],
    ),
  )
}

function readField(name: string, [value, ...more]: readonly FormValue[]): unknown {
  if (more.length > 0) throw refuse(`Duplicate parameter: '${name}'.`, name)
  if (typeof value !== 'string') throw refuse(`Invalid type for '${name}': expected text, got a file.`, name)
  // A form has only text.
  if (name === 'temperature' && value !== '') return Number(value)
  return name === 'stream' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value
}

function readFile(form: Form): Uint8Array {
  const [file, ...more] = form.get('file') ?? []
  if (file === undefined) throw refuseMissing('file')
  if (typeof file === 'string') throw refuse("Invalid type for 'file': expected a file, got text.", 'file')
  if (more.length > 0) throw refuse("Duplicate parameter: 'file'.", 'file')
  if (file.bytes.length === 0) throw refuse('Audio file is empty.', 'file')
  return file.bytes
}

function refuse(message: string, field: string): SandboxError {
  return new SandboxError('bad-request', message, { field })
}
