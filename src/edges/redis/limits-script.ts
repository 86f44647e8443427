import { createHash } from 'node:crypto'

/** A Lua script that Redis runs as one step. */
export interface LimitsScript {
  readonly text: string
  /** How Redis identifies a script it has seen. */
  readonly sha: string
}

export function createScript(...parts: readonly string[]): LimitsScript {
  const text = parts.join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
