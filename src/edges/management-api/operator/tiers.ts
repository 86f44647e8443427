import type { Operations } from '../../../manage/ports/operations.ts'
import { AccountView, TierAssign, TierEvaluation } from '../../../vocabulary/account.ts'
import { definer, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Accounts', access: 'operator' } as const

export const tierEndpoints = [
  define({
    ...common,
    method: 'PUT',
    path: '/accounts/:id/tier',
    id: 'assignTier',
    summary: 'Assign a tier',
    description: 'It overrides the earned tier until it expires or is removed.',
    body: TierAssign,
    answer: one(AccountView),
    handle: (operations, { params, body, actor }) => operations.assignTier(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/accounts/:id/tier',
    id: 'endTierAssignment',
    summary: 'Remove an assigned tier',
    description: 'The earned tier applies again.',
    answer: one(AccountView),
    handle: (operations, { params, actor }) => operations.endTierAssignment(params.id, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/tiers/evaluate',
    id: 'evaluateTiers',
    summary: 'Evaluate tiers now',
    description: 'Runs the hourly evaluation now.',
    answer: one(TierEvaluation),
    handle: (operations, { actor }) => operations.evaluateTiers(actor),
  }),
]
