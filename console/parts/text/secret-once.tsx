import { Alert, Stack } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { CodeBlock } from './code-block.tsx'

export interface SecretOnceProps {
  /** "API key". */
  readonly what: string
  readonly secret: string
}

/** Shows a secret once. */
export function SecretOnce({ what, secret }: SecretOnceProps) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<IconAlertCircle size={18} aria-hidden />} title="Copy it now">
        It is shown only once. The gateway cannot show it again.
      </Alert>
      <CodeBlock code={secret} title={what} isWrapped />
    </Stack>
  )
}
