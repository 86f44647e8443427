import type { AudioContainer } from '../../wire/audio/audio-facts.ts'
import { type BodyPiece, PiecedBody } from '../../wire/pieced-body.ts'
import type { AudioFile, TranscriptionRequest } from './read-request.ts'

/** The endings of file names by container; the usual one comes first. Suppliers go by them. */
const ENDINGS: Readonly<Record<AudioContainer, readonly string[]>> = {
  wav: ['wav', 'wave'],
  mp3: ['mp3', 'mpga', 'mpeg'],
  mp4: ['m4a', 'mp4'],
  webm: ['webm', 'mkv', 'mka'],
  ogg: ['ogg', 'oga', 'opus'],
  flac: ['flac'],
  aac: ['aac'],
}

const MEDIA_TYPES: Readonly<Record<AudioContainer, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
}

/** The client's form with the supplier's name of the model. It can be sent several times; the file is read each time. */
export function encodeRequest({ fields, file }: TranscriptionRequest, upstreamModel: string): PiecedBody {
  const boundary = `turnpike-${crypto.randomUUID()}`
  const pieces: BodyPiece[] = [['model', upstreamModel] as const, ...fields].map(
    ([name, value]) => `${partHead(boundary, name)}\r\n\r\n${value}\r\n`,
  )
  const { container } = file
  const mediaType = container === null ? 'application/octet-stream' : MEDIA_TYPES[container]
  const head = `${partHead(boundary, 'file')}; filename="${sentName(file)}"\r\ncontent-type: ${mediaType}\r\n\r\n`
  pieces.push(head, file.content, `\r\n--${boundary}--\r\n`)
  return new PiecedBody(`multipart/form-data; boundary=${boundary}`, pieces)
}

function partHead(boundary: string, name: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`
}

/** The client's file name is not passed on, except for an ending that fits. */
function sentName({ container, fileName }: AudioFile): string {
  const given = /\.([a-z0-9]{1,8})$/i.exec(fileName ?? '')?.[1]?.toLowerCase()
  if (container === null) return given === undefined ? 'audio' : `audio.${given}`
  const endings = ENDINGS[container]
  return `audio.${given !== undefined && endings.includes(given) ? given : endings[0]}`
}

/** Escapes names as browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
