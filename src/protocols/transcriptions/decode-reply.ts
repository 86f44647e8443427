import type { Usage } from '../../conversation/usage.ts'
import { asArray, asObject, asText, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import type { EventReading } from '../supplier-event.ts'
import type { ResponseFormat } from './schema.ts'
import { decodeUsage } from './usage.ts'

/** What a whole reply says. */
export interface TranscriptReading {
  /** The transcript, to count it when no usage is reported. */
  readonly text: string
  readonly usage: Usage | null
  readonly contentType: string
}

const TEXT_TYPES = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
} as const

/** Reads a supplier's reply; null when it is none of this format. */
export function decodeReply(body: string, format: ResponseFormat): TranscriptReading | null {
  if (format === 'text' || format === 'srt' || format === 'vtt') return decodeText(body, format)
  const reply = asObject(tryParseJson(body))
  const text = asText(reply?.text)
  if (reply === null || text === null) return null
  return { text, usage: decodeUsage(reply), contentType: 'application/json' }
}

/** Some suppliers know JSON only, whatever they are asked for. */
function decodeText(body: string, format: keyof typeof TEXT_TYPES): TranscriptReading | null {
  const reply = body.startsWith('{') ? asObject(tryParseJson(body)) : null
  const text = asText(reply?.text)
  if (reply !== null && text !== null)
    return { text, usage: decodeUsage(reply), contentType: 'application/json' }
  // Pages of a proxy or of another service are no transcript.
  if (/^\s*<(?:!doctype|html)/i.test(body)) return null
  if (format === 'vtt' && !/^\ufeff?WEBVTT/.test(body)) return null
  return { text: format === 'text' ? body : spokenLines(body), usage: null, contentType: TEXT_TYPES[format] }
}

/** Subtitles without their numbers and times. */
function spokenLines(subtitles: string): string {
  const lines = subtitles.split(/\r?\n/)
  return lines.filter((line) => !/^\d+$/.test(line) && !line.includes('-->') && line !== 'WEBVTT').join('\n')
}

/** Reads one event of a stream. Some compatible servers send chunks like those of a chat instead. */
export function readEvent(event: JsonObject): EventReading {
  const { type, delta } = event
  if (type === 'transcript.text.delta') return { text: asText(delta) ?? '', usage: null, isLast: false }
  if (type === 'transcript.text.done') return { text: '', usage: decodeUsage(event), isLast: true }
  if (!Array.isArray(event.choices)) return { text: '', usage: null, isLast: false }
  const choice = asObject(asArray(event.choices)[0])
  const isFinished = typeof choice?.finish_reason === 'string'
  const text = asText(asObject(choice?.delta)?.content) ?? ''
  return { text, usage: decodeUsage(event), isLast: isFinished ? 'marked' : false }
}

/** The text that an event or a reply adds to the answer. */
export function generatedText(value: JsonObject): string {
  return asText(value.text) ?? readEvent(value).text
}
