import { Button, Text } from '@mantine/core'
import { IconCpu, IconSearch } from '@tabler/icons-react'
import { useModels } from '../../api/models.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import type { EmptyStateProps } from '../../parts/empty-state.tsx'
import { asList } from '../../parts/lists.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { TablePanel } from '../../parts/table-panel.tsx'
import { MODEL_COLUMNS } from './model-columns.tsx'
import { ModelDrawer } from './model-drawer.tsx'
import { ModelFilterBar } from './model-filter-bar.tsx'
import { filterModels, NO_FILTERS } from './model-words.ts'

export function Page() {
  const account = useAccount()
  const [address, setAddress] = useUrlState({ ...NO_FILTERS, model: '' })
  const models = useModels(account.id)
  const all = models.data?.data ?? []
  const shown = filterModels(all, address)
  return (
    <>
      <PageHeader
        title="Models"
        description="Everything this account may use. Prices are those of the cheapest route, in USDT per million tokens. A key may be allowed less."
      />
      <TablePanel
        label="Models"
        filters={
          <>
            {(all.length > 0 || models.isPending) && (
              <ModelFilterBar models={all} filters={address} onChange={setAddress} />
            )}
            <Text className="told-only" aria-live="polite">
              {models.isPending ? '' : `${shown.length} of ${all.length} models`}
            </Text>
          </>
        }
        list={{ ...asList(models), rows: shown }}
        columns={MODEL_COLUMNS}
        onOpen={({ id }) => setAddress({ model: id })}
        empty={all.length === 0 ? NONE : noMatch(all.length, () => setAddress(NO_FILTERS))}
      />
      {address.model !== '' && !models.isPending && (
        <ModelDrawer
          id={address.model}
          model={all.find(({ id }) => id === address.model)}
          onClose={() => setAddress({ model: '' })}
        />
      )}
    </>
  )
}

const NONE = {
  icon: IconCpu,
  title: 'No models yet',
  children:
    'Your operator adds suppliers and models to this gateway; they appear here at once. With a credential of your own for a supplier its models appear, too: see Own credentials.',
}

function noMatch(count: number, onClear: () => void): EmptyStateProps {
  return {
    icon: IconSearch,
    title: 'No model fits',
    children: `${count} models are there, but none with all of these properties.`,
    action: (
      <Button variant="default" onClick={onClear}>
        Clear the filters
      </Button>
    ),
  }
}
