import { Button, Group, Stack, Switch } from '@mantine/core'
import { IconPencil, IconStethoscope, IconTableImport } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import {
  askSuppliers,
  SUPPLIERS_KEY,
  supplierBody,
  supplierCall,
  supplierQuery,
  useAccountNames,
  useLiveRoutes,
} from '../../api/operator.ts'
import type { Supplier } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { useOptimistic } from '../../parts/forms/use-optimistic.ts'
import { DetailPage } from '../../parts/layout/detail-page.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { Findings } from '../operator-suppliers/findings.tsx'
import { healthOfSupplier } from '../operator-suppliers/health.ts'
import { describeAborts, SupplierForm, typeLabel } from '../operator-suppliers/supplier-form.tsx'
import { Comparison } from './comparison.tsx'
import { CredentialForm } from './credential-form.tsx'
import { Credentials } from './credentials.tsx'
import { ImportModels } from './import-models.tsx'
import { RouteHealth } from './route-health.tsx'

const BACK = { to: '/operator/suppliers', label: 'Suppliers' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  return (
    <DetailPage query={useQuery(supplierQuery(id))} title={id} back={BACK}>
      {(supplier) => <SupplierView supplier={supplier} />}
    </DetailPage>
  )
}

function SupplierView({ supplier }: { readonly supplier: Supplier }) {
  const [{ do: doing }, setState] = useUrlState({ do: '' })
  const routes = useLiveRoutes()
  const own = routes.data?.data.filter((route) => route.supplier === supplier.id)
  const test = useAction(askSuppliers, { isFailureShown: true })
  const findings = test.result?.filter((finding) => finding.supplier === supplier.id)
  const close = () => setState({ do: '' })
  return (
    <>
      <PageHeader
        title={supplier.id}
        heading={
          <Group gap="sm">
            {supplier.id}
            <Health supplier={supplier} routes={own} />
          </Group>
        }
        description={`${typeLabel(supplier.type)} · ${supplier.base_url}`}
        back={BACK}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconStethoscope size={16} aria-hidden />}
              loading={test.isRunning}
              onClick={() => test.run(undefined)}
            >
              Test
            </Button>
            <Button
              leftSection={<IconTableImport size={16} aria-hidden />}
              onClick={() => setState({ do: 'import' })}
            >
              Import models
            </Button>
          </>
        }
      />
      <Stack gap="lg">
        <Findings
          description="A short request with each active credential."
          findings={findings}
          isAsking={test.isRunning}
        />
        <Credentials supplier={supplier} routes={own} onAdd={() => setState({ do: 'credential' })} />
        <RouteHealth routes={own} error={routes.error} />
        <Details supplier={supplier} onEdit={() => setState({ do: 'edit' })} />
        <Comparison supplier={supplier.id} />
      </Stack>
      {doing === 'edit' && <SupplierForm supplier={supplier} onClose={close} />}
      {doing === 'credential' && (
        <CredentialForm
          supplier={supplier.id}
          credential={null}
          onClose={close}
          // A supplier without routes serves nothing, so its models come next.
          {...(own?.length === 0 && { onSaved: () => setState({ do: 'import' }) })}
        />
      )}
      {doing === 'import' && <ImportModels supplier={supplier.id} onClose={close} />}
    </>
  )
}

interface HealthProps {
  readonly supplier: Supplier
  readonly routes: Parameters<typeof healthOfSupplier>[1] | undefined
}

function Health({ supplier, routes }: HealthProps) {
  if (!supplier.enabled) return <StatusBadge state="disabled" />
  if (routes === undefined) return null
  const { label, tone } = healthOfSupplier(supplier.id, routes)
  return <StatusBadge state={label} tone={tone} />
}

function Details({ supplier, onEdit }: { readonly supplier: Supplier; readonly onEdit: () => void }) {
  const nameOf = useAccountNames()
  const change = useOptimistic<Supplier, Pick<Supplier, 'enabled'>>({
    key: SUPPLIERS_KEY,
    act: (row, { enabled }) => api.put(supplierCall(row.id), { ...supplierBody(row), enabled }),
  })
  const { timeouts } = supplier
  return (
    <Panel
      title="Settings"
      actions={
        <Button
          variant="default"
          size="sm"
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={onEdit}
        >
          Edit
        </Button>
      }
    >
      <Switch
        mb="lg"
        label="Used for requests"
        description="Turned off, it gets no new requests. Running requests finish."
        checked={supplier.enabled}
        onChange={(event) => void change(supplier, { enabled: event.currentTarget.checked })}
      />
      <Facts
        facts={[
          { label: 'Type', value: typeLabel(supplier.type) },
          { label: 'Base URL', value: <span className="mono">{supplier.base_url}</span> },
          { label: 'Formats', value: supplier.formats.map(describeFormat).join(', ') },
          {
            label: 'Used by',
            value:
              supplier.source === 'shared' ? 'All accounts' : `Only ${nameOf(supplier.account_id ?? '')}`,
          },
          { label: 'Connect timeout', value: seconds(timeouts.connect_seconds) },
          { label: 'First byte timeout', value: seconds(timeouts.first_byte_seconds) },
          { label: 'Idle timeout', value: seconds(timeouts.idle_seconds) },
          { label: 'Charged when a client leaves early', value: describeAborts(supplier) },
          ...Object.entries(supplier.options).map(([name, value]) => ({ label: `Option ${name}`, value })),
        ]}
      />
    </Panel>
  )
}

function seconds(value: number | null): string {
  return value === null ? 'Default' : `${value} s`
}
