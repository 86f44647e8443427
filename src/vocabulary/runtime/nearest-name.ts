/**
 * The name that someone probably meant; null when none is similar. A name that differs in more than a third of its letters
 * is another word.
 */
export function nearestName(
  name: string,
  names: readonly string[],
  /** How many letters of the name count. */
  length = name.length,
): string | null {
  let nearest: string | null = null
  let least = Math.max(2, Math.floor(length / 3)) + 1
  for (const candidate of names) {
    const distance = editDistance(name, candidate)
    if (distance >= least) continue
    least = distance
    nearest = candidate
  }
  return nearest
}

/** How many letters must be added, removed, replaced or swapped with their neighbour to turn one word into the other. */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
