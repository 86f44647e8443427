import type { HeaderFields } from '../../wire/http-answer.ts'
import { betasOf } from '../hosted-messages.ts'

/**
 * Beta features a client may switch on: those that change how one request is read or answered. Left out are the ones
 * that reach into our account or cost more than the route's price says: stored files, containers, skills, batches,
 * signing in, faster serving and the longer context window. Operators add to them with the option `betas`.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  'advanced-tool-use-2025-11-20',
  'claude-code-20250219',
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'extended-cache-ttl-2025-04-11',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mid-conversation-system-2026-04-07',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'pdfs-2024-09-25',
  'prompt-caching-2024-07-31',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'task-budgets-2026-03-13',
  'thinking-token-count-2026-05-13',
  'token-counting-2024-11-01',
  'token-efficient-tools-2025-02-19',
  'token-efficient-tools-2026-03-28',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
])

/** Those of the client's betas that may go on, as one header; null when none may. */
export function allowedBetas(clientHeaders: HeaderFields | null, added: string | undefined): string | null {
  const taken = added === undefined ? ALLOWED : new Set([...ALLOWED, ...added.split(/[\s,]+/)])
  const betas = betasOf(clientHeaders, taken)
  return betas.length === 0 ? null : betas.join(',')
}
