import type { CacheHint } from '../../../conversation/part.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'

/** Suppliers reject requests with more marks. */
export const MAX_CACHE_MARKS = 4

export function decodeCache(wire: unknown): CacheHint | null {
  const control = asObject(wire)
  if (control === null) return null
  return { ttl: control.ttl === '5m' || control.ttl === '1h' ? control.ttl : null }
}

/** The member to spread into a block; empty when there is no hint. */
export function encodeCache(hint: CacheHint | null): { readonly cache_control?: JsonObject } {
  if (hint === null) return {}
  return { cache_control: { type: 'ephemeral', ...(hint.ttl !== null && { ttl: hint.ttl }) } }
}

interface Section {
  readonly tools: readonly JsonObject[]
  readonly system: readonly JsonObject[]
  readonly messages: readonly JsonObject[]
}

/**
 * Removes the earliest marks until at most `most` remain. A later mark caches everything before it, so the last ones
 * matter. Suppliers read the prompt in the order tools, system, messages.
 */
export function keepLastMarks({ tools, system, messages }: Section, most: number): Section {
  const remover = new MarkRemover(countMarks(tools) + countMarks(system) + countMarks(messages) - most)
  return {
    tools: remover.strip(tools),
    system: remover.strip(system),
    messages: remover.strip(messages),
  }
}

function countMarks(blocks: readonly unknown[]): number {
  let marks = 0
  for (const item of blocks) {
    const block = asObject(item)
    if (block === null) continue
    if (asObject(block.cache_control)) marks += 1
    if (Array.isArray(block.content)) marks += countMarks(block.content)
  }
  return marks
}

class MarkRemover {
  #excess: number

  constructor(excess: number) {
    this.#excess = excess
  }

  strip(blocks: readonly JsonObject[]): readonly JsonObject[] {
    return this.#excess > 0 ? blocks.map((block) => this.#stripBlock(block)) : blocks
  }

  // The blocks inside a result come before the mark of the result.
  #stripBlock(block: JsonObject): JsonObject {
    if (this.#excess <= 0) return block
    const inner = Array.isArray(block.content) ? { content: this.#stripInner(block.content) } : {}
    if (this.#excess <= 0 || !asObject(block.cache_control)) return { ...block, ...inner }
    this.#excess--
    const { cache_control: _removed, ...rest } = block
    return { ...rest, ...inner }
  }

  #stripInner(content: readonly unknown[]): readonly unknown[] {
    return content.map((item) => {
      const block = asObject(item)
      return block === null ? item : this.#stripBlock(block)
    })
  }
}
