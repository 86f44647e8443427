import type { Attributes, HrTime, SpanKind } from '@opentelemetry/api'

/** A span that has ended. */
export interface SpanFacts {
  readonly spanId: string
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly events?: readonly SpanEvent[]
  /** Null when it is the first of its trace. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | null
  /** Absent when it did not fail. */
  readonly failure?: { readonly message?: string }
}

export interface SpanEvent {
  readonly name: string
  readonly atMs: number
  readonly attributes?: Attributes
}

export function hrTime(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1_000)
  return [seconds, Math.round((epochMs - seconds * 1_000) * 1e6)]
}

type Value = string | number | boolean | readonly string[] | null | undefined

/** Adds an attribute, unless there is no value for it. */
export function put(attributes: Attributes, name: string, value: Value): void {
  if (value !== null && value !== undefined) attributes[name] = value as string
}
