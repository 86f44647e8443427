/** Speech as tones: one for each character, so that the same text always sounds the same. */

export const SAMPLE_RATE = 24_000
const SAMPLES_PER_CHARACTER = 1_440
const LOUDNESS = 6_000
const HEADER_BYTES = 44
const PIECE_CHARACTERS = 16

/** How a text is to be spoken. */
export interface Spoken {
  readonly text: string
  readonly speed: number
}

/** In samples of 16 bits. */
export function countSamples({ text, speed }: Spoken): number {
  return [...text].length * samplesPerCharacter(speed)
}

function samplesPerCharacter(speed: number): number {
  return Math.round(SAMPLES_PER_CHARACTER / speed)
}

/** The samples in pieces, little-endian. */
export function* speak({ text, speed }: Spoken): Generator<Uint8Array> {
  const characters = [...text]
  const count = samplesPerCharacter(speed)
  for (let start = 0; start < characters.length; start += PIECE_CHARACTERS) {
    const some = characters.slice(start, start + PIECE_CHARACTERS)
    const samples = new Int16Array(some.length * count)
    for (const [index, character] of some.entries()) addTone(samples, index * count, { character, count })
    yield new Uint8Array(samples.buffer)
  }
}

function addTone(samples: Int16Array, start: number, tone: { character: string; count: number }): void {
  if (tone.character.trim() === '') return
  const hertz = 200 + ((tone.character.codePointAt(0) ?? 0) % 64) * 12
  for (let index = 0; index < tone.count; index += 1) {
    samples[start + index] = Math.sin((2 * Math.PI * hertz * index) / SAMPLE_RATE) * LOUDNESS
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The beginning of a WAV file. It carries its text as a comment, by which the sandbox can write it down again. */
export function wavHead(spoken: Spoken): Uint8Array {
  const text = encoder.encode(spoken.text)
  const commentBytes = text.length + (text.length % 2)
  const listBytes = 12 + commentBytes
  const dataBytes = countSamples(spoken) * 2
  const head = new Uint8Array(HEADER_BYTES + 8 + listBytes)
  const view = new DataView(head.buffer)
  const write = (offset: number, word: string) => head.set(encoder.encode(word), offset)
  write(0, 'RIFF')
  view.setUint32(4, head.length - 8 + dataBytes, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, SAMPLE_RATE, true)
  view.setUint32(28, SAMPLE_RATE * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, 'LIST')
  view.setUint32(40, listBytes, true)
  write(44, 'INFOICMT')
  view.setUint32(52, text.length, true)
  head.set(text, 56)
  write(56 + commentBytes, 'data')
  view.setUint32(60 + commentBytes, dataBytes, true)
  return head
}

/** The text that a WAV file of the sandbox carries; null when it has none. */
export function readComment(file: Uint8Array): string | null {
  const isOurs = file.length > 56 && decoder.decode(file.subarray(36, 40)) === 'LIST'
  if (!isOurs || decoder.decode(file.subarray(44, 52)) !== 'INFOICMT') return null
  const bytes = new DataView(file.buffer, file.byteOffset).getUint32(52, true)
  return decoder.decode(file.subarray(56, 56 + Math.min(bytes, file.length - 56)))
}
