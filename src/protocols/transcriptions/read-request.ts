import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import type { AudioFacts } from '../../wire/audio/audio-scan.ts'
import {
  type AudioFields,
  LISTS,
  RESPONSE_FORMATS,
  type ResponseFormat,
  TranscriptionFields,
  TranslationFields,
} from './schema.ts'

/** Audio to be written down. Its content is read only when it is sent. */
export interface AudioFile extends AudioFacts {
  readonly fileName: string | null
  readonly bytes: number
  readonly content: Blob
}

type Field = readonly [name: string, value: string]

/** A parsed form with a file. */
export interface AudioForm {
  readonly fields: readonly Field[]
  readonly audio: readonly (AudioFile & { readonly field: string })[]
}

export interface TranscriptionRequest {
  readonly model: string
  /** Whether the text is to be in English whatever the audio is in. */
  readonly isTranslation: boolean
  readonly stream: boolean
  readonly responseFormat: ResponseFormat
  readonly prompt: string
  readonly file: AudioFile
  /** All text fields but the model, as the client sent them. */
  readonly fields: readonly Field[]
}

const checkTranscription = compileCheck(TranscriptionFields)
const checkTranslation = compileCheck(TranslationFields)
const checkLists = Object.fromEntries(
  Object.entries(LISTS).map(([name, schema]) => [name, compileCheck(schema)]),
)

/** Checks and reads the form of a transcription, or of a translation. */
export function readAudioForm({ fields, audio }: AudioForm, isTranslation: boolean): TranscriptionRequest {
  const known = isTranslation ? TranslationFields : TranscriptionFields
  refuseAmbiguous(fields, Object.keys(known.properties))
  const values = Object.fromEntries(fields.map(([name, value]) => [name, typed(name, value)]))
  const read: AudioFields = isTranslation ? checkTranslation(values) : checkTranscription(values)
  const [file, ...others] = audio
  if (file === undefined)
    throw refuse('file', 'file is required. Send the audio as a file, with a file name.')
  if (others.length > 0) throw refuse('file', 'file may be given once.')
  return {
    model: read.model,
    isTranslation,
    stream: read.stream ?? false,
    responseFormat: RESPONSE_FORMATS.find((format) => format === read.response_format) ?? 'json',
    prompt: read.prompt ?? '',
    file,
    fields: fields.filter(([name]) => name !== 'model'),
  }
}

/** Form values are strings. A value of the wrong type stays a string and fails the check. */
function typed(name: string, value: string): unknown {
  if (name === 'temperature' && /^\d{1,3}(?:\.\d{1,20})?$/.test(value)) return Number(value)
  if (name === 'stream' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}

/** A supplier could read another value than the one that was checked. */
function refuseAmbiguous(fields: readonly Field[], known: readonly string[]): void {
  const seen = new Set<string>()
  const lists = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const bare = name.replace(/\[.*$/s, '')
    if (bare !== name && known.includes(bare))
      throw refuse(bare, `${bare} takes one value: send it as ${bare}.`)
    if (bare in LISTS) lists.set(bare, [...(lists.get(bare) ?? []), value])
    else if (seen.has(name) && known.includes(name)) throw refuse(name, `${name} may be given once.`)
    seen.add(name)
  }
  for (const [name, values] of lists) checkList(name, values)
}

function checkList(name: string, values: readonly string[]): void {
  try {
    checkLists[name]?.(values)
  } catch (problem) {
    if (!(problem instanceof GatewayError)) throw problem
    throw refuse(name, `${name}: ${problem.message}`)
  }
}

function refuse(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param })
}
