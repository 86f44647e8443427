import { Button, Drawer, Group, Stack } from '@mantine/core'
import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { type LeaveGuard, useLeaveGuard } from '../layout/leave-guard.tsx'
import { placeError } from './field-errors.ts'
import { type ActionOptions, useAction } from './use-action.ts'

/** Props of everything that the user can close. */
export interface Closable {
  readonly onClose: () => void
}

export interface FormFrameProps {
  readonly title: string
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly submitLabel: string
  /** What it does cannot be undone. */
  readonly isDanger?: boolean
  readonly isSubmitting?: boolean
  /** The error of the last attempt, shown above the buttons. */
  readonly error?: unknown
  /** Of `useSentForm`. Asks before what was entered is lost. */
  readonly guard: LeaveGuard
  readonly children: ReactNode
}

/** A form at the side of its page, open while rendered. Full width on a phone. */
export function FormFrame(props: FormFrameProps) {
  const {
    title,
    onSubmit,
    submitLabel,
    isDanger = false,
    isSubmitting = false,
    error,
    guard,
    children,
  } = props
  return (
    <Drawer opened onClose={guard.close} closeOnEscape={!guard.isAsking} title={title}>
      {guard.question}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(event)
        }}
      >
        <Stack>
          {children}
          <ErrorNotice error={error} />
          <Group justify="flex-end" className="form-drawer-actions">
            <Button variant="default" onClick={guard.close}>
              Cancel
            </Button>
            <Button type="submit" loading={isSubmitting} {...(isDanger && { color: 'red' })}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  )
}

type Form<Values> = UseFormReturnType<Values>

export interface FormOptions<Values, Result> extends Closable, ActionOptions<Result> {
  readonly title: string
  readonly initialValues: Values
  readonly validate?: FormValidateInput<Values>
  /** Closes the form after sending, unless `onDone` is given. */
  readonly send: (values: Values) => Promise<Result>
  /** Maps API fields to form fields for error messages. Defaults to the form's own names. */
  readonly fields?: Readonly<Record<string, string>>
  /** `field('name')` returns the props of an input. */
  readonly children: (field: Form<Values>['getInputProps'], form: Form<Values>) => ReactNode
}

/** A form and its action. Errors that name a field are shown there, others are in `error`. */
export function useSentForm<Values extends object, Result>(options: FormOptions<Values, Result>) {
  const {
    initialValues,
    validate,
    send,
    fields = namesOf(initialValues),
    onClose,
    onDone = onClose,
  } = options
  const form = useForm<Values>({ initialValues, ...(validate !== undefined && { validate }) })
  const [error, setError] = useState<unknown>(null)
  const guard = useLeaveGuard(form.isDirty, onClose)
  const action = useAction(send, {
    ...options,
    onDone: (result) => {
      // What follows may open another page.
      guard.release()
      onDone(result)
    },
  })
  const submit = async (values: Values) => {
    setError(null)
    await action.runAndWait(values).catch((thrown: unknown) => {
      const place = (param: string, message: string) =>
        form.setErrors({ ...form.errors, [fields[param] ?? param]: message })
      setError(placeError(thrown, Object.keys(fields), place))
    })
  }
  return { form, submit, isRunning: action.isRunning, error, guard }
}

/** Fields with the same name in the API and the form. */
export function sameNames(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]))
}

function namesOf(values: object): Readonly<Record<string, string>> {
  return sameNames(...Object.keys(values))
}

export interface FormDrawerProps<Values, Result>
  extends FormOptions<Values, Result>,
    Pick<FormFrameProps, 'isDanger'> {
  readonly submitLabel: string
}

/** A form that changes something at the gateway: validates, sends, then closes. */
export function FormDrawer<Values extends object, Result>(props: FormDrawerProps<Values, Result>) {
  const { title, submitLabel, isDanger = false, children } = props
  const { form, submit, isRunning, error, guard } = useSentForm(props)
  return (
    <FormFrame
      title={title}
      guard={guard}
      submitLabel={submitLabel}
      isDanger={isDanger}
      onSubmit={form.onSubmit(submit)}
      isSubmitting={isRunning}
      error={error}
    >
      {children(form.getInputProps, form)}
    </FormFrame>
  )
}
