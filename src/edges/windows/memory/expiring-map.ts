/** Values that are forgotten after a time of their own. */
export class ExpiringMap<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly endsAtMs: number }>()

  set(name: string, value: Value, endsAtMs: number): void {
    this.#values.set(name, { value, endsAtMs })
  }

  get(name: string, nowMs: number): Value | null {
    const kept = this.#values.get(name)
    return kept === undefined || kept.endsAtMs <= nowMs ? null : kept.value
  }

  list(nowMs: number): Value[] {
    return [...this.#values.values()].filter(({ endsAtMs }) => endsAtMs > nowMs).map(({ value }) => value)
  }

  sweep(nowMs: number): void {
    for (const [name, { endsAtMs }] of this.#values) if (endsAtMs <= nowMs) this.#values.delete(name)
  }
}
