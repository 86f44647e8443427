import { findTopLevelMembers } from '../wire/json-members.ts'

/**
 * Rewrites a JSON object: removes members (null) or replaces them, and copies all other text unchanged, because signed
 * values inside must not change.
 */
export function rewriteMembers(text: string, changes: Readonly<Record<string, unknown>>): string {
  const kept = [...findTopLevelMembers(text)]
    .filter(([name]) => !Object.hasOwn(changes, name))
    .map(([name, { start, end }]) => `${JSON.stringify(name)}:${text.slice(start, end)}`)
  const written = Object.entries(changes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${[...written, ...kept].join(',')}}`
}

/** Whether a beta may be asked of a host, which refuses those that it does not know. */
export function isKnownOrAdded(
  beta: string,
  known: ReadonlySet<string>,
  option: string | undefined,
): boolean {
  return operatorsChoice(beta, option) ?? known.has(beta)
}

/** The option lists names with commas or spaces between them; a minus before a name withholds it. */
export function operatorsChoice(beta: string, option: string | undefined): boolean | null {
  if (option === undefined) return null
  const names = option.split(/[\s,]+/)
  if (names.includes(`-${beta}`)) return false
  return names.includes(beta) ? true : null
}
