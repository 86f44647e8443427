import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { customer } from './customer.ts'
import { type Dashboard, renderDashboard } from './dashboard.ts'
import { money } from './money.ts'
import { nodes } from './nodes.ts'
import { suppliers } from './suppliers.ts'
import { traffic } from './traffic.ts'

export const DASHBOARDS: readonly Dashboard[] = [traffic, suppliers, money, customer, nodes]

export const DASHBOARD_FOLDER = join(import.meta.dirname, '../../deploy/grafana/dashboards')

export function fileOf({ uid }: Dashboard): string {
  return join(DASHBOARD_FOLDER, `${uid}.json`)
}

export function textOf(dashboard: Dashboard): string {
  return `${JSON.stringify(renderDashboard(dashboard), null, 2)}\n`
}

// `npm run dashboards` writes the files that Grafana loads.
if (import.meta.main) for (const dashboard of DASHBOARDS) writeFileSync(fileOf(dashboard), textOf(dashboard))
