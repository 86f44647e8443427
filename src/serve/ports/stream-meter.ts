/** Counts one gap between two pieces of a stream, in whole milliseconds. Called for every piece, so it must be cheap. */
export type NoteGap = (gapMs: number) => void

/** Finds where the gaps of a stream are counted; called once per stream. */
export type ChunkGaps = (modelId: string, supplierId: string) => NoteGap
