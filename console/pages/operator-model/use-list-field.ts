import { useRef, useState } from 'react'
import type { RouteFormState } from './price-fields.tsx'

interface ListField {
  readonly form: RouteFormState
  readonly path: string
  readonly length: number
}

/** A list in the form, which is null while it has no items. Keeps the focus when items come and go. */
export function useListField({ form, path, length }: ListField) {
  const addButton = useRef<HTMLButtonElement>(null)
  const [added, setAdded] = useState<number | null>(null)
  return {
    /** For the button that adds. It takes the focus from an item that is removed. */
    addButton,
    /** The item that takes the focus when it is shown. */
    added,
    add(item: object) {
      if (length === 0) form.setFieldValue(path, [item])
      else form.insertListItem(path, item)
      setAdded(length)
    },
    remove(index: number) {
      if (length === 1) form.setFieldValue(path, null)
      else form.removeListItem(path, index)
      setAdded(null)
      addButton.current?.focus()
    },
  }
}
