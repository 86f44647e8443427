import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { placeError } from './field-errors.ts'
import type { FormDrawerProps } from './form-drawer.tsx'
import { type ActionOptions, useAction } from './use-action.ts'

export interface FormActionOptions<Result> extends ActionOptions<Result> {
  /** Those at which a refusal may be shown: all of them, unless some are not on screen. */
  readonly fields?: readonly string[]
}

export interface FormAction<Values> {
  submit(values: Values): Promise<void>
  readonly isRunning: boolean
  /** What no field took. */
  readonly error: unknown
  /** All of it, as FormDrawer takes it. */
  readonly drawer: Pick<FormDrawerProps, 'onSubmit' | 'isSubmitting' | 'error'>
}

/** Sends a form. A refusal that names a field is shown there, any other is in `error`. */
export function useFormAction<Values extends object, Result>(
  form: UseFormReturnType<Values>,
  act: (values: Values) => Promise<Result>,
  { fields = Object.keys(form.getValues()), ...options }: FormActionOptions<Result>,
): FormAction<Values> {
  const [error, setError] = useState<unknown>(null)
  const action = useAction(act, options)
  const submit = async (values: Values) => {
    setError(null)
    await action.runAndWait(values).catch((thrown: unknown) => {
      setError(
        placeError(thrown, fields, (field, message) => form.setErrors({ ...form.errors, [field]: message })),
      )
    })
  }
  return {
    submit,
    isRunning: action.isRunning,
    error,
    drawer: { onSubmit: form.onSubmit(submit), isSubmitting: action.isRunning, error },
  }
}
