import { type ByteReader, handsOver, type PieceReceiver, type PushingReader } from '../../wire/http-answer.ts'

/** What the supplier has sent, or that it sends no more. */
export type Piece = Uint8Array | 'end'

/** Deals with the pieces of a supplier's stream. */
export interface PieceTaker {
  /** Whether no more pieces are wanted. */
  readonly isEnded: boolean
  /** Null when the next piece may follow at once; otherwise it waits. */
  takePiece(piece: Piece): Promise<void> | null
  /** A piece could not be dealt with. */
  giveUp(problem: unknown): void
}

const BROKEN = { done: true, value: undefined } as const

/**
 * Hands over the pieces of a supplier's stream at the pace of the one who takes them.
 *
 * A stream that waits for its next piece should hold nothing that is new: with a promise for each of a thousand streams,
 * every collection finds thousands of young objects alive.
 */
export class SupplyFlow implements PieceReceiver {
  readonly #reader: Pick<ByteReader, 'read'>
  readonly #taker: PieceTaker
  #pushing: Pick<PushingReader, 'readNow'> | null = null
  /** Whether a piece is still being dealt with. */
  #isHeldUp = false
  /** Whether the connection to the supplier was lost, which is the end of the response. */
  isBroken = false

  constructor(reader: Pick<ByteReader, 'read'>, taker: PieceTaker) {
    this.#reader = reader
    this.#taker = taker
  }

  /** Resolves when the flow has ended, or goes on by itself. */
  async begin(): Promise<void> {
    const reader = this.#reader
    if (handsOver(reader)) {
      this.#pushing = reader
      reader.handTo(this)
      this.#goOn()
      return
    }
    while (!this.#taker.isEnded) {
      const { done, value } = await reader.read().catch(this.#noteBroken)
      await this.#taker.takePiece(done ? 'end' : value)
    }
  }

  receive(piece: Uint8Array): boolean {
    if (this.#isHeldUp || this.#taker.isEnded) return false
    this.#handOver(piece)
    return true
  }

  noteEnd(): void {
    this.#goOn()
  }

  /** Hands over what waits. */
  #goOn(): void {
    while (!this.#isHeldUp && !this.#taker.isEnded) {
      const piece = this.#readNow()
      if (piece === null) return
      this.#handOver(piece)
    }
  }

  #handOver(piece: Piece): void {
    try {
      const waiting = this.#taker.takePiece(piece)
      if (waiting !== null) this.#holdUp(waiting)
    } catch (problem) {
      this.#taker.giveUp(problem)
    }
  }

  #readNow(): Piece | null {
    try {
      return this.#pushing?.readNow() ?? null
    } catch {
      this.#noteBroken()
      return 'end'
    }
  }

  #holdUp(waiting: Promise<void>): void {
    this.#isHeldUp = true
    waiting.then(
      () => {
        this.#isHeldUp = false
        this.#goOn()
      },
      (problem) => this.#taker.giveUp(problem),
    )
  }

  readonly #noteBroken = (): typeof BROKEN => {
    this.isBroken = true
    return BROKEN
  }
}
