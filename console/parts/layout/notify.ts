import { notifications } from '@mantine/notifications'
import { explainError } from './explain-error.ts'

const FAILURE_SHOWN_MS = 8_000

/** Says that something worked, in passing. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'teal' })
}

/** Says what went wrong where no place on the page is fit for it. */
export function showFailure(error: unknown): void {
  const { title, message } = explainError(error)
  notifications.show({ title, message, color: 'red', autoClose: FAILURE_SHOWN_MS })
}
