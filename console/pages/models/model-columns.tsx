import { Badge, Group, Stack, Text } from '@mantine/core'
import type { BindingLimit, Model } from '../../api/wire.ts'
import { Hint } from '../../parts/layout/hint.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeKind, hasOutput } from '../../parts/models/supply-words.ts'
import { UnitAmount } from '../../parts/prices/price-details.tsx'
import { describeVariant, unitPriceOf } from '../../parts/prices/price-words.ts'
import type { Column } from '../../parts/tables/table-panel.tsx'
import { formatMoney, formatShort } from '../../parts/text/format.ts'
import { describeLimit, explainLimit, nameOf } from './model-words.ts'

export const MODEL_COLUMNS: readonly Column<Model>[] = [
  { head: 'Model', cell: (model) => <ModelName model={model} /> },
  { head: 'Kind', from: 'md', cell: ({ kinds }) => <Kinds kinds={kinds} /> },
  {
    head: 'Context',
    from: 'md',
    isNumeric: true,
    cell: ({ input_token_limit: limit }) => (limit === null ? '–' : formatShort(limit)),
  },
  { head: 'Input price', isNumeric: true, cell: (model) => <Price model={model} side="input" /> },
  { head: 'Output price', isNumeric: true, cell: (model) => <Price model={model} side="output" /> },
  {
    head: 'Requests a minute',
    from: 'lg',
    isNumeric: true,
    cell: ({ limits }) => <Limit limit={limits.rpm} unit="requests" />,
  },
  {
    head: 'Tokens a minute',
    from: 'lg',
    isNumeric: true,
    cell: ({ limits }) => <Limit limit={limits.tpm} unit="tokens" />,
  },
  { head: 'Now', from: 'sm', cell: (model) => <Routeable model={model} /> },
]

function ModelName({ model }: { readonly model: Model }) {
  const name = nameOf(model)
  return (
    <Stack gap={1} className="model-name">
      <span>{name}</span>
      <Text size="xs" c="dimmed" span fw={400}>
        {name === model.id ? model.owned_by : `${model.id} · ${model.owned_by}`}
      </Text>
    </Stack>
  )
}

export function Kinds({ kinds }: Pick<Model, 'kinds'>) {
  return (
    <Group gap={4} wrap="nowrap">
      {kinds.map((kind) => (
        <Badge key={kind} variant="default" tt="none" fw={500} size="sm">
          {describeKind(kind)}
        </Badge>
      ))}
    </Group>
  )
}

interface PriceProps {
  readonly model: Model
  readonly side: 'input' | 'output'
}

function Price({ model: { price, source, kinds }, side }: PriceProps) {
  if (source === 'byok')
    return (
      <Hint label="Served with your own credential. The supplier bills you, and this gateway charges nothing.">
        own
      </Hint>
    )
  const unit = unitPriceOf(price)
  if (unit !== null) return side === 'input' ? '–' : <UnitAmount price={unit} />
  if (side === 'output' && !hasOutput(kinds)) return '–'
  const { variants = [] } = price
  if (variants.length === 0) return formatMoney(price[side])
  return (
    <Hint label={variants.map(describeVariant).map((words) => <div key={words}>{words}</div>)}>
      {formatMoney(price[side])}
    </Hint>
  )
}

interface LimitProps {
  readonly limit: BindingLimit | null
  readonly unit: 'requests' | 'tokens'
}

function Limit({ limit, unit }: LimitProps) {
  return (
    <Hint label={`${describeLimit(limit, unit)}: ${explainLimit(limit)}`}>
      {limit === null ? 'none' : formatShort(limit.value)}
    </Hint>
  )
}

export function Routeable({ model: { routeable } }: { readonly model: Model }) {
  return routeable ? (
    <StatusBadge state="works" tone="good" />
  ) : (
    <StatusBadge state="unavailable" tone="warning" />
  )
}
