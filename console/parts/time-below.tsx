import { Text } from '@mantine/core'
import { TimeStamp } from './time-stamp.tsx'

/** Under what happened, where a column of times finds no room. */
export function TimeBelow({ at }: { readonly at: string }) {
  return (
    <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="span" display="block">
      <TimeStamp at={at} />
    </Text>
  )
}
