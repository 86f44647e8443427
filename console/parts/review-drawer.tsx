import { Button, Stack, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ChangeTable } from './change-table.tsx'
import { listChanges } from './field-changes.ts'
import { FormDrawer } from './form-drawer.tsx'

export interface ReviewDrawerProps {
  readonly title: string
  readonly onClose: () => void
  /** As it is now; null for something new. */
  readonly before: object | null
  /** As it would be, in the same shape. */
  readonly after: () => object
  /** Whether the form can be gone on with; shows at its fields what is wrong. */
  readonly isValid: () => boolean
  readonly onSave: () => Promise<void>
  readonly isSaving: boolean
  readonly error: unknown
  /** Said above the changes, such as what they do to customers. */
  readonly note?: ReactNode
  readonly children: ReactNode
}

/** A form that shows what it would change before it does. */
export function ReviewDrawer(props: ReviewDrawerProps) {
  const { title, onClose, before, after, isValid, onSave, isSaving, error, note, children } = props
  const [reviewed, setReviewed] = useState<object | null>(null)
  const isReview = reviewed !== null
  const form = useFocusInForm(isReview)
  const isSame = isReview && before !== null && listChanges(before, reviewed).length === 0
  const submit = () => {
    if (!isReview) {
      if (isValid()) setReviewed(after())
      return
    }
    if (isSame) return onClose()
    // A refusal may name a field, so the form is shown again.
    void onSave().then(() => setReviewed(null))
  }
  return (
    <FormDrawer
      title={title}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={submitLabelOf({ isReview, isSame, isNew: before === null })}
      isSubmitting={isSaving}
      error={error}
    >
      <Stack ref={form} display={isReview ? 'none' : 'flex'}>
        {children}
      </Stack>
      {isReview && (
        <>
          <Button
            autoFocus
            variant="subtle"
            size="compact-sm"
            w="fit-content"
            leftSection={<IconArrowLeft size={14} aria-hidden />}
            onClick={() => setReviewed(null)}
          >
            Back to the form
          </Button>
          <Text size="sm" c="dimmed" component="div">
            {isSame ? 'Nothing would change.' : (note ?? 'This is what changes, from the next request on.')}
          </Text>
          <ChangeTable label="Changes" before={before} after={reviewed} />
        </>
      )}
    </FormDrawer>
  )
}

/** The way back takes its own button away, so the keyboard goes on at the beginning of the form. */
function useFocusInForm(isReview: boolean) {
  const form = useRef<HTMLDivElement>(null)
  const wasReview = useRef(isReview)
  useEffect(() => {
    if (wasReview.current && !isReview) form.current?.querySelector<HTMLElement>('input, select')?.focus()
    wasReview.current = isReview
  }, [isReview])
  return form
}

interface Step {
  readonly isReview: boolean
  readonly isSame: boolean
  readonly isNew: boolean
}

function submitLabelOf({ isReview, isSame, isNew }: Step): string {
  if (!isReview) return 'Review changes'
  if (isSame) return 'Close'
  return isNew ? 'Create' : 'Save changes'
}
