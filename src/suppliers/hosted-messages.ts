export { rewriteMembers } from '../wire/json-members.ts'

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
