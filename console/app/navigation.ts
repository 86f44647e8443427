import {
  IconActivity,
  IconBuildingBank,
  IconChartBar,
  IconCoin,
  IconCpu,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMessage2Code,
  IconPlugConnected,
  IconSettings,
  IconSitemap,
  IconTruckDelivery,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'

export interface NavigationEntry {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: typeof IconKey
  /** Further words by which the command palette finds it. */
  readonly keywords: string
}

export interface NavigationGroup {
  readonly label: string | null
  readonly isForOperators: boolean
  readonly entries: readonly NavigationEntry[]
}

/** Everything the side bar and the command palette lead to. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: null,
    isForOperators: false,
    entries: [
      {
        to: '/overview',
        label: 'Overview',
        icon: IconChartBar,
        keywords: 'home dashboard balance spend usage',
      },
      { to: '/keys', label: 'API keys', icon: IconKey, keywords: 'secret token create rotate revoke limit' },
      { to: '/models', label: 'Models', icon: IconCpu, keywords: 'prices catalog context formats' },
      { to: '/playground', label: 'Playground', icon: IconMessage2Code, keywords: 'chat try image test' },
      { to: '/requests', label: 'Requests', icon: IconActivity, keywords: 'log settlements live errors' },
    ],
  },
  {
    label: 'Account',
    isForOperators: false,
    entries: [
      {
        to: '/billing',
        label: 'Billing',
        icon: IconCoin,
        keywords: 'ledger payments exports alerts webhook',
      },
      {
        to: '/billing/credentials',
        label: 'Own credentials',
        icon: IconPlugConnected,
        keywords: 'byok bring your own key supplier',
      },
      {
        to: '/connect',
        label: 'Connect',
        icon: IconSitemap,
        keywords: 'sdk claude code codex gemini base url',
      },
      {
        to: '/settings',
        label: 'Settings',
        icon: IconSettings,
        keywords: 'profile password security members',
      },
    ],
  },
  {
    label: 'Operator',
    isForOperators: true,
    entries: [
      {
        to: '/operator/accounts',
        label: 'Accounts',
        icon: IconBuildingBank,
        keywords: 'customers tier credit',
      },
      {
        to: '/operator/suppliers',
        label: 'Suppliers',
        icon: IconTruckDelivery,
        keywords: 'credentials health',
      },
      {
        to: '/operator/models',
        label: 'Models and prices',
        icon: IconListDetails,
        keywords: 'routes price edit',
      },
      {
        to: '/operator/settlements',
        label: 'All requests',
        icon: IconActivity,
        keywords: 'settlements traffic',
      },
      { to: '/operator/users', label: 'Users', icon: IconUsers, keywords: 'people disable operators' },
      { to: '/operator/audit', label: 'Audit log', icon: IconHistory, keywords: 'changes who when' },
      {
        to: '/operator/system',
        label: 'System',
        icon: IconUserShield,
        keywords: 'nodes database journal version',
      },
    ],
  },
]
