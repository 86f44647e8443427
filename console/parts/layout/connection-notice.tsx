import { Alert, Text } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import type { Connection } from '../../api/use-events.ts'
import { TimeStamp } from '../text/time-stamp.tsx'

/** Says that what is on screen may be out of date, and since when. */
export function ConnectionNotice({
  connection: { lostAt, isAnswering },
}: {
  readonly connection: Connection
}) {
  return (
    <div role="status" className="connection-notice">
      {lostAt !== null && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconPlugConnectedX size={18} aria-hidden />}
          title={isAnswering ? 'No live updates' : 'No connection to the gateway'}
        >
          <Text size="sm">
            {isAnswering
              ? 'The gateway answers, but its events do not arrive: too many pages may be open, or something on the way holds them back.'
              : 'The gateway does not answer. This page tries again by itself and catches up as soon as it is back.'}{' '}
            What you see is as of <TimeStamp at={lostAt.toISOString()} />.
          </Text>
        </Alert>
      )}
    </div>
  )
}
