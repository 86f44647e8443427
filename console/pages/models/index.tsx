import { Button, Text } from '@mantine/core'
import { IconCpu, IconSearch } from '@tabler/icons-react'
import { useModels } from '../../api/models.ts'
import type { Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { asList } from '../../parts/static-list.ts'
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
      <Panel isFlush>
        {(all.length > 0 || models.isPending) && (
          <ModelFilterBar models={all} filters={address} onChange={setAddress} />
        )}
        <Text className="told-only" aria-live="polite">
          {models.isPending ? '' : `${shown.length} of ${all.length} models`}
        </Text>
        <DataTable<Model>
          label="Models"
          list={{ ...asList(models), rows: shown }}
          columns={MODEL_COLUMNS}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setAddress({ model: id })}
          empty={
            all.length === 0 ? (
              <EmptyState icon={IconCpu} title="No models yet">
                Your operator adds suppliers and models to this gateway; they appear here at once. With a
                credential of your own for a supplier its models appear, too: see Own credentials.
              </EmptyState>
            ) : (
              <EmptyState
                icon={IconSearch}
                title="No model fits"
                action={
                  <Button variant="default" onClick={() => setAddress(NO_FILTERS)}>
                    Clear the filters
                  </Button>
                }
              >
                {all.length} models are there, but none with all of these properties.
              </EmptyState>
            )
          }
        />
      </Panel>
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
