import { IconCreditCardPay } from '@tabler/icons-react'

/** The operator pages of plain records: their routes and their entries in the side bar and the command palette. */
export const RECORD_PAGES = [
  {
    path: '/operator/payment-methods',
    label: 'Payment methods',
    icon: IconCreditCardPay,
    keywords: 'ways to pay bank card',
    load: () => import('../pages/operator-payment-methods/index.tsx'),
  },
] as const
