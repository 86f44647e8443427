const TIME_DIGITS = 12
const RANDOM_DIGITS = 20
const IDS_AT_ONCE = 200

/**
 * Ids that begin with the time, so that neighbours are stored together, which halves the cost of writing settlements.
 * The rest is 80 random bits, drawn for many ids at once.
 */
export class RequestIds {
  #random = ''
  #used = 0
  #prefix = ''
  #prefixAtMs = Number.NaN

  next(nowMs: number): string {
    if (this.#used === this.#random.length) this.#draw()
    const from = this.#used
    this.#used += RANDOM_DIGITS
    return this.#prefixOf(nowMs) + this.#random.slice(from, this.#used)
  }

  #prefixOf(nowMs: number): string {
    if (nowMs !== this.#prefixAtMs) {
      this.#prefixAtMs = nowMs
      this.#prefix = `req_${Math.floor(nowMs).toString(16).padStart(TIME_DIGITS, '0')}`
    }
    return this.#prefix
  }

  #draw(): void {
    const bytes = crypto.getRandomValues(Buffer.alloc((IDS_AT_ONCE * RANDOM_DIGITS) / 2))
    this.#random = bytes.toString('hex')
    this.#used = 0
  }
}
