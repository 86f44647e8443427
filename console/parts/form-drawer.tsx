import { Button, Drawer, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

export interface FormDrawerProps {
  readonly title: string
  readonly onClose: () => void
  /** `form.onSubmit(…)` of @mantine/form fits. */
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly submitLabel: string
  readonly isSubmitting?: boolean
  /** Of the last attempt; shown above the buttons. */
  readonly error?: unknown
  readonly children: ReactNode
}

/** A form at the side of the page it belongs to, as long as it is rendered; the whole width on a phone. */
export function FormDrawer(props: FormDrawerProps) {
  const { title, onClose, onSubmit, submitLabel, isSubmitting = false, error, children } = props
  return (
    <Drawer opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
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
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSubmitting}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  )
}
