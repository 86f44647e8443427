/** What a supplier embeds in one call. */
export interface EmbeddingLimits {
  readonly inputs: number
  /** Of all inputs together; null when there is no such limit. */
  readonly tokens: number | null
}
