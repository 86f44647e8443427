import type { UploadedAudio, UploadedForm, UploadedImage, UploadRules } from '../../serve/ports/uploads.ts'
import { AudioScan } from '../../wire/audio/audio-scan.ts'
import type { ImageHeader } from '../../wire/images/image-header.ts'
import { ImageScan } from '../../wire/images/image-scan.ts'
import { refusals } from './refusals.ts'
import type { IncomingPart } from './split-parts.ts'
import { HeldFile, type UploadFolder } from './upload-folder.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A form while it is uploaded. Checks every part as it arrives, so that an invalid one ends the upload early. */
export class FormDraft {
  readonly #folder: UploadFolder
  readonly #rules: UploadRules
  readonly #hold: (bytes: number) => void
  readonly #held: HeldFile[] = []
  /** By position in the form: a file may be stored after the part that follows it. */
  readonly #fields: (readonly [name: string, value: string])[] = []
  readonly #images: UploadedImage[] = []
  readonly #audio: UploadedAudio[] = []
  #fieldCount = 0

  /** `hold` counts bytes kept in memory, and throws when there is no room for them. */
  constructor(folder: UploadFolder, rules: UploadRules, hold: (bytes: number) => void) {
    this.#folder = folder
    this.#rules = rules
    this.#hold = hold
  }

  async take(part: IncomingPart): Promise<void> {
    const head = readPartHead(part.disposition)
    if (head === null) throw refusals.noName(part.place + 1)
    const field = head.name.replace(/\[\]$/, '')
    const { fileFields } = this.#rules
    if (fileFields.includes(field)) return await this.#takeFile(part, { ...head, name: field })
    if (head.fileName !== null) throw refusals.unknownFile(field, fileFields)
    await this.#takeField(part, head.name)
  }

  complete(): UploadedForm {
    return {
      fields: this.#fields.filter((field) => field !== undefined),
      images: this.#images.filter((image) => image !== undefined),
      audio: this.#audio.filter((audio) => audio !== undefined),
      dispose: () => this.discard(),
    }
  }

  /** Deletes all files. Files that cannot be deleted are removed at the next start. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.#held.map((file) => file.discard()))
  }

  async #takeField({ place, content }: IncomingPart, name: string): Promise<void> {
    const { maxFields, maxFieldBytes } = this.#rules
    this.#fieldCount += 1
    if (this.#fieldCount > maxFields) throw refusals.tooManyFields(maxFields)
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of content) {
      bytes += piece.length
      if (bytes > maxFieldBytes) throw refusals.fieldTooLarge(name, maxFieldBytes)
      this.#hold(piece.length)
      // A copy, because the memory of the piece is freed.
      pieces.push(new Uint8Array(piece))
    }
    this.#fields[place] = [name, decodeField(name, pieces)]
  }

  async #takeFile(part: IncomingPart, head: PartHead): Promise<void> {
    const { maxFiles, content } = this.#rules
    const held = new HeldFile(this.#folder, this.#hold)
    if (this.#held.push(held) > maxFiles) throw refusals.tooManyFiles(head.name, maxFiles)
    // Unlike an image, it is not told from a text by its content.
    if (content.type === 'audio' && head.fileName === null) throw refusals.notAFile(head.name)
    if (content.type === 'audio') return await this.#takeAudio(part, head, held)
    await this.#takeImage(part, head, { held, maxPixels: content.maxPixels })
  }

  async #takeImage(
    { place, content }: IncomingPart,
    { name: field, fileName }: PartHead,
    { held, maxPixels }: { readonly held: HeldFile; readonly maxPixels: number },
  ): Promise<void> {
    const scan = new ImageScan()
    await this.#keep({ field, content, held }, (piece) => {
      scan.push(piece)
      refuseUnusable(scan, field, maxPixels)
    })
    const header = completeHeader(scan, field)
    const { bytes } = held
    const file = await held.finish(header.mediaType)
    this.#images[place] = { field, fileName, bytes, ...header, content: file }
  }

  async #takeAudio({ place, content }: IncomingPart, { name: field, fileName }: PartHead, held: HeldFile) {
    const scan = new AudioScan()
    await this.#keep({ field, content, held }, (piece) => scan.push(piece))
    const { bytes } = held
    this.#audio[place] = { field, fileName, bytes, ...scan.facts, content: await held.finish('') }
  }

  async #keep({ field, content, held }: ArrivingFile, look: (piece: Uint8Array) => void): Promise<void> {
    const { maxBytesPerFile = Number.POSITIVE_INFINITY } = this.#rules
    for await (const piece of content) {
      if (held.bytes + piece.length > maxBytesPerFile) throw refusals.fileTooLarge(field, maxBytesPerFile)
      look(piece)
      await held.write(piece)
    }
    if (held.bytes === 0) throw refusals.emptyFile(field)
  }
}

interface ArrivingFile {
  readonly field: string
  readonly content: AsyncIterable<Uint8Array>
  readonly held: HeldFile
}

function refuseUnusable({ state, header }: ImageScan, field: string, maxPixels: number): void {
  if (state === 'broken') throw refusals.notAnImage(field)
  if (header === null || header.width * header.height <= maxPixels) return
  throw refusals.tooManyPixels(field, `${header.width} × ${header.height}`, maxPixels)
}

function completeHeader({ state, header }: ImageScan, field: string): ImageHeader {
  if (header === null) throw refusals.notAnImage(field)
  if (state !== 'complete') throw refusals.imageCutOff(field)
  return header
}

function decodeField(name: string, pieces: readonly Uint8Array[]): string {
  try {
    return decoder.decode(Buffer.concat(pieces))
  } catch {
    throw refusals.fieldNotText(name)
  }
}

/** The name and file name of a form's part. */
export interface PartHead {
  readonly name: string
  /** null when the part is not a file. */
  readonly fileName: string | null
}

// A quoted value may hold anything but its own end; clients write a quote in it as \" or as %22.
const PARAMETER = /;\s*([\w!#$&+^`|~.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*/y
const MAX_FILE_NAME_LENGTH = 255

/** Reads a `content-disposition` header; null when it is not `form-data` or has no name. */
export function readPartHead(disposition: string | undefined): PartHead | null {
  const beginning = /^\s*form-data\s*(?=;)/i.exec(disposition ?? '')
  if (disposition === undefined || beginning === null) return null
  const parameters = readParameters(disposition, beginning[0].length)
  const name = parameters?.get('name')
  if (parameters === null || name === undefined || name === '') return null
  const fileName = parameters.get('filename') ?? parameters.get('filename*')
  return { name, fileName: fileName === undefined ? null : bareName(fileName) }
}

/** null unless the whole header is well-formed, so that no name is cut short. */
function readParameters(text: string, start: number): Map<string, string> | null {
  const parameters = new Map<string, string>()
  let position = start
  while (position < text.length) {
    PARAMETER.lastIndex = position
    const match = PARAMETER.exec(text)
    const name = match?.[1]?.toLowerCase() ?? ''
    const value = match && decodeValue(match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? match[3] ?? '')
    if (match === null || value === null || parameters.has(name)) return null
    parameters.set(name, value)
    position = PARAMETER.lastIndex
  }
  return parameters
}

function decodeValue(binary: string): string | null {
  try {
    return decoder.decode(Buffer.from(binary, 'latin1'))
  } catch {
    return null
  }
}

/** Drops the folders: some clients send whole paths. */
function bareName(fileName: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not pass.
  const visible = fileName.replaceAll(/[\u0000-\u001f\u007f]/g, '')
  return (visible.split(/[/\\]/).at(-1) ?? '').slice(-MAX_FILE_NAME_LENGTH)
}
