import { createHash } from 'node:crypto'

/** What runs inside Redis in one step. */
export interface LimitsScript {
  readonly text: string
  /** By which Redis knows a script it has seen. */
  readonly sha: string
}

export function createScript(...parts: readonly string[]): LimitsScript {
  const text = parts.join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
