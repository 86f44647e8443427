import { useState } from 'react'
import { placeError } from './field-errors.ts'
import { type ActionOptions, useAction } from './use-action.ts'

/** The part of a form that refusals are shown in; a form of @mantine/form fits. */
export interface FieldErrors {
  readonly fields: readonly string[]
  setFieldError(field: string, message: string): void
}

export interface FormAction<Input> {
  submit(input: Input): Promise<void>
  readonly isRunning: boolean
  /** What no field took. */
  readonly error: unknown
}

/** Sends a form. A refusal that names a field is shown there, any other is in `error`. */
export function useFormAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  { fields, setFieldError, ...options }: ActionOptions<Result> & FieldErrors,
): FormAction<Input> {
  const [error, setError] = useState<unknown>(null)
  const action = useAction(act, options)
  return {
    submit: async (input) => {
      setError(null)
      await action.runAndWait(input).catch((thrown: unknown) => {
        setError(placeError(thrown, fields, setFieldError))
      })
    },
    isRunning: action.isRunning,
    error,
  }
}
