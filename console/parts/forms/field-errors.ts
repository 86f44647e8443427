import { ApiError } from '../../api/api-error.ts'

/**
 * Puts a refusal of the API at the field it names. Answers what is left to be shown elsewhere: null when a field has
 * taken it. `fields` are the names of the form's fields, which are those of the API.
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
