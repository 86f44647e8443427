/** The account that the settlements are of. */
export interface Furnished {
  readonly accountId: string
  readonly keyIds: readonly string[]
  readonly settlements: number
}
