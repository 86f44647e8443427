import { crc32, deflateSync } from 'node:zlib'

export interface HandMadePng {
  readonly width: number
  readonly height: number
  /** The number of the colour type in the file. */
  readonly colourType: number
  /** What is packed: for each row its filter, then its bytes. */
  readonly rows: readonly number[] | Uint8Array
  readonly bits?: number
  readonly interlace?: number
  /** Chunks between the header and the pixels. */
  readonly chunks?: readonly (readonly [type: string, data: readonly number[]])[]
}

/** Writes a file byte by byte, without the encoder, so that the decoder is not only tested against its twin. */
export function makePng(png: HandMadePng): Buffer {
  const { width, height, bits = 8, colourType, interlace = 0 } = png
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, colourType, 0, 0, interlace], 8)
  return joinChunks(
    ['IHDR', header],
    ...(png.chunks ?? []).map(([type, data]): FileChunk => [type, Buffer.from(data)]),
    ['IDAT', deflateSync(Buffer.from(png.rows))],
    ['IEND', Buffer.alloc(0)],
  )
}

type FileChunk = readonly [type: string, data: Uint8Array]

export function joinChunks(...chunks: readonly FileChunk[]): Buffer {
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([signature, ...chunks.map(([type, data]) => frame(type, data))])
}

function frame(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
