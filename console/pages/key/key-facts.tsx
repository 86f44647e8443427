import { Code, Group } from '@mantine/core'
import type { ApiKey } from '../../api/wire.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { describeRate, describeRoutes } from '../../parts/keys/key-words.ts'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

/** Everything that is set on the key. */
export function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, created_at: createdAt, expires_at: expiresAt, shared_fallback: fallsBack } = apiKey
  return (
    <Panel
      title="Settings"
      facts={[
        { label: 'Suppliers', value: describeRoutes(apiKey) },
        { label: 'Rate', value: describeRate(apiKey) },
        { label: 'Models', value: <Allowlist list={apiKey.model_allowlist} /> },
        { label: 'Shared fallback', value: fallsBack ? 'on' : 'off' },
        { label: 'Expires', value: expiresAt === null ? 'never' : <TimeStamp at={expiresAt} /> },
        { label: 'Created', value: <TimeStamp at={createdAt} /> },
        {
          label: 'Id',
          value: (
            <Group gap={4} wrap="nowrap">
              <Code>{id}</Code>
              <CopyButton value={id} what="the id" />
            </Group>
          ),
        },
      ]}
    />
  )
}

function Allowlist({ list }: { readonly list: readonly string[] | null }) {
  if (list === null) return 'all'
  return (
    <Group gap={4}>
      {list.map((entry) => (
        <Code key={entry}>{entry}</Code>
      ))}
    </Group>
  )
}
