import type { Model } from '../../../../api/wire.ts'
import { formatBytes } from '../../../../parts/text/format.ts'
import type { Attachment } from '../../../../parts/wire/question.ts'

const MEBIBYTE = 1024 * 1024
const MOST_FILES = 10
// Base64 makes files a third larger, and the gateway takes 32 MiB unless it is set otherwise.
const MOST_BYTES = 20 * MEBIBYTE
const MOST_TEXT_BYTES = MEBIBYTE
// What all suppliers read.
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
const BYTES_A_BLOCK = 0x8000

export const ACCEPTED_FILES = [
  ...IMAGE_TYPES,
  'application/pdf',
  'text/*',
  '.md,.json,.csv,.yaml,.yml,.log',
].join(',')

export interface FilesRead {
  readonly files: readonly Attachment[]
  /** One sentence for each file that was not taken. */
  readonly problems: readonly string[]
}

/** Reads files to send with a message, beside those that are there already. */
export async function readFiles(given: readonly File[], kept: readonly Attachment[]): Promise<FilesRead> {
  const files: Attachment[] = []
  const problems: string[] = []
  let bytes = kept.reduce((sum, { data }) => sum + data.length, 0)
  for (const file of given) {
    const read = await readFile(file, {
      isFull: kept.length + files.length >= MOST_FILES,
      bytesLeft: MOST_BYTES - bytes,
    })
    if (typeof read === 'string') {
      problems.push(`${file.name}: ${read}`)
      continue
    }
    files.push(read)
    bytes += read.data.length
  }
  return { files, problems }
}

/** Which of the models could not see the images of a message; null when all can. */
export function describeUnseen(
  files: readonly Pick<Attachment, 'kind'>[],
  models: readonly Pick<Model, 'id' | 'vision'>[],
): string | null {
  const blind = models.filter(({ vision }) => !vision).map(({ id }) => id)
  if (blind.length === 0 || !files.some(({ kind }) => kind === 'image')) return null
  return `${blind.join(' and ')} ${blind.length === 1 ? 'reads' : 'read'} no images`
}

interface Room {
  readonly isFull: boolean
  readonly bytesLeft: number
}

/** The file, or why it cannot be sent. */
async function readFile(file: File, { isFull, bytesLeft }: Room): Promise<Attachment | string> {
  if (isFull) return `at most ${MOST_FILES} files can be sent at once.`
  if (file.size > bytesLeft) return `too large: at most ${formatBytes(MOST_BYTES)} in all.`
  if (file.size === 0) return 'the file is empty.'
  const type = file.type.split(';')[0] ?? ''
  if (IMAGE_TYPES.has(type)) return { kind: 'image', name: file.name, type, data: await toBase64(file) }
  if (type === 'application/pdf') return { kind: 'pdf', name: file.name, type, data: await toBase64(file) }
  if (file.size > MOST_TEXT_BYTES) return `not an image or a PDF, and too large for a text.`
  const text = await readText(file)
  if (text === null) return 'only PNG, JPEG, WebP and GIF images, PDFs and texts can be sent.'
  return { kind: 'text', name: file.name, type: type === '' ? 'text/plain' : type, data: text }
}

/** Null for anything but text in UTF-8. */
async function readText(file: File): Promise<string | null> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const blocks: string[] = []
  for (let start = 0; start < bytes.length; start += BYTES_A_BLOCK) {
    blocks.push(String.fromCharCode(...bytes.subarray(start, start + BYTES_A_BLOCK)))
  }
  return btoa(blocks.join(''))
}
