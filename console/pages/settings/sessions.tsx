import { Button, Group, Text } from '@mantine/core'
import { IconDeviceLaptop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { identity, sessionsQuery, signOut } from '../../api/session.ts'
import type { OpenSession } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { asList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

export function Sessions() {
  const end = useAction(identity.endSession, {
    done: 'That session has ended.',
    refreshes: [sessionsQuery.queryKey],
    isFailureShown: true,
  })
  const columns: readonly Column<OpenSession>[] = [
    { head: 'Browser', cell: (session) => <Browser session={session} /> },
    { head: 'Address', cell: ({ address }) => address ?? '–', from: 'sm' },
    { head: 'Signed in', cell: (session) => <TimeStamp at={session.created_at} />, from: 'md' },
    { head: 'Last seen', cell: (session) => <TimeStamp at={session.last_seen_at} as="relative" /> },
    {
      head: 'End the session',
      isHeadHidden: true,
      isNumeric: true,
      cell: ({ id, current, user_agent: agent }) =>
        current ? null : (
          <Button
            size="xs"
            variant="default"
            onClick={() => end.run(id)}
            aria-label={`End the session in ${describeBrowser(agent)}`}
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <TablePanel
      title="Sessions"
      description="Where you are signed in. If you do not recognise a session, end it and change your password."
      actions={<SignOutEverywhere />}
      list={asList(useQuery(sessionsQuery))}
      columns={columns}
      empty={{ icon: IconDeviceLaptop, title: 'No sessions' }}
    />
  )
}

function Browser({ session }: { readonly session: OpenSession }) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550} title={session.user_agent ?? ''}>
          {describeBrowser(session.user_agent)}
        </Text>
        {session.current && <StatusBadge state="this session" tone="good" />}
      </Group>
      <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="div">
        {session.address ?? 'Unknown address'}, signed in <TimeStamp at={session.created_at} />
      </Text>
    </>
  )
}

function SignOutEverywhere() {
  return (
    <ConfirmAction
      title="Sign out everywhere?"
      confirmLabel="Sign out everywhere"
      onConfirm={() => signOut({ everywhere: true })}
      trigger={{ size: 'sm', children: 'Sign out everywhere' }}
    >
      All your sessions end, including this one. API keys keep working.
    </ConfirmAction>
  )
}

// The order matters: each of these user agents also contains the later names.
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

/** `Chrome on Linux`, as far as the user agent says. */
function describeBrowser(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser'
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Unknown browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
