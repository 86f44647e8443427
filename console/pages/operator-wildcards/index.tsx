import { NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core'
import { IconAsterisk } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Wildcards } from '../../../src/vocabulary/records/wildcard.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { allSuppliersQuery } from '../../api/operator.ts'
import type { Wildcard } from '../../api/wire.ts'
import { OnBadge } from '../../parts/layout/status-badge.tsx'
import { RecordName, RecordPage } from '../../parts/record-page.tsx'
import type { Column } from '../../parts/tables/table-panel.tsx'

// With a word joiner, because a line may end after a hyphen.
const EXAMPLE = 'gpt-\u2060*'

export function Page() {
  const suppliers = useQuery(allSuppliersQuery).data?.data ?? []
  return (
    <RecordPage
      slug="wildcards"
      title="Wildcards"
      description={`Send every model whose name matches a pattern, such as ${EXAMPLE}, to one supplier, without adding each model.`}
      noun="wildcard"
      icon={IconAsterisk}
      purpose={`A wildcard such as ${EXAMPLE} sends every model whose name begins with gpt- to a supplier, at the price of the catalog or your own.`}
      exampleId="acme-models"
      columns={COLUMNS}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        pattern: (pattern) => (/^[^*]*\*$/.test(pattern.trim()) ? null : 'Enter a beginning followed by *'),
        supplier: (supplier) => (supplier.trim() === '' ? 'Choose a supplier' : null),
        output: (output, { input }) =>
          (output.trim() === '') === (input.trim() === '') ? null : 'Enter both prices or none',
      }}
      fields={(field) => (
        <>
          <TextInput
            label="Pattern"
            description="The beginning of model names, followed by *."
            placeholder="gpt-*"
            required
            {...field('pattern')}
          />
          <NativeSelect
            label="Supplier"
            required
            data={[{ value: '', label: 'Choose…' }, ...suppliers.map(({ id }) => id)]}
            {...field('supplier')}
          />
          <TextInput
            label="Name at the supplier"
            description="* stands for the rest of the name. Leave empty if the supplier uses the same name."
            placeholder="*"
            {...field('upstream_model')}
          />
          <TextInput
            label="Input price"
            description="USDT for a million tokens, for models that the catalog does not price."
            inputMode="decimal"
            {...field('input')}
          />
          <TextInput
            label="Output price"
            description="USDT for a million tokens."
            inputMode="decimal"
            {...field('output')}
          />
          <NumberInput
            label="Priority"
            description="Among wildcards with the same pattern, lower is tried first."
            min={0}
            max={1_000_000}
            allowDecimal={false}
            {...field('priority')}
          />
          <Switch label="Enabled" {...field('enabled', { type: 'checkbox' })} />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<Wildcard>[] = [
  {
    head: 'Wildcard',
    cell: ({ id, pattern }) => <RecordName id={id} name={pattern} />,
  },
  { head: 'Supplier', cell: ({ supplier }) => supplier },
  { head: 'Name there', from: 'sm', cell: ({ upstream_model }) => upstream_model ?? 'The same' },
  { head: 'State', from: 'sm', cell: ({ enabled }) => <OnBadge isOn={enabled} /> },
]

type Values = ReturnType<typeof valuesOf>
type SentPrice = NonNullable<Sent<typeof Wildcards.body>['price']>

function valuesOf(wildcard: Wildcard | null) {
  return {
    id: wildcard?.id ?? '',
    pattern: wildcard?.pattern ?? '',
    supplier: wildcard?.supplier ?? '',
    upstream_model: wildcard?.upstream_model ?? '',
    input: wildcard?.price?.input ?? '',
    output: wildcard?.price?.output ?? '',
    priority: wildcard?.priority ?? 1,
    enabled: wildcard?.enabled ?? true,
    // Kept as they are: the form has no inputs for them.
    price: wildcard?.price ?? null,
    kinds: wildcard?.kinds ?? (['text'] as const),
  }
}

function bodyOf(values: Values): Sent<typeof Wildcards.body> {
  const { pattern, supplier, upstream_model, priority, enabled, kinds } = values
  const [input, output] = [values.input.trim(), values.output.trim()]
  return {
    pattern: pattern.trim(),
    supplier: supplier.trim(),
    upstream_model: upstream_model.trim() || null,
    kinds: [...kinds],
    // A price that is shown is one that can be sent.
    price: input === '' ? null : ({ ...values.price, input, output } as SentPrice),
    priority: Number(priority),
    enabled,
  }
}
