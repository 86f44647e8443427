/** Text, raw bytes, or bytes to be encoded in Base64. */
export type BodyPiece = string | Blob | { readonly base64Of: Blob }

const encoder = new TextEncoder()

/**
 * A body that is built while it is sent, so that files on disk are never loaded whole. It can be opened and sent
 * several times.
 */
export class PiecedBody {
  readonly contentType: string
  readonly bytes: number
  readonly #pieces: readonly EncodedPiece[]

  constructor(contentType: string, pieces: readonly BodyPiece[]) {
    this.contentType = contentType
    this.#pieces = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
    this.bytes = this.#pieces.reduce((total, piece) => total + sizeOf(piece), 0)
  }

  /** `onEnd` is called when all of it has been taken. */
  open(onEnd?: () => void): ReadableStream<Uint8Array> {
    const chunks = chunksOf(this.#pieces)
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (!done) return controller.enqueue(value)
        onEnd?.()
        controller.close()
      },
      async cancel() {
        await chunks.return(undefined)
      },
    })
  }
}

type EncodedPiece = Uint8Array | Exclude<BodyPiece, string>

function sizeOf(piece: EncodedPiece): number {
  if (piece instanceof Uint8Array) return piece.length
  return piece instanceof Blob ? piece.size : Math.ceil(piece.base64Of.size / 3) * 4
}

async function* chunksOf(pieces: readonly EncodedPiece[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else if (piece instanceof Blob) yield* portionsOf(piece)
    else yield* encodedPortionsOf(piece.base64Of)
  }
}

// A multiple of three, so that the Base64 of the portions adds up to the Base64 of the whole.
const PORTION_BYTES = 3 * 64 * 1024

async function* portionsOf(blob: Blob): AsyncGenerator<Uint8Array, void, void> {
  for (let start = 0; start < blob.size; start += PORTION_BYTES) {
    yield await blob.slice(start, start + PORTION_BYTES).bytes()
  }
}

async function* encodedPortionsOf(blob: Blob): AsyncGenerator<Uint8Array, void, void> {
  for await (const portion of portionsOf(blob)) yield encoder.encode(portion.toBase64())
}

/**
 * A text in pieces. Whoever writes it to a socket writes one after the other: a joined text is copied when its characters
 * are read, and a prompt may have a megabyte of them. No piece ends within a character.
 */
export type TextPieces = readonly string[]

/** Shorter texts are joined faster than they are written in pieces. */
export const LEAST_PIECED = 16_384

/** Costs nothing until the characters are read. */
export function joinPieces(pieces: TextPieces): string {
  // Not from an empty text: even that and a single piece would be joined, and copied later.
  let text = pieces[0] ?? ''
  for (let place = 1; place < pieces.length; place += 1) text += pieces[place]
  return text
}
