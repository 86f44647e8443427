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
