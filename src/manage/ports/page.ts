export interface Page {
  readonly limit: number
  readonly cursor: string | null
}

export interface Listing<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}
