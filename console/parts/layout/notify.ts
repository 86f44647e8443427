import { notifications } from '@mantine/notifications'
import { explainError } from './explain-error.ts'

const FAILURE_SHOWN_MS = 8_000

// A button with only an icon needs a name.
const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } }

/** Shows a success toast. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'teal', ...CLOSE })
}

/** Shows an error toast, if the page has no better place for it. */
export function showFailure(error: unknown): void {
  const { title, message } = explainError(error)
  notifications.show({ title, message, color: 'red', autoClose: FAILURE_SHOWN_MS, ...CLOSE })
}
