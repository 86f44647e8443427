import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { explainError } from './explain-error.ts'

interface ErrorNoticeProps {
  /** Any thrown value; null renders nothing. */
  readonly error: unknown
  readonly onRetry?: () => void
}

/** An error with advice, shown where it happened. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  if (error === null || error === undefined) return null
  const { title, message, requestId } = explainError(error)
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={title}
      role="alert"
      className="error-notice"
    >
      <Text size="sm">{message}</Text>
      {requestId !== null && (
        <Text size="xs" mt={6}>
          If this keeps happening, send your operator this id: <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}
