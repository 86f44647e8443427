import {
  Alert,
  Button,
  Checkbox,
  Drawer,
  Group,
  NumberInput,
  Skeleton,
  Stack,
  Table,
  Text,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import {
  MODELS_KEY,
  offersQuery,
  PRICES_KEY,
  ROUTES_KEY,
  SUPPLIERS_KEY,
  supplierCall,
} from '../../api/operator.ts'
import type { ModelOffer, ModelsImport, ModelsImported } from '../../api/wire.ts'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { matchesWords } from '../../parts/tables/lists.ts'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { formatCount } from '../../parts/text/format.ts'
import { describeRates } from './describe-rates.ts'

interface ImportModelsProps {
  readonly supplier: string
  readonly onClose: () => void
}

/** Takes over models that the supplier lists: choose, look at the prices, import. */
export function ImportModels({ supplier, onClose }: ImportModelsProps) {
  const offers = useQuery(offersQuery(supplier))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [markup, setMarkup] = useState<number | string>(0)
  const call = (dryRun: boolean) =>
    api.post<ModelsImported>(supplierCall(supplier, '/import'), {
      models: [...chosen],
      markup_percent: Number(markup),
      dry_run: dryRun,
    } satisfies ModelsImport)
  const preview = useAction(() => call(true), { isFailureShown: true })
  const write = useAction(() => call(false), {
    done: ({ models }) => `${formatCount(models.filter(({ is_new }) => is_new).length, 'model')} added.`,
    refreshes: [SUPPLIERS_KEY, ROUTES_KEY, MODELS_KEY, PRICES_KEY],
    isFailureShown: true,
    onDone: onClose,
  })
  return (
    <Drawer opened onClose={onClose} title={`Import models of ${supplier}`} size="xl" position="right">
      <Stack gap="md">
        <ErrorNotice error={offers.error} onRetry={() => void offers.refetch()} />
        {offers.isPending && <Skeleton height={240} />}
        {offers.data !== undefined &&
          (preview.result === undefined ? (
            <Choice offers={offers.data.data} chosen={chosen} onChoose={setChosen}>
              <NumberInput
                label="Mark-up, percent"
                description="Added to the catalog’s prices. With 0, prices follow the catalog."
                min={-100}
                max={1_000}
                decimalScale={2}
                value={markup}
                onChange={setMarkup}
                className="filter-wide"
              />
            </Choice>
          ) : (
            <Preview imported={preview.result} />
          ))}
        <ErrorNotice error={preview.error ?? write.error} />
        <Group justify="flex-end" className="form-drawer-actions">
          {preview.result === undefined ? (
            <Button
              disabled={chosen.size === 0}
              loading={preview.isRunning}
              onClick={() => preview.run(undefined)}
            >
              {chosen.size === 0 ? 'Preview' : `Preview ${formatCount(chosen.size, 'model')}`}
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={preview.reset} disabled={write.isRunning}>
                Back
              </Button>
              <Button loading={write.isRunning} data-autofocus onClick={() => write.run(undefined)}>
                Import {formatCount(preview.result.models.length, 'model')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Drawer>
  )
}

interface ChoiceProps {
  readonly offers: readonly ModelOffer[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (names: ReadonlySet<string>) => void
  readonly children: React.ReactNode
}

function Choice({ offers, chosen, onChoose, children }: ChoiceProps) {
  const [q, setQuestion] = useState('')
  const shown = offers.filter(({ name, display_name }) => matchesWords(q.trim(), [name, display_name]))
  const free = shown.filter(({ routed }) => !routed).map(({ name }) => name)
  const count = free.filter((name) => chosen.has(name)).length
  const toggle = (names: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen)
    for (const name of names) isChosen ? next.add(name) : next.delete(name)
    onChoose(next)
  }
  return (
    <>
      <Group align="flex-end" gap="sm">
        <SearchField
          label="Search models"
          isLabelShown
          placeholder="Name"
          value={q}
          onSearch={setQuestion}
          className="filter-wide"
        />
        {children}
      </Group>
      {offers.length === 0 ? (
        <Text size="sm" c="dimmed">
          The supplier lists no models.
        </Text>
      ) : (
        <>
          <Checkbox
            label={`Select all ${formatCount(free.length, 'model')}${q.trim() === '' ? '' : ' found'}`}
            disabled={free.length === 0}
            checked={free.length > 0 && count === free.length}
            indeterminate={count > 0 && count < free.length}
            onChange={(event) => toggle(free, event.currentTarget.checked)}
          />
          <OfferTable
            offers={shown}
            chosen={chosen}
            onToggle={(name, isChosen) => toggle([name], isChosen)}
          />
        </>
      )}
    </>
  )
}

interface OfferTableProps extends Pick<ChoiceProps, 'offers' | 'chosen'> {
  readonly onToggle: (name: string, isChosen: boolean) => void
}

function OfferTable({ offers, chosen, onToggle }: OfferTableProps) {
  return (
    <ScrollTable label="Models on offer" heads={['Model', 'Catalog price']} className="data-table">
      <Table.Tbody>
        {offers.map(({ name, routed, price }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Checkbox
                label={name}
                disabled={routed}
                checked={routed || chosen.has(name)}
                onChange={(event) => onToggle(name, event.currentTarget.checked)}
              />
            </Table.Td>
            <Table.Td className="numeral">
              {routed ? 'Routed already' : price === null ? 'Not in the catalog' : describeRates(price)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  )
}

function Preview({ imported: { models } }: { readonly imported: ModelsImported }) {
  const without = models.filter(({ price }) => price === null).length
  return (
    <>
      {without > 0 && (
        <Alert color="yellow" title={`${formatCount(without, 'model')} without a price`}>
          They are added, but requests do not use them until you give their routes a price.
        </Alert>
      )}
      <ScrollTable label="What will be imported" heads={['Model', 'Cost', 'Price']} className="data-table">
        <Table.Tbody>
          {models.map(({ model, price, cost, is_new }) => (
            <Table.Tr key={model}>
              <Table.Th scope="row">{is_new ? model : `${model} (has a route)`}</Table.Th>
              <Table.Td className="numeral">{describeRates(cost ?? price)}</Table.Td>
              <Table.Td className="numeral">{describeRates(price)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </>
  )
}
