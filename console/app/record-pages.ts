import { IconAsterisk, IconCreditCardPay, IconPercentage, IconStairsUp, IconTag } from '@tabler/icons-react'

/** Operator pages for simple records: their routes and navigation entries. */
export const RECORD_PAGES = [
  {
    path: '/operator/payment-methods',
    label: 'Payment methods',
    icon: IconCreditCardPay,
    keywords: 'ways to pay bank card',
    load: () => import('../pages/operator-payment-methods/index.tsx'),
  },
  {
    path: '/operator/mark-ups',
    label: 'Mark-ups',
    icon: IconPercentage,
    keywords: 'percent margin discount price',
    load: () => import('../pages/operator-mark-ups/index.tsx'),
  },
  {
    path: '/operator/tiers',
    label: 'Tiers',
    icon: IconStairsUp,
    keywords: 'limits requests tokens threshold earned',
    load: () => import('../pages/operator-tiers/index.tsx'),
  },
  {
    path: '/operator/aliases',
    label: 'Aliases',
    icon: IconTag,
    keywords: 'model names fallback chain',
    load: () => import('../pages/operator-aliases/index.tsx'),
  },
  {
    path: '/operator/wildcards',
    label: 'Wildcards',
    icon: IconAsterisk,
    keywords: 'model names pattern supplier',
    load: () => import('../pages/operator-wildcards/index.tsx'),
  },
] as const
