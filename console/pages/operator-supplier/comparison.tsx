import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { comparisonQuery } from '../../api/operator.ts'
import type { ModelComparison } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'

/** What the supplier offers beside what is routed to it. It is asked only when somebody wants to know. */
export function Comparison({ supplier }: { readonly supplier: string }) {
  const [{ compare }, setState] = useUrlState({ compare: '' })
  const isWanted = compare !== ''
  const comparison = useQuery({ ...comparisonQuery(supplier), enabled: isWanted })
  return (
    <Panel
      title="Models it offers"
      description="The supplier’s own list, compared with the routes to it."
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
          Nothing was asked yet. Comparing costs nothing: it reads the supplier’s list of models.
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
        It offers {formatNumber(offered.length)} models; the built-in catalog knows{' '}
        {formatNumber(catalog.length)} of this vendor.
      </Text>
      <Names
        title="Routed, and not offered any more"
        none="Everything that is routed is still offered."
        names={missing}
        colour="red"
      />
      <Names
        title="Offered, and not routed"
        none="Everything it offers is routed."
        names={unknown}
        colour="gray"
      />
      {unknown.length > 0 && (
        <TextLink size="sm" w="fit-content" to="/operator/models" search={{ do: 'create' }}>
          Add one of them as a model
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
