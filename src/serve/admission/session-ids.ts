import { MAX_SESSION_ID_LENGTH, NO_SESSION, type SessionIds } from '../../vocabulary/settlement.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'

/**
 * The headers in which clients name their session, their agent, and the agent that started it. Ours come first, then
 * those of coding agents. A main agent has no id, or that of its session.
 */
export const SESSION_HEADERS = {
  session: ['x-session-id', 'session_id', 'session-id', 'x-claude-code-session-id'],
  agent: ['x-agent-id', 'x-claude-code-agent-id', 'thread-id'],
  parentAgent: ['x-parent-agent-id', 'x-claude-code-parent-agent-id', 'x-codex-parent-thread-id'],
} as const satisfies Record<keyof SessionIds, readonly string[]>

const FIRST_HEADERS: readonly string[] = [...SESSION_HEADERS.session, ...SESSION_HEADERS.agent]

/** Requests that name no session share one object. */
export function readSessionIds(headers: HeaderFields): SessionIds {
  let isNamed = false
  for (const name of FIRST_HEADERS) isNamed ||= headers.has(name)
  if (!isNamed) return NO_SESSION
  const session = readId(headers, SESSION_HEADERS.session)
  const agent = readId(headers, SESSION_HEADERS.agent)
  if (agent === null || agent === session) return session === null ? NO_SESSION : { ...NO_SESSION, session }
  const parentAgent = readId(headers, SESSION_HEADERS.parentAgent)
  return { session, agent, parentAgent: parentAgent === session ? null : parentAgent }
}

/** The first of these headers. It says nothing when it is not an id. */
function readId(headers: HeaderFields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name)
    if (value) return isId(value) ? value : null
  }
  return null
}

const NOT_PRINTABLE = /[^\x20-\x7e]/
// An address of a person, and an API key in the wrong header. Ids of agents may be of the form `name@team`.
const NOT_KEPT = /@[^@]*\.|^(?:sk-|bearer )/i

function isId(value: string): boolean {
  return value.length <= MAX_SESSION_ID_LENGTH && !NOT_PRINTABLE.test(value) && !NOT_KEPT.test(value)
}
