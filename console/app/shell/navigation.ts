import {
  IconActivity,
  IconBell,
  IconBuildingBank,
  IconChartBar,
  IconChartDots,
  IconCoin,
  IconCpu,
  IconDashboard,
  IconDatabaseExport,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMessage2Code,
  IconPlugConnected,
  IconReceipt2,
  IconReportMoney,
  IconServer,
  IconSettings,
  IconSitemap,
  IconTruckDelivery,
  IconUsers,
} from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'
import type { Right } from '../../../src/vocabulary/words.ts'
import { RECORD_PAGES } from '../record-pages.ts'

/** Path, label, icon, extra search words for the command palette, and the right that the page takes. */
export type NavigationEntry = readonly [
  to: NonNullable<LinkProps['to']>,
  label: string,
  icon: typeof IconKey,
  keywords: string,
  right?: Right,
]

export interface NavigationGroup {
  readonly label: string | null
  readonly isForOperators: boolean
  readonly entries: readonly NavigationEntry[]
}

/** All entries of the side bar and the command palette. */
const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: null,
    isForOperators: false,
    entries: [
      ['/overview', 'Overview', IconChartBar, 'home dashboard balance spend usage'],
      ['/explore', 'Explore', IconChartDots, 'usage metrics percentiles latency cache forecast trend'],
      ['/keys', 'API keys', IconKey, 'secret token create rotate revoke limit'],
      ['/models', 'Models', IconCpu, 'prices catalog context formats'],
      ['/playground', 'Playground', IconMessage2Code, 'chat try image test', 'manage-keys'],
      ['/requests', 'Requests', IconActivity, 'log settlements live errors'],
    ],
  },
  {
    label: 'Account',
    isForOperators: false,
    entries: [
      ['/billing', 'Billing', IconCoin, 'ledger payments exports alerts webhook', 'see-money'],
      [
        '/billing/credentials',
        'Own credentials',
        IconPlugConnected,
        'byok bring your own key supplier',
        'manage-account',
      ],
      ['/connect', 'Connect', IconSitemap, 'sdk claude code codex gemini base url', 'manage-keys'],
      ['/settings', 'Settings', IconSettings, 'profile password security members'],
    ],
  },
  {
    label: 'Operator',
    isForOperators: true,
    entries: [
      ['/operator', 'Dashboard', IconDashboard, 'home health spend errors capacity attention'],
      ['/operator/accounts', 'Accounts', IconBuildingBank, 'customers tier credit'],
      ['/operator/suppliers', 'Suppliers', IconTruckDelivery, 'credentials health'],
      ['/operator/models', 'Models and prices', IconListDetails, 'routes price edit'],
      ['/operator/prices', 'Price catalog', IconReceipt2, 'prices vendors diff apply schedule unpriced'],
      ['/operator/settlements', 'All requests', IconActivity, 'settlements traffic'],
      ['/operator/explore', 'Explore all', IconChartDots, 'usage metrics percentiles latency trend'],
      ['/operator/usage', 'Cost and margin', IconReportMoney, 'usage profit price supplier account'],
      ['/operator/users', 'Users', IconUsers, 'people disable operators'],
      ...RECORD_PAGES.map(({ path, label, icon, keywords }) => [path, label, icon, keywords] as const),
      ['/operator/alerts', 'Alerts', IconBell, 'channels slack e-mail webhook on-call notify'],
      ['/operator/sinks', 'Sinks', IconDatabaseExport, 'export stream warehouse s3 bucket events'],
      ['/operator/audit', 'Audit log', IconHistory, 'changes who when'],
      ['/operator/system', 'System', IconServer, 'nodes database journal version'],
    ],
  },
]

/** The entries for a user with these rights. */
export function navigationFor(isOperator: boolean, may: (right: Right) => boolean): NavigationGroup[] {
  return NAVIGATION.filter((group) => isOperator || !group.isForOperators).map((group) => ({
    ...group,
    entries: group.entries.filter(([, , , , right]) => right === undefined || may(right)),
  }))
}

/** The most specific entry for an address. */
export function entryOf(path: string): NavigationEntry | undefined {
  const under = NAVIGATION.flatMap(({ entries }) => entries).filter(
    ([to]) => path === to || path.startsWith(`${to}/`),
  )
  return under.sort(([one], [other]) => other.length - one.length)[0]
}
