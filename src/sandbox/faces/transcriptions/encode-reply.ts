import { countTokens, cutIntoPieces } from '../../performance/tokens.ts'
import type { Frame } from '../face.ts'

/** What was heard, and what the reply depends on besides. */
export interface Transcript {
  readonly text: string
  readonly seconds: number
  readonly isTranslation: boolean
  readonly countsTokens: boolean
  readonly promptCharacters: number
}

const TOKENS_PER_SECOND = 10

export function writeTranscript(heard: Transcript, format: string, hasUsage: boolean): unknown {
  const text = spokenText(heard)
  const usage = hasUsage ? { usage: encodeUsage(heard) } : {}
  switch (format) {
    case 'text':
      return `${text}\n`
    case 'srt':
      return segmentsOf(heard)
        .map(
          ({ start, end, text: said }, index) =>
            `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${said}\n\n`,
        )
        .join('')
    case 'vtt':
      return `WEBVTT\n\n${segmentsOf(heard)
        .map(({ start, end, text: said }) => `${time(start, '.')} --> ${time(end, '.')}\n${said}\n\n`)
        .join('')}`
    case 'verbose_json':
      return { ...taskOf(heard), text, segments: segmentsOf(heard).map(encodeSegment), ...usage }
    case 'diarized_json':
      return { ...taskOf(heard), text, segments: segmentsOf(heard).map(encodeTurn), ...usage }
    default:
      return { text, ...usage }
  }
}

/** The transcript in pieces, and at last as a whole. */
export function* writeEvents(heard: Transcript, hasUsage: boolean): Generator<Frame> {
  const text = spokenText(heard)
  for (const delta of cutIntoPieces(text)) yield event({ type: 'transcript.text.delta', delta }, 'content')
  const usage = hasUsage ? { usage: encodeUsage(heard) } : {}
  yield event({ type: 'transcript.text.done', text, ...usage }, 'end')
}

function event(value: unknown, part: Frame['part']): Frame {
  return { text: `data: ${JSON.stringify(value)}\n\n`, part }
}

function spokenText({ text, isTranslation }: Transcript): string {
  return isTranslation ? `In English: ${text}` : text
}

function encodeUsage(heard: Transcript) {
  const { seconds, countsTokens, promptCharacters } = heard
  if (!countsTokens) return { type: 'duration', seconds: Math.ceil(seconds) }
  const audio_tokens = Math.ceil(seconds * TOKENS_PER_SECOND)
  const text_tokens = countTokens(promptCharacters)
  const output_tokens = countTokens(spokenText(heard).length)
  const input_tokens = audio_tokens + text_tokens
  return {
    type: 'tokens',
    input_tokens,
    input_token_details: { text_tokens, audio_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  }
}

function taskOf({ isTranslation, seconds }: Transcript) {
  return { task: isTranslation ? 'translate' : 'transcribe', language: 'english', duration: seconds }
}

interface Segment {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** One for each sentence, as long as its share of the text. */
function segmentsOf(heard: Transcript): Segment[] {
  const text = spokenText(heard)
  const sentences = text.match(/[^.!?]+[.!?]*\s*/g) ?? [text]
  let read = 0
  return sentences.map((sentence) => {
    const start = (read / text.length) * heard.seconds
    read += sentence.length
    return { start, end: (read / text.length) * heard.seconds, text: sentence.trim() }
  })
}

function encodeSegment(segment: Segment, id: number) {
  const guesses = { avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0, temperature: 0 }
  return { id, seek: 0, ...segment, tokens: [], ...guesses }
}

function encodeTurn(segment: Segment, index: number) {
  return { type: 'transcript.text.segment', id: `seg_${index}`, speaker: 'A', ...segment }
}

function time(seconds: number, separator: string): string {
  const ms = Math.round(seconds * 1000)
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0')
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${separator}${pad(ms % 1000, 3)}`
}
