import { Skeleton } from '@mantine/core'
import { UsageChart } from '../../parts/charts/usage-chart.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney, formatShort } from '../../parts/text/format.ts'
import type { DashboardProps } from './index.tsx'

const HEIGHT = 220

export function Charts({ dashboard }: DashboardProps) {
  const unit = dashboard?.granularity === 'day' ? 'day' : 'hour'
  return (
    <div className="dashboard-pair">
      <Panel title="Requests" description={`Per ${unit}, refused ones included.`}>
        {dashboard === undefined ? (
          <Skeleton height={HEIGHT} />
        ) : (
          <UsageChart
            label={`Requests and errors, per ${unit}`}
            kind="bar"
            isStacked
            height={HEIGHT}
            granularity={unit}
            formatValue={formatShort}
            series={[
              { name: 'good', label: 'Answered' },
              { name: 'errors', label: 'Errors', colour: 'red.6' },
            ]}
            points={dashboard.points.map(({ at, requests, errors }) => ({
              at,
              errors,
              good: requests - errors,
            }))}
          />
        )}
      </Panel>
      <Panel title="Money" description={`${CURRENCY} per ${unit}.`}>
        {dashboard === undefined ? (
          <Skeleton height={HEIGHT} />
        ) : (
          <UsageChart
            label={`Spend and cost, per ${unit}`}
            unit="amount"
            height={HEIGHT}
            granularity={unit}
            formatValue={(value) => formatMoney(value.toFixed(9))}
            series={[
              { name: 'amount', label: 'Spend' },
              { name: 'cost', label: 'Cost' },
            ]}
            points={dashboard.points.map(({ at, amount, cost }) => ({
              at,
              amount: Number(amount),
              cost: Number(cost),
            }))}
          />
        )}
      </Panel>
    </div>
  )
}
