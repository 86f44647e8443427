import type { HeaderFields } from '../wire/http-answer.ts'
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

/** The client's beta features that this host supports; it refuses calls with others. */
export function betasOf(clientHeaders: HeaderFields | null, taken: ReadonlySet<string>): string[] {
  const asked = clientHeaders?.get('anthropic-beta')?.split(',') ?? []
  return [...new Set(asked.map((name) => name.trim()))].filter((name) => taken.has(name))
}

/** The usual ones and those an operator has added, written with commas or spaces between them. */
export function withAddedBetas(usual: readonly string[], added: string | undefined): ReadonlySet<string> {
  return new Set([...usual, ...(added?.split(/[\s,]+/) ?? [])])
}
