/** Small audio files whose length is known. What they hold is silence. */

function ascii(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0))
}

function big(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** (bytes - 1 - index)) % 256)
}

function little(value: number, bytes: number): number[] {
  return big(value, bytes).reverse()
}

const nothing = (bytes: number): number[] => Array.from({ length: bytes }, () => 0)

/** 16 bits, mono. `declaredBytes`: what the header says of the samples; the truth when absent. */
export function wavFile(
  milliseconds: number,
  sampleRate = 8_000,
  declaredBytes?: number,
): Uint8Array<ArrayBuffer> {
  const bytes = Math.round((milliseconds * sampleRate) / 1000) * 2
  const format = [
    ...little(1, 2),
    ...little(1, 2),
    ...little(sampleRate, 4),
    ...little(sampleRate * 2, 4),
    ...little(2, 2),
    ...little(16, 2),
  ]
  const head = [
    ...ascii('RIFF'),
    ...little(36 + bytes, 4),
    ...ascii('WAVEfmt '),
    ...little(16, 4),
    ...format,
    ...ascii('data'),
    ...little(declaredBytes ?? bytes, 4),
  ]
  const file = new Uint8Array(head.length + bytes)
  file.set(head)
  return file
}

/** Frames of 128 kbit/s at 44.1 kHz, 1,152 samples each, after a tag. */
export function mp3File(frames: number): Uint8Array<ArrayBuffer> {
  const tag = [...ascii('ID3'), 3, 0, 0, 0, 0, 0, 20, ...nothing(20)]
  const frame = [0xff, 0xfb, 0x90, 0x00, ...nothing(413)]
  const last = [...ascii('TAG'), ...nothing(125)]
  return Uint8Array.from([...tag, ...Array.from({ length: frames }, () => frame).flat(), ...last])
}

export function aacFile(frames: number): Uint8Array<ArrayBuffer> {
  // 44.1 kHz, 100 bytes a frame.
  const frame = [0xff, 0xf1, 0x50, 0x80, 100 >> 3, (100 & 7) << 5, 0xfc, ...nothing(93)]
  return Uint8Array.from(Array.from({ length: frames }, () => frame).flat())
}

export function flacFile(samples: number, sampleRate = 16_000): Uint8Array<ArrayBuffer> {
  const packed = (BigInt(sampleRate) << 44n) | (15n << 36n) | BigInt(samples)
  const info = [...big(4096, 2), ...big(4096, 2), ...nothing(6), ...bigintBytes(packed), ...nothing(16)]
  return Uint8Array.from([...ascii('fLaC'), 0x80, ...big(34, 3), ...info, ...nothing(200)])
}

function bigintBytes(value: bigint): number[] {
  return Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(8 * (7 - index))) & 255n))
}

export function opusFile(milliseconds: number): Uint8Array<ArrayBuffer> {
  const skipped = 312
  const head = [...ascii('OpusHead'), 1, 1, ...little(skipped, 2), ...little(48_000, 4), 0, 0, 0]
  const samples = milliseconds * 48 + skipped
  return Uint8Array.from([
    ...oggPage(0, head),
    ...oggPage(0, ascii('OpusTags')),
    ...oggPage(Math.floor(samples / 2), nothing(300)),
    ...oggPage(samples, nothing(500)),
  ])
}

function oggPage(position: number, content: readonly number[]): number[] {
  const lengths = [
    ...Array.from({ length: Math.floor(content.length / 255) }, () => 255),
    content.length % 255,
  ]
  return [
    ...ascii('OggS'),
    0,
    0,
    ...little(position, 8),
    ...nothing(12),
    lengths.length,
    ...lengths,
    ...content,
  ]
}

/** The length is at the end, as encoders write it that do not know it in advance. */
export function mp4File(milliseconds: number): Uint8Array<ArrayBuffer> {
  const length = [...nothing(12), ...big(1_000, 4), ...big(milliseconds, 4), ...nothing(80)]
  return Uint8Array.from([
    ...box('ftyp', [...ascii('M4A '), ...nothing(12)]),
    ...box('mdat', nothing(3_000)),
    ...box('moov', box('mvhd', length)),
  ])
}

function box(name: string, content: readonly number[]): number[] {
  return [...big(content.length + 8, 4), ...ascii(name), ...content]
}

/** `null`: without a length, as browsers record it. */
export function webmFile(milliseconds: number | null): Uint8Array<ArrayBuffer> {
  const length = new DataView(new ArrayBuffer(8))
  length.setFloat64(0, milliseconds ?? 0)
  const info = [
    ...element([0x2a, 0xd7, 0xb1], big(1_000_000, 3)),
    ...(milliseconds === null ? [] : element([0x44, 0x89], [...new Uint8Array(length.buffer)])),
  ]
  return Uint8Array.from([
    ...element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], ascii('webm'))),
    // A segment of unknown size.
    ...[0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ...element([0x15, 0x49, 0xa9, 0x66], info),
    ...element([0x1f, 0x43, 0xb6, 0x75], nothing(100)),
  ])
}

function element(id: readonly number[], content: readonly number[]): number[] {
  return [...id, 0x80 | content.length, ...content]
}
