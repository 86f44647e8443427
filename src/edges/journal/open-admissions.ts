/** Which files hold admissions whose settlement is in no file yet: without them nobody would know of these requests. */
export class OpenAdmissions {
  readonly #segments = new Map<string, number>()
  readonly #counts = new Map<number, number>()

  get size(): number {
    return this.#segments.size
  }

  note(requestId: string, segment: number): void {
    this.#segments.set(requestId, segment)
    this.#counts.set(segment, (this.#counts.get(segment) ?? 0) + 1)
  }

  forget(requestId: string): void {
    const segment = this.#segments.get(requestId)
    if (segment === undefined) return
    this.#segments.delete(requestId)
    const left = (this.#counts.get(segment) ?? 0) - 1
    if (left > 0) this.#counts.set(segment, left)
    else this.#counts.delete(segment)
  }

  areIn(segment: number): boolean {
    return this.#counts.has(segment)
  }
}
