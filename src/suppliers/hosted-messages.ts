import type { HeaderFields } from '../wire/http-answer.ts'
import { findTopLevelMembers } from '../wire/json-members.ts'

/**
 * The text of a JSON object with some members left out (null) or written anew, and every other value as it was: what
 * is signed inside of it must not change by a character.
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

/** The features in test that a client asked for and this host is known to take; it refuses calls that name others. */
export function betasOf(clientHeaders: HeaderFields | null, taken: ReadonlySet<string>): string[] {
  const asked = clientHeaders?.get('anthropic-beta')?.split(',') ?? []
  return [...new Set(asked.map((name) => name.trim()))].filter((name) => taken.has(name))
}

/** The usual ones and those an operator has added, written with commas or spaces between them. */
export function withAddedBetas(usual: readonly string[], added: string | undefined): ReadonlySet<string> {
  return new Set([...usual, ...(added?.split(/[\s,]+/) ?? [])])
}
