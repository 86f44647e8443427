import type { HeaderFields } from '../../wire/http-answer.ts'
import type { PreparedRequest } from './admit.ts'

function hasChoice({ target }: PreparedRequest): boolean {
  const { routes } = target
  return routes.length > 1 || (routes[0]?.credentials.length ?? 0) > 1
}

/** Headers in which agents name the session they are in. */
const SESSION_HEADERS = ['x-session-id', 'session_id', 'session-id', 'x-claude-code-session-id'] as const

/**
 * What the turns of a conversation have in common, so that they can stay together: an id that says nothing about it, and
 * that no other key shares. Null when nothing is known, or when there is nothing to choose from.
 */
export function conversationOf(asking: PreparedRequest): string | null {
  if (!hasChoice(asking)) return null
  const { exchange, request, caller } = asking
  const name = sessionOf(exchange.headers) ?? request.conversationHint()
  if (name === null) return null
  return `${caller.key.id}:${Bun.hash(name).toString(36)}`
}

function sessionOf(headers: HeaderFields): string | null {
  for (const name of SESSION_HEADERS) {
    const value = headers.get(name)
    if (value !== null && value !== '') return value
  }
  return null
}
