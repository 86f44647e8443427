import { Alert, Code, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import type { BindingLimit, Model } from '../../api/wire.ts'
import { useMay } from '../../app/account.ts'
import { Facts } from '../../parts/layout/panel.tsx'
import { describeFormat, playgroundMode } from '../../parts/models/supply-words.ts'
import { PriceDetails } from '../../parts/prices/price-details.tsx'
import { describeMarkup } from '../../parts/prices/price-words.ts'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { formatNumber } from '../../parts/text/format.ts'
import { ButtonLink } from '../../parts/text/links.tsx'
import { snippetKind } from '../../parts/text/pick-model.ts'
import { SnippetTabs } from '../../parts/text/snippet-tabs.tsx'
import { Kinds, Routeable } from './model-columns.tsx'
import { describeLimit, explainLimit, nameOf } from './model-words.ts'

export interface ModelDrawerProps {
  readonly id: string
  /** Undefined if the account does not have the model in the address. */
  readonly model: Model | undefined
  readonly onClose: () => void
}

export function ModelDrawer({ id, model, onClose }: ModelDrawerProps) {
  return (
    <Drawer opened onClose={onClose} size="xl" title={model === undefined ? id : nameOf(model)}>
      {model === undefined ? (
        <Text size="sm">
          This account has no model with the id <Code>{id}</Code>. It may have been removed, or the id is
          misspelt.
        </Text>
      ) : (
        <Details model={model} />
      )}
    </Drawer>
  )
}

function Details({ model }: { readonly model: Model }) {
  const mayTry = useMay('manage-keys')
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <Code>{model.id}</Code>
        <CopyButton value={model.id} what="the id" />
        <Routeable model={model} />
        <Kinds kinds={model.kinds} />
      </Group>
      {model.description && <Text size="sm">{model.description}</Text>}
      {!model.routeable && (
        <Alert color="yellow" icon={<IconAlertCircle size={18} aria-hidden />} title="Not available">
          No enabled supplier with a price and a working credential serves this model. Requests are refused
          until your operator adds one or you add your own credential.
        </Alert>
      )}
      <Group gap="sm">
        {mayTry && (
          <ButtonLink
            size="xs"
            disabled={!model.routeable}
            to="/playground"
            search={{ mode: playgroundMode(model.kinds), model: model.id }}
          >
            Try it in the playground
          </ButtonLink>
        )}
        <ButtonLink size="xs" variant="default" to="/requests" search={{ model: model.id }}>
          View requests
        </ButtonLink>
      </Group>
      <Prices model={model} />
      <Limits model={model} />
      <Section title="Ready to paste">
        <Text size="sm" c="dimmed" mb="sm">
          With your key in the environment variable <Code>TURNPIKE_API_KEY</Code>.
        </Text>
        <SnippetTabs key={model.id} secret={null} model={model.id} kind={snippetKind(model)} />
      </Section>
    </Stack>
  )
}

function Prices({ model: { price, source, markup_percent: markup } }: { readonly model: Model }) {
  const note = {
    shared:
      'Per million tokens where no other unit is named, on the cheapest route. You pay the price of the route that served the request.',
    byok: 'Served with your own credential. The supplier bills you, and this gateway charges nothing.',
    mixed:
      'Free of charge here with your own credential. With shared suppliers, these prices apply, per million tokens where no other unit is named.',
  }[source]
  return (
    <Section title="Prices">
      <Text size="sm" c="dimmed" mb="sm">
        {note}
        {(markup ?? 0) !== 0 && ` The ${describeMarkup(markup ?? 0)} is included.`}
      </Text>
      <PriceDetails price={price} />
    </Section>
  )
}

function Limits({ model }: { readonly model: Model }) {
  return (
    <Section title="Limits">
      <Facts
        facts={[
          { label: 'Requests', value: <Limit limit={model.limits.rpm} unit="requests" /> },
          { label: 'Tokens', value: <Limit limit={model.limits.tpm} unit="tokens" /> },
          { label: 'Context', value: describeTokens(model.input_token_limit) },
          { label: 'Maximum output', value: describeTokens(model.output_token_limit) },
          { label: 'Formats', value: model.formats.map(describeFormat).join(', ') || 'none' },
          { label: 'Suppliers', value: model.suppliers.join(', ') || 'none' },
        ]}
      />
    </Section>
  )
}

interface LimitProps {
  readonly limit: BindingLimit | null
  readonly unit: 'requests' | 'tokens'
}

function Limit({ limit, unit }: LimitProps) {
  return (
    <>
      {describeLimit(limit, unit)}
      <Text size="xs" c="dimmed">
        {explainLimit(limit)}
      </Text>
    </>
  )
}

function describeTokens(limit: number | null): string {
  return limit === null ? 'unknown' : `${formatNumber(limit)} tokens`
}

function Section({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  )
}
