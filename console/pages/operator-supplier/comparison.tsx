import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { comparisonQuery } from '../../api/operator.ts'
import type { ModelComparison } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { formatCount, formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'

/** Compares the supplier's models with the routes to it, on request only. */
export function Comparison({ supplier }: { readonly supplier: string }) {
  const [{ compare }, setState] = useUrlState({ compare: '' })
  const isWanted = compare !== ''
  const comparison = useQuery({ ...comparisonQuery(supplier), enabled: isWanted })
  return (
    <Panel
      title="Models on offer"
      description="The supplier’s model list, compared with your routes."
      actions={
        <Button
          variant="default"
          size="sm"
          leftSection={<IconListSearch size={16} aria-hidden />}
          loading={comparison.isFetching}
          onClick={() => (isWanted ? void comparison.refetch() : setState({ compare: 'yes' }))}
        >
          {comparison.data === undefined ? 'Compare models' : 'Compare again'}
        </Button>
      }
    >
      {isWanted ? (
        <>
          <ErrorNotice error={comparison.error} onRetry={() => void comparison.refetch()} />
          {comparison.data !== undefined && <Result comparison={comparison.data} />}
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Not compared yet. Comparing is free: it only reads the supplier’s model list.
        </Text>
      )}
    </Panel>
  )
}

function Result({
  comparison: { offered, missing, unknown, catalog },
}: {
  readonly comparison: ModelComparison
}) {
  return (
    <Stack gap="lg">
      <Text size="sm">
        The supplier offers {formatCount(offered.length, 'model')}. The built-in catalog has{' '}
        {formatNumber(catalog.length)} of this vendor.
      </Text>
      <Names
        title="Routed but no longer offered"
        none="All routed models are still offered."
        names={missing}
        colour="red"
      />
      <Names
        title="Offered but not routed"
        none="All offered models are routed."
        names={unknown}
        colour="gray"
      />
      {unknown.length > 0 && (
        <TextLink size="sm" w="fit-content" to="." search={(all) => ({ ...all, do: 'import' })}>
          Import models
        </TextLink>
      )}
    </Stack>
  )
}

interface NamesProps {
  readonly title: string
  readonly none: string
  readonly names: readonly string[]
  readonly colour: string
}

function Names({ title, none, names, colour }: NamesProps) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      {names.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Group gap={6}>
          {names.map((name) => (
            <Badge key={name} variant="light" color={colour} tt="none" fw={500}>
              {name}
            </Badge>
          ))}
        </Group>
      )}
    </div>
  )
}
