import { Button, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { ErrorNotice } from '../layout/error-notice.tsx'

export interface EntryFormProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly submitLabel: string
  readonly isSubmitting: boolean
  /** Submits nothing. */
  readonly isEmpty?: boolean
  readonly error: unknown
  /** The fields. */
  readonly children: ReactNode
  /** Below the button. */
  readonly ways?: ReactNode
}

/** A form for users who are not signed in. */
export function EntryForm(props: EntryFormProps) {
  const { onSubmit, submitLabel, isSubmitting, isEmpty = false, error, children, ways } = props
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        <ErrorNotice error={error} />
        <Button type="submit" size="md" fullWidth loading={isSubmitting} disabled={isEmpty}>
          {submitLabel}
        </Button>
        {ways}
      </Stack>
    </form>
  )
}
