import { ApiError } from '../../api/api-error.ts'

/**
 * Shows an API error at the field it names. Returns the error if no field matches, else null. `fields` are the names of
 * the form's fields, which match those of the API.
 */
export function placeError(
  error: unknown,
  fields: readonly string[],
  setFieldError: (field: string, message: string) => void,
): unknown {
  if (!(error instanceof ApiError) || error.param === null) return error
  const { param } = error
  const field = fields.find((name) => param === name || param.startsWith(`${name}.`))
  if (field === undefined) return error
  setFieldError(field, error.message)
  return null
}
