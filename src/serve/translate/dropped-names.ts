const LONGEST_NAME = 64
const MOST_NAMES = 50

/**
 * Names of parameters as a response header can carry them. Some are the client's own words for fields nobody knows,
 * so they may hold any character and be of any length and number.
 */
export function droppedNames(names: readonly string[]): string[] {
  return names.slice(0, MOST_NAMES).map((name) =>
    name
      .slice(0, LONGEST_NAME)
      .toWellFormed()
      .replaceAll(/[^!-+\--~]/gu, encodeURIComponent),
  )
}
