import { PngError } from './png-error.ts'

/** A row of samples and the row above it, which is all zero for the first one. */
export interface RowPair {
  readonly row: Uint8Array
  readonly above: Uint8Array
  /** Bytes for one pixel: how far to the left the neighbour of a byte is. */
  readonly step: number
}

/** What a byte is expected to be from its neighbours to the left, above and above left. */
type Prediction = (left: number, up: number, upLeft: number) => number

/** In the order of the numbers that name them in a file. */
const FILTER_NAMES = ['none', 'sub', 'up', 'average', 'paeth'] as const

export type FilterName = (typeof FILTER_NAMES)[number]

const PREDICTIONS = {
  none: () => 0,
  sub: (left) => left,
  up: (_left, up) => up,
  average: (left, up) => (left + up) >> 1,
  paeth: predictPaeth,
} as const satisfies Record<FilterName, Prediction>

function predictPaeth(left: number, up: number, upLeft: number): number {
  const byLeft = Math.abs(up - upLeft)
  const byUp = Math.abs(left - upLeft)
  const byUpLeft = Math.abs(left + up - 2 * upLeft)
  if (byLeft <= byUp && byLeft <= byUpLeft) return left
  return byUp <= byUpLeft ? up : upLeft
}

/** Turns differences back into samples, in place. `filter` is its number in the file. */
export function undoFilter(filter: number, { row, above, step }: RowPair): void {
  const name = FILTER_NAMES[filter]
  if (name === undefined) throw new PngError(`filter ${filter} does not exist`)
  if (name === 'none') return
  const predict = PREDICTIONS[name]
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : (row[at - step] ?? 0)
    const upLeft = at < step ? 0 : (above[at - step] ?? 0)
    row[at] = (row[at] ?? 0) + predict(left, above[at] ?? 0, upLeft)
  }
}

/** Writes the filter's number and the differences of a row, and says how large they are; small ones pack best. */
export function applyFilter(
  filter: FilterName,
  { row, above, step }: RowPair,
  differences: Uint8Array,
): number {
  const predict = PREDICTIONS[filter]
  differences[0] = FILTER_NAMES.indexOf(filter)
  let size = 0
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : (row[at - step] ?? 0)
    const upLeft = at < step ? 0 : (above[at - step] ?? 0)
    const difference = ((row[at] ?? 0) - predict(left, above[at] ?? 0, upLeft)) & 0xff
    differences[at + 1] = difference
    size += difference < 128 ? difference : 256 - difference
  }
  return size
}
