import type { Reply } from './ports/exchange.ts'

export function jsonReply(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
