import { Button, Stack, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ChangeTable } from '../tables/change-table.tsx'
import { listChanges } from './field-changes.ts'
import { FormFrame, type FormOptions, useSentForm } from './form-drawer.tsx'

export interface ReviewDrawerProps<Values, Result> extends FormOptions<Values, Result> {
  readonly isNew: boolean
  /** The result of the entered values. */
  readonly bodyOf: (values: Values) => object
  /** A note above the changes, such as their effect on customers. */
  readonly note?: Note<Values>
  /** What the buttons of both steps say. */
  readonly labels?: { readonly review: string; readonly save: string }
}

/** A form that previews its changes. */
export function ReviewDrawer<Values extends object, Result>(props: ReviewDrawerProps<Values, Result>) {
  const { title, onClose, isNew, initialValues, bodyOf, note, labels, children } = props
  const { form, submit, isRunning, error, guard } = useSentForm(props)
  const [reviewed, setReviewed] = useState<object | null>(null)
  const isReview = reviewed !== null
  const before = isNew ? null : bodyOf(initialValues)
  const fields = useFocusInForm(isReview)
  const isSame = isReview && before !== null && listChanges(before, reviewed).length === 0
  const goOn = () => {
    if (!isReview) {
      if (!form.validate().hasErrors) setReviewed(bodyOf(form.values))
      return
    }
    if (isSame) {
      guard.release()
      return onClose()
    }
    // The error may name a field, so show the form again.
    void submit(form.values).then(() => setReviewed(null))
  }
  return (
    <FormFrame
      title={title}
      guard={guard}
      onSubmit={goOn}
      submitLabel={submitLabelOf({ isReview, isSame, isNew }, labels)}
      isSubmitting={isRunning}
      error={error}
    >
      <Stack ref={fields} display={isReview ? 'none' : 'flex'}>
        {children(form.getInputProps, form)}
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
            {isSame ? 'No changes.' : describeNote(note, form.values)}
          </Text>
          <ChangeTable label="Changes" before={before} after={reviewed} />
        </>
      )}
    </FormFrame>
  )
}

/** Going back removes the focused button, so move the focus to the start of the form. */
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

type Note<Values> = ReactNode | ((values: Values) => ReactNode)

function describeNote<Values>(note: Note<Values>, values: Values): ReactNode {
  if (typeof note === 'function') return note(values)
  return note ?? 'These changes apply from the next request on.'
}

function submitLabelOf(
  { isReview, isSame, isNew }: Step,
  labels = { review: 'Review changes', save: isNew ? 'Create' : 'Save changes' },
): string {
  if (!isReview) return labels.review
  return isSame ? 'Close' : labels.save
}
