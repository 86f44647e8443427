import { type Static, Type } from 'typebox'
import { LateCheck } from '../wire/shapes/late-check.ts'

const Milliseconds = Type.Integer({ minimum: 0, maximum: 3_600_000 })
const Pieces = Type.Integer({ minimum: 0 })

/** Every way the sandbox can misbehave. Adding one here makes the compiler point at each place that must know it. */
const FAULT_SCHEMAS = {
  /** Waits before the first byte and between pieces. */
  latency: fault('latency', {
    beforeFirstByteMs: Type.Optional(Milliseconds),
    betweenPiecesMs: Type.Optional(Milliseconds),
  }),
  /** Answers with this status; `body` is sent as it is, otherwise the face writes its own error. */
  status: fault('status', {
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
    body: Type.Optional(Type.String()),
  }),
  /** Never answers. */
  hang: fault('hang', {}),
  /** Closes the connection before any response. */
  refuse: fault('refuse', {}),
  /** Destroys the connection after so many pieces, without a terminator. */
  cut: fault('cut', { afterPieces: Pieces }),
  /** Ends a stream cleanly, but without finish reason, usage and terminal event. */
  'truncated-end': fault('truncated-end', {}),
  /** Writes single bytes, or cuts inside every character of several bytes. */
  'split-utf8': fault('split-utf8', {
    at: Type.Optional(Type.Union([Type.Literal('every-byte'), Type.Literal('inside-characters')])),
  }),
  'missing-usage': fault('missing-usage', {}),
  /** Reports usage only after a pause, when everything else has been sent. */
  'late-usage': fault('late-usage', { afterMs: Milliseconds }),
  /** A body that is not JSON; in a stream, bytes that are no event after so many good pieces. */
  garbage: fault('garbage', { afterPieces: Type.Optional(Pieces) }),
  /** An error event in mid-stream. */
  'error-in-stream': fault('error-in-stream', { afterPieces: Pieces }),
  /** An answer as long as asked for, produced only as fast as it is read. */
  'long-stream': fault('long-stream', {
    pieces: Type.Integer({ minimum: 1, maximum: 100_000_000 }),
    bytesPerPiece: Type.Integer({ minimum: 1, maximum: 1_048_576 }),
  }),
  /** Answers a request for a stream with one whole reply. */
  'plain-json': fault('plain-json', {}),
}

type FaultType = keyof typeof FAULT_SCHEMAS
export type FaultOf<T extends FaultType> = Static<(typeof FAULT_SCHEMAS)[T]>
export type Fault = { [T in FaultType]: FaultOf<T> }[FaultType]

interface FaultRule {
  /** Any model when absent. */
  readonly model?: string
  /** How many calls it strikes before it is forgotten; for ever when absent. */
  readonly times?: number
  readonly fault: Fault
}

export interface FaultControl {
  set(rule: FaultRule): void
  clear(): void
  /** Rules with the number of strikes they have left. */
  list(): FaultRule[]
}

/** The side of the fault rules that the server uses. */
export interface FaultRules extends FaultControl {
  /** The faults that strike a call to this model; counts as one strike of each. */
  strike(model: string): Fault[]
}

export function createFaultRules(): FaultRules {
  let rules: FaultRule[] = []
  return {
    set(rule) {
      rules.push(parseRule(rule))
    },
    clear() {
      rules = []
    },
    list() {
      return rules.map((rule) => ({ ...rule }))
    },
    strike(model) {
      const struck = rules.filter((rule) => rule.model === undefined || rule.model === model)
      rules = rules.map((rule) => (struck.includes(rule) ? wear(rule) : rule)).filter(hasStrikesLeft)
      return struck.map((rule) => rule.fault)
    },
  }
}

function wear(rule: FaultRule): FaultRule {
  return rule.times === undefined ? rule : { ...rule, times: rule.times - 1 }
}

function hasStrikesLeft(rule: FaultRule): boolean {
  return rule.times === undefined || rule.times > 0
}

/** The message names the invalid field of the rule. */
export class FaultRuleError extends Error {}

const RULE_CHECK = new LateCheck(
  Type.Object(
    {
      model: Type.Optional(Type.String()),
      times: Type.Optional(Type.Integer({ minimum: 1 })),
      fault: Type.Object({ type: Type.String() }),
    },
    { additionalProperties: false },
  ),
)

const FAULT_CHECKS = new Map(
  Object.entries(FAULT_SCHEMAS).map(([type, schema]) => [type, new LateCheck(schema)]),
)

export function parseRule(rule: unknown): FaultRule {
  check(RULE_CHECK, rule, 'rule')
  const { fault: wanted, ...rest } = rule as FaultRule
  return { ...rest, fault: parseFault(wanted) }
}

export function parseFault(fault: unknown): Fault {
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? String(fault.type) : ''
  const known = FAULT_CHECKS.get(type)
  if (known === undefined) {
    throw new FaultRuleError(`fault.type must be one of ${[...FAULT_CHECKS.keys()].join(', ')}`)
  }
  check(known, fault, 'fault')
  return fault as Fault
}

function check(shape: LateCheck, value: unknown, name: string): void {
  if (shape.passes(value)) return
  const error = shape.errors(value)[0]
  throw new FaultRuleError(
    `${name}${error?.instancePath.replaceAll('/', '.') ?? ''} ${error?.message ?? 'is wrong'}`,
  )
}

function fault<const T extends string, P extends Parameters<typeof Type.Object>[0]>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: false })
}

/** The faults of one call, at most one of each type. */
export interface FaultPlan {
  find<T extends FaultType>(type: T): FaultOf<T> | null
}

/** Of several faults of one type the last one holds, so the more specific source is given last. */
export function planFaults(faults: readonly Fault[]): FaultPlan {
  const byType = new Map<FaultType, Fault>(faults.map((fault) => [fault.type, fault]))
  return {
    find: <T extends FaultType>(type: T) => (byType.get(type) as FaultOf<T> | undefined) ?? null,
  }
}
