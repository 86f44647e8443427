import type { TLocalizedValidationError } from 'typebox/error'

/** A place in a request, from the outside in. */
export type Place = readonly (string | number)[]

/** The first thing that is wrong with the shape of a request; each face has its own words for it. */
export type ShapeProblem =
  | { readonly type: 'missing'; readonly place: Place; readonly name: string }
  | { readonly type: 'unknown'; readonly place: Place; readonly name: string }
  | { readonly type: 'wrong'; readonly place: Place; readonly message: string }

interface Checker {
  Check(value: unknown): boolean
  Errors(value: unknown): TLocalizedValidationError[]
}

/** null when the value has the shape. */
export function findShapeProblem(checker: Checker, value: unknown): ShapeProblem | null {
  if (checker.Check(value)) return null
  const error = findDeepest(checker.Errors(value))
  if (error === undefined) return { type: 'wrong', place: [], message: 'is malformed' }
  const place = splitPointer(error.instancePath)
  if (error.keyword === 'required')
    return { type: 'missing', place, name: error.params.requiredProperties[0] ?? '' }
  // A field that a closed object does not know fails against a schema that nothing fits.
  if (error.keyword === 'boolean')
    return { type: 'unknown', place: place.slice(0, -1), name: String(place.at(-1) ?? '') }
  return { type: 'wrong', place, message: error.message }
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
