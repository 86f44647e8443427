import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { LateCheck } from '../../wire/shapes/late-check.ts'
import type { SandboxError } from '../sandbox-error.ts'

export const Literals = <T extends string[]>(...values: [...T]) => Type.Enum(values)
// Clients write null as often as they leave a field out.
export const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
export const Anything = Type.Optional(Type.Unknown())
/** One of several objects, distinguished by their `type`. */
export const Tagged = <const T extends string, P extends TProperties>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields })
/** A field it does not know is an error. */
export const Closed = <P extends TProperties>(fields: P) =>
  Type.Object(fields, { additionalProperties: false })

/**
 * A function that gives a value back as what the schema says it is, and throws what `refuse` makes of the first problem.
 * The place is where in the request the value stands.
 */
export function createCheck<T extends TSchema>(schema: T, refuse: (problem: ShapeProblem) => SandboxError) {
  const check = new LateCheck(schema)
  return (value: unknown, place: Place = []): Static<T> => {
    const problem = findShapeProblem(check, value)
    if (problem !== null) throw refuse({ ...problem, place: [...place, ...problem.place] })
    return value as Static<T>
  }
}

/** A place in a request, from the outside in. */
export type Place = readonly (string | number)[]

/** The first thing that is wrong with the shape of a request; each face has its own words for it. */
export type ShapeProblem =
  | { readonly type: 'missing'; readonly place: Place; readonly name: string }
  | { readonly type: 'unknown'; readonly place: Place; readonly name: string }
  | { readonly type: 'wrong'; readonly place: Place; readonly message: string }

/** null when the value has the shape. */
function findShapeProblem(check: LateCheck, value: unknown): ShapeProblem | null {
  if (check.passes(value)) return null
  const narrowed = narrow(check, value)
  const error = findDeepest(check.errors(narrowed.value))
  if (error === undefined) return { type: 'wrong', place: [], message: 'is malformed' }
  const place = placeIn(narrowed, splitPointer(error.instancePath))
  if (error.keyword === 'required')
    return { type: 'missing', place, name: error.params.requiredProperties[0] ?? '' }
  // A field that a closed object does not know fails against a schema that nothing fits.
  if (error.keyword === 'boolean')
    return { type: 'unknown', place: place.slice(0, -1), name: String(place.at(-1) ?? '') }
  return { type: 'wrong', place, message: error.message }
}

/** Lists longer than this are cut before errors are looked for, which takes a thousand times as long as checking. */
const MAX_SEARCHED_ITEMS = 64

/** A value with the same fault, whose long lists hold only the part of them that the fault is in. */
interface Narrowed {
  readonly value: unknown
  /** How many items were left out before those of a list, by its place in `value`. */
  readonly skipped: ReadonlyMap<string, number>
}

function narrow(check: LateCheck, value: unknown): Narrowed {
  const skipped = new Map<string, number>()
  let narrowed = value
  for (let place = findLongList(narrowed, []); place !== null; place = findLongList(narrowed, [], skipped)) {
    const items = itemsAt(narrowed, place)
    const { from, to } = faultyRange(items.length, (start, end) =>
      check.passes(replaceAt(narrowed, place, items.slice(start, end))),
    )
    skipped.set(place.join('/'), from)
    narrowed = replaceAt(narrowed, place, items.slice(from, to))
  }
  return { value: narrowed, skipped }
}

/** The smallest half of a half that still has a fault; all of it when only the whole has one. */
function faultyRange(
  length: number,
  isSound: (from: number, to: number) => boolean,
): { from: number; to: number } {
  let from = 0
  let to = length
  while (to - from > MAX_SEARCHED_ITEMS / 2) {
    const middle = Math.floor((from + to) / 2)
    if (!isSound(from, middle)) to = middle
    else if (!isSound(middle, to)) from = middle
    else break
  }
  return { from, to }
}

/** The place of the first list that is too long to be searched and has not been cut yet. */
function findLongList(value: unknown, place: Place, cut?: ReadonlyMap<string, number>): Place | null {
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value) && value.length > MAX_SEARCHED_ITEMS && !cut?.has(place.join('/'))) return place
  for (const [name, member] of Object.entries(value)) {
    const found = findLongList(member, [...place, Array.isArray(value) ? Number(name) : name], cut)
    if (found !== null) return found
  }
  return null
}

function itemsAt(value: unknown, place: Place): readonly unknown[] {
  const found = place.reduce<unknown>(
    (inner, step) => (inner as Readonly<Record<string, unknown>>)[step],
    value,
  )
  return found as readonly unknown[]
}

function replaceAt(value: unknown, [step, ...rest]: Place, items: readonly unknown[]): unknown {
  if (step === undefined) return items
  if (Array.isArray(value)) return value.with(Number(step), replaceAt(value[Number(step)], rest, items))
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [step]: replaceAt(object[step], rest, items) }
}

function placeIn({ skipped }: Narrowed, place: Place): Place {
  return place.map((step, index) =>
    typeof step === 'number' ? step + (skipped.get(place.slice(0, index).join('/')) ?? 0) : step,
  )
}

// Of several shapes a value could have, the one it came closest to says best what is wrong.
function findDeepest(errors: readonly TLocalizedValidationError[]): TLocalizedValidationError | undefined {
  const depth = ({ instancePath }: TLocalizedValidationError) => instancePath.split('/').length
  return errors.toSorted((one, other) => depth(other) - depth(one))[0]
}

function splitPointer(pointer: string): Place {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

/** `messages[0].role`: how most formats write a place. */
export function spellPlace(place: Place): string {
  return place.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  )
}
