import { IconCreditCardPay, IconPercentage } from '@tabler/icons-react'

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
] as const
