import { crc32 } from 'node:zlib'
import { PngError } from './png-error.ts'

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export interface Chunk {
  readonly type: string
  readonly data: Uint8Array
}

// Length, type and checksum around the data.
const FRAME_BYTES = 12
// A file of nothing but empty chunks would otherwise cost many times its size in memory.
const MOST_CHUNKS = 65_536

/** The chunks of a file up to the one that ends it; what follows that one is nobody's. */
export function readChunks(bytes: Uint8Array): readonly Chunk[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new PngError('it is not a PNG file')
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; chunks.at(-1)?.type !== 'IEND'; ) {
    if (chunks.length === MOST_CHUNKS) throw new PngError('it has too many chunks')
    const chunk = readChunk(file, at)
    chunks.push(chunk)
    at += FRAME_BYTES + chunk.data.length
  }
  return chunks
}

function readChunk(file: Buffer, at: number): Chunk {
  if (at + FRAME_BYTES > file.length) throw new PngError('the file is cut off')
  const length = file.readUInt32BE(at)
  const end = at + FRAME_BYTES + length
  if (end > file.length) throw new PngError('the file is cut off')
  const type = file.toString('latin1', at + 4, at + 8)
  if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4))
    throw new PngError(`the checksum of chunk ${JSON.stringify(type)} is wrong`)
  return { type, data: file.subarray(at + 8, end - 4) }
}

export function writeChunk({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(FRAME_BYTES + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}
