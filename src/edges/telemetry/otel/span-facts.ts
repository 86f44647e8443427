import type { Attributes, AttributeValue, HrTime, SpanKind } from '@opentelemetry/api'

/** A span that has ended. */
export interface SpanFacts {
  readonly spanId: string
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly endMs: number
  readonly attributes: SpanAttributes
  readonly events?: readonly SpanEvent[]
  /** Null when it is the first of its trace. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | null
  /** Absent when it did not fail. */
  readonly failure?: { readonly message?: string } | undefined
}

export interface SpanEvent {
  readonly name: string
  readonly atMs: number
  readonly attributes?: SpanAttributes
}

export function hrTime(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1_000)
  return [seconds, nanosecondsWithin(seconds, epochMs)]
}

export function nanosecondsWithin(seconds: number, epochMs: number): number {
  return Math.round((epochMs - seconds * 1_000) * 1e6)
}

type Value = AttributeValue | readonly string[] | null | undefined

/**
 * A list, because an object with twenty properties that may be absent costs several times as much. It can be emptied and
 * used again, because growing lists costs as much as filling them.
 */
export class SpanAttributes {
  readonly names: string[] = []
  readonly values: AttributeValue[] = []
  /** What follows in the lists is from before they were emptied. */
  count = 0
  /** How many of the first attributes are the same for most spans of this kind, so that their bytes are used again. */
  usualCount = 0

  static from(attributes: Attributes): SpanAttributes {
    const list = new SpanAttributes()
    for (const [name, value] of Object.entries(attributes)) list.put(name, value)
    return list
  }

  /** Adds an attribute that is not there yet, unless there is no value for it. */
  put(name: string, value: Value): void {
    if (value === null || value === undefined) return
    this.names[this.count] = name
    this.values[this.count] = value as AttributeValue
    this.count += 1
  }

  empty(): this {
    this.count = 0
    this.usualCount = 0
    return this
  }

  /** Call between what is the same for most spans of this kind and what differs. */
  endUsual(): void {
    this.usualCount = this.count
  }
}
